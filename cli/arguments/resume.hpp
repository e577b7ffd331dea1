#pragma once

#include <optional>
#include <string>

#include "console.hpp"
#include "options.hpp"
#include "sfg/journal.hpp"

namespace sfg::cli {

/// --resume and --journal-after: what becomes of a graph whose run is cut off.
struct ResumeArguments {
  bool resume = false;
  ListedOptions journal;

  void add_to(CLI::App& command);
  /// Refuses --resume where there is no pursuit to go on with.
  void check_fit(const MethodOptions& options) const;
};

/// The journal beside an output, OUTPUT.journal, and what the user should know about it.
class GraphJournal {
 public:
  /// Without an output (none, or "-") there is no journal, and --resume is refused.
  GraphJournal(const ResumeArguments& arguments, const OutputOptions& output, Console& console);
  /// A run that did not come to its end says how to go on.
  ~GraphJournal();
  GraphJournal(const GraphJournal&) = delete;
  GraphJournal& operator=(const GraphJournal&) = delete;

  [[nodiscard]] PursuitCheckpoint checkpoint();
  /// Tells what the graph owes to the journal; call it when the graph is there.
  void tell();
  /// Removes the journal; call it when all outputs are in their places.
  void finish();

 private:
  std::string path_;
  Console& console_;
  std::optional<PursuitJournal> journal_;
};

}  // namespace sfg::cli
