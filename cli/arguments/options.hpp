#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "console.hpp"
#include "listed_options.hpp"
#include "method_arguments.hpp"
#include "sfg/sfg.hpp"

// Options that several commands share, beside those that the library lists.
namespace sfg::cli {

/// A command notes here what to do; main() does it when all words are parsed.
using Action = std::function<void()>;

/// What a run may use if no option says so; 0: by what the machine allows.
struct UsualResources {
  int threads = 0;
  std::size_t memory = 0;
};

/// --threads, --memory, --seed, --json, --quiet, -v.
struct CommonOptions {
  int threads = 0;
  std::string memory;
  std::uint64_t seed = 1;
  bool json = false;
  bool quiet = false;
  int verbose = 0;

  void add_to(CLI::App& command);
  /// Threads and memory as given, by OMP_NUM_THREADS, or as usual.
  [[nodiscard]] RunContext run(Console& console, const UsualResources& usual = {}) const;
  /// The run for reading files. Only a limit that was given vouches for what a small file claims;
  /// else read_dataset() goes by the file's size.
  [[nodiscard]] RunContext reading(RunContext run) const;
};

/// -o and --force.
struct OutputOptions {
  std::string path;
  bool force = false;

  void add_to(CLI::App& command, const std::string& what);
  [[nodiscard]] Existing existing() const { return force ? Existing::replace : Existing::refuse; }
};

/// INPUT and how to read it.
struct InputOptions {
  std::string path;
  ListedOptions reading;
  std::string batch;
  /// The command compares features by what both have, and within batches.
  bool goes_to_method = false;

  void add_to(CLI::App& command, const std::string& what);
  void add_reading_options_to(CLI::App& command);
  /// --batch and --missing pairwise, for commands that hand the data to the method.
  void add_method_input_to(CLI::App& command);
  /// Reads, with missing values as they are.
  [[nodiscard]] Dataset read_as_it_is(const ReadOptions& options, const RunContext& run,
                                      Console& console) const;
  /// Reads, makes every cell finite, and tells the user what was done about missing values.
  [[nodiscard]] Dataset read(const RunContext& run, Console& console) const;
  /// `report`, if given, says what was done.
  [[nodiscard]] Dataset read(const ReadOptions& options, const RunContext& run, Console& console,
                             MissingReport* report = nullptr) const;
  [[nodiscard]] ReadOptions read_options() const;
};

/// Tells the user what was assumed when a table was read.
void tell_notes(const Dataset& dataset, Console& console);

/// Tells the user what was done about missing values; `whose` mean or median was filled in.
void note_missing(const MissingReport& report, std::string_view whose, Console& console);

/// Checks a whole number in decimal digits and within bounds; for CLI::Option::transform(). CLI11
/// itself takes 010 for 8 and -1 for the largest number there is.
[[nodiscard]] CLI::Validator whole_number(std::uint64_t low, std::uint64_t high);

/// "8G", "500M", "1.5GiB", "1000000": bytes. Throws invalid_option.
[[nodiscard]] std::size_t parse_bytes(const std::string& text);

}  // namespace sfg::cli
