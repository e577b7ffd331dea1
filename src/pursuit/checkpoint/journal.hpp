#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "io/record_file.hpp"
#include "sfg/checkpoint.hpp"

namespace sfg::detail {

/// What to do with a journal that is there already.
enum class OldJournal {
  leave,      ///< it is not touched, and this run keeps none
  replace,    ///< begin anew as soon as there is something to write
  go_on,      ///< recall it; one of other data or options is refused
  go_on_any,  ///< recall it; one of other data or options is replaced
};

struct JournalOptions {
  OldJournal old = OldJournal::leave;
  /// Nothing is written before so much time has passed: short runs leave the disk alone.
  double after_seconds = 60;
};

/// Finished representations on disk, so that a run that was cut off can go on. Records: a header,
/// then for each pursuit its key, and blocks of targets with the number of their pursuit. A damaged
/// end is dropped. A journal that cannot be written is given up, the run is not.
class PursuitJournal {
 public:
  /// Opens a journal that is there and is to be recalled. Throws inconsistent_input if it is
  /// something else, cannot_read, cannot_write (also if another run has it open).
  PursuitJournal(std::filesystem::path path, const JournalOptions& options);

  /// Recalls and keeps. `find` throws inconsistent_input if the journal is about another pursuit:
  /// its first one must be the first that is asked for.
  [[nodiscard]] PursuitCheckpoint checkpoint();

  /// A journal was there when this run began.
  [[nodiscard]] bool was_there() const noexcept { return was_there_; }
  /// Targets that need not be computed again, of all pursuits so far.
  [[nodiscard]] std::size_t n_recalled() const noexcept { return n_recalled_; }
  /// Bytes of a damaged end that were dropped.
  [[nodiscard]] std::size_t n_dropped() const noexcept { return n_dropped_; }
  /// Targets that are in the file.
  [[nodiscard]] std::size_t n_written() const noexcept { return n_written_; }
  /// Why it was given up; empty if it was not.
  [[nodiscard]] const std::string& failure() const noexcept { return failure_; }

  /// Removes the file, unless it was to be left alone: everything is in its place.
  void finish() noexcept;

 private:
  struct Pursuit {
    PursuitKey key;
    std::vector<TargetBlock> blocks;
  };

  void load();
  [[nodiscard]] std::vector<TargetBlock> find(const PursuitKey& key);
  void keep(const PursuitKey& key, const TargetBlock& block);
  [[nodiscard]] std::size_t number_of(const PursuitKey& key);
  void begin();
  void write_pending();

  std::filesystem::path path_;
  JournalOptions options_;
  std::optional<RecordFile> file_;  ///< nothing before there is a reason to write
  std::vector<Pursuit> recalled_;
  std::vector<PursuitKey> keys_;      ///< of pursuits that are in the file or pending
  std::vector<std::string> pending_;  ///< records that wait for the file
  std::size_t n_pending_ = 0;         ///< targets in them
  bool was_there_ = false;
  bool asked_ = false;  ///< find() was called
  std::size_t n_recalled_ = 0;
  std::size_t n_dropped_ = 0;
  std::size_t n_written_ = 0;
  std::string failure_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace sfg::detail
