#pragma once

#include <string>

#include "options.hpp"

namespace sfg::cli {

/// What a run was: version, date, machine, every option with its value, input, outcome. Written as
/// PREFIX.log so that a result can be traced and repeated.
class RunLog {
 public:
  /// Starts the clock.
  RunLog(const CLI::App& command, const RunContext& run);

  void add(const std::string& line) { lines_ += line + "\n"; }
  void add_input(const Dataset& dataset);
  void add_notes(const Console& console);

  /// Seconds since the start.
  [[nodiscard]] double seconds() const;
  /// Stage figures as the JSON documents show them, with "read" first and "total" last.
  [[nodiscard]] static nlohmann::ordered_json seconds_json(const StageSeconds& stages,
                                                           double total);
  /// The whole text, with time and memory at its end.
  [[nodiscard]] std::string text() const;

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::string lines_;
};

}  // namespace sfg::cli
