#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "sfg/text.hpp"

namespace sfg::cli {

/// Where everything that people read goes: results to standard output, notes and progress to
/// standard error (progress only if that is a terminal).
class Console {
 public:
  void configure(bool json, bool quiet, int verbose);

  /// A result for people; nothing with --json or --quiet.
  void print(const std::string& text);
  /// Standard output is for the result that -o - asks for: print() keeps off it.
  void reserve_stdout() noexcept { reserved_ = true; }
  /// That result: with --quiet too.
  void print_result(const std::string& text) { write_out(text); }
  /// The result for programs, on standard output; nothing without --json.
  void print_json(const nlohmann::ordered_json& document);
  [[nodiscard]] bool wants_json() const noexcept { return json_; }
  /// A remark on standard error, kept for the log; not printed with --quiet.
  void note(const std::string& text);
  /// As note, only printed with -v.
  void detail(const std::string& text);
  /// All notes so far.
  [[nodiscard]] const std::vector<std::string>& notes() const noexcept { return notes_; }

  /// A function that draws progress, or none where nobody would see it.
  [[nodiscard]] std::function<void(std::string_view, double, double)> progress();
  /// Removes what progress has drawn.
  void clear_progress();
  /// Set by Ctrl-C and its like.
  [[nodiscard]] const std::atomic<bool>* stop_flag() const;

  /// Flushes standard output. Throws cannot_write if what was printed did not get through.
  void finish();

 private:
  void write_out(const std::string& text);

  bool json_ = false;
  bool quiet_ = false;
  bool reserved_ = false;
  int verbose_ = 0;
  bool progress_drawn_ = false;
  std::string progress_stage_;
  std::chrono::steady_clock::time_point stage_start_;
  std::chrono::steady_clock::time_point last_drawn_;
  std::vector<std::string> notes_;
};

/// Lets Ctrl-C, SIGTERM and the end of the terminal (SIGHUP) end the work in good order; a second
/// one ends the program at once.
void install_interrupt_handler();

/// Lines of a table, columns aligned: text to the left, numbers to the right.
class Table {
 public:
  explicit Table(std::vector<std::string> headings) { rows_.push_back(std::move(headings)); }
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  /// Each line starts with `indent`; a line of dashes below the headings.
  [[nodiscard]] std::string text(std::string_view indent = "  ") const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

/// What to call an input: its path, or "standard input" for "-".
[[nodiscard]] std::string shown_name(const std::string& path);
/// "1 feature", "2 features"
[[nodiscard]] std::string counted(std::int64_t number, std::string_view noun);
/// "2.5 s", "12 min", "1.5 h".
[[nodiscard]] std::string duration(double seconds);
/// A share as "32 %".
[[nodiscard]] std::string percent(double part, double whole);

}  // namespace sfg::cli
