#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>

#include "sfg/checkpoint.hpp"
#include "sfg/options.hpp"

namespace sfg {

/// What to do with a journal that is there already.
enum class OldJournal {
  leave,      ///< it is not touched, and this run keeps none
  replace,    ///< begin anew as soon as there is something to write
  go_on,      ///< recall it; one of other data or options is refused
  go_on_any,  ///< recall it; one of other data or options is replaced
};

/// What to do with a journal of finished results that is about something else.
enum class ForeignJournal { refuse, replace };

struct JournalOptions {
  OldJournal old = OldJournal::leave;
  /// Nothing is written before so much time has passed: short runs leave the disk alone.
  double after_seconds = 60;
};

template <OptionsOf<JournalOptions> Options, typename Visitor>
void visit_fields(Options& options, Visitor&& visit) {
  visit({"journal_after", "Seconds after which finished parts of the graph are kept in a journal",
         within(0, 1e9)},
        options.after_seconds);
}

/// A checkpoint on disk: finished representations, so that a run that was cut off can go on.
///
///     PursuitJournal journal("out.journal", {OldJournal::go_on});
///     const MethodResult result = reduce(dataset, options, run, journal.checkpoint());
///     ...                // write what came out
///     journal.finish();  // and only then forget how far it had come
///
/// Records: a header, then for each pursuit its key, and blocks of targets with the number of their
/// pursuit. A damaged end is dropped. A journal that cannot be written is given up, the run is not.
class PursuitJournal {
 public:
  /// Opens a journal that is there and is to be recalled. Throws inconsistent_input if it is
  /// something else, cannot_read, cannot_write (also if another run has it open).
  PursuitJournal(std::filesystem::path path, const JournalOptions& options);
  ~PursuitJournal();
  PursuitJournal(PursuitJournal&&) noexcept;
  PursuitJournal& operator=(PursuitJournal&&) noexcept;

  /// Recalls and keeps, as long as the journal lives. `find` throws inconsistent_input if the
  /// journal is about another pursuit: its first one must be the first that is asked for.
  [[nodiscard]] PursuitCheckpoint checkpoint();

  /// A journal was there when this run began.
  [[nodiscard]] bool was_there() const noexcept;
  /// Targets that need not be computed again, of all pursuits so far.
  [[nodiscard]] std::size_t n_recalled() const noexcept;
  /// Bytes of a damaged end that were dropped.
  [[nodiscard]] std::size_t n_dropped() const noexcept;
  /// Targets that are in the file.
  [[nodiscard]] std::size_t n_written() const noexcept;
  /// Why it was given up; empty if it was not.
  [[nodiscard]] const std::string& failure() const noexcept;

  /// Removes the file, unless it was to be left alone: everything is in its place.
  void finish() noexcept;

 private:
  class Records;
  std::unique_ptr<Records> records_;
};

}  // namespace sfg
