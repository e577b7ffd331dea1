#include "options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <unordered_map>

#include "explain_exception.hpp"

namespace sfg::cli {

namespace {

/// Share of the free memory that is used when no limit is given.
constexpr double kMemoryShare = 0.8;

constexpr int kMostThreads = 4096;

/// OMP_NUM_THREADS as other programs read it; 0 if it is not set or not a number.
int threads_from_environment() {
  const char* text = std::getenv("OMP_NUM_THREADS");
  if (text == nullptr) return 0;
  return static_cast<int>(std::clamp<long>(std::strtol(text, nullptr, 10), 0, kMostThreads));
}

}  // namespace

CLI::Validator whole_number(std::uint64_t low, std::uint64_t high) {
  const auto check = [low, high](std::string& text) {
    std::uint64_t value = 0;
    const char* end = text.data() + text.size();
    const auto [stop, fault] = std::from_chars(text.data(), end, value);
    if (fault != std::errc() || stop != end || value < low || value > high) {
      return fmt::format("must be a whole number from {} to {}, not '{}'", low, high, text);
    }
    text = fmt::format("{}", value);
    return std::string();
  };
  return {check, ""};
}

std::size_t parse_bytes(const std::string& text) {
  const auto fault = [&] {
    return Error(
        ErrorCode::invalid_option,
        fmt::format("'{}' is not an amount of memory: write it as 8G, 500M or 1.5GiB", text));
  };
  std::size_t used = 0;
  double value = 0;
  try {
    value = std::stod(text, &used);
  } catch (const std::exception&) {
    throw fault();
  }
  static const std::unordered_map<std::string, double> kUnits{
      {"", 1},         {"B", 1},        {"K", 1e3},      {"KB", 1e3},    {"M", 1e6},
      {"MB", 1e6},     {"G", 1e9},      {"GB", 1e9},     {"T", 1e12},    {"TB", 1e12},
      {"KIB", 0x1p10}, {"MIB", 0x1p20}, {"GIB", 0x1p30}, {"TIB", 0x1p40}};
  std::string unit;
  for (const char c : text.substr(used)) {
    if (c != ' ') unit += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  const auto found = kUnits.find(unit);
  if (found == kUnits.end() || !(value > 0) || value * found->second > 0x1p62) throw fault();
  return static_cast<std::size_t>(value * found->second);
}

void CommonOptions::add_to(CLI::App& command) {
  const auto group = "How to run";
  command.add_option("--threads", threads, "Threads (default: OMP_NUM_THREADS, else all cores)")
      ->transform(whole_number(1, kMostThreads))
      ->group(group);
  command
      .add_option("--memory", memory, "Most memory to plan with, e.g. 8G (default: 80 % of free)")
      ->group(group);
  command.add_option("--seed", seed, "Seed of random numbers")
      ->transform(whole_number(0, std::numeric_limits<std::uint64_t>::max()))
      ->capture_default_str()
      ->group(group);
  command.add_flag("--json", json, "One JSON document on standard output, nothing else there")
      ->group(group);
  command.add_flag("-q,--quiet", quiet, "No summary, no progress, no notes")->group(group);
  command.add_flag("-v,--verbose", verbose, "Say more on standard error")->group(group);
}

RunContext CommonOptions::run(Console& console, const UsualResources& usual) const {
  console.configure(json, quiet, verbose);
  RunContext run;
  run.threads = threads > 0 ? threads : threads_from_environment();
  if (run.threads == 0) run.threads = usual.threads;
  if (run.threads == 0) run.threads = available_threads();
  const std::size_t free = usual.memory > 0 ? usual.memory : available_memory();
  run.memory_limit = memory.empty()
                         ? static_cast<std::size_t>(kMemoryShare * static_cast<double>(free))
                         : parse_bytes(memory);
  run.seed = seed;
  run.stop = console.stop_flag();
  run.progress = console.progress();
  return run;
}

RunContext CommonOptions::reading(RunContext run) const {
  if (memory.empty()) run.memory_limit = 0;
  return run;
}

void OutputOptions::add_to(CLI::App& command, const std::string& what) {
  command.add_option("-o,--output", path, what)->group("Output");
  command.add_flag("--force", force, "Replace files that are already there")->group("Output");
}

void InputOptions::add_to(CLI::App& command, const std::string& what) {
  command.add_option("input", path, what)->required()->option_text("INPUT");
  add_reading_options_to(command);
}

void InputOptions::add_reading_options_to(CLI::App& command) {
  reading.add_all<ReadOptions>(command, "Reading");
  reading.add_all<MissingOptions>(command, "Reading");
}

void InputOptions::add_method_input_to(CLI::App& command) {
  goes_to_method = true;
  command
      .add_option("--batch", batch,
                  "Column that says which samples were measured together, or a file of one value "
                  "per sample: features are compared within these batches")
      ->option_text("COLUMN|FILE")
      ->group("Reading");
}

ReadOptions InputOptions::read_options() const {
  ReadOptions options = reading.read<ReadOptions>();
  options.batch = batch;
  return options;
}

namespace {

/// Whether a spreadsheet would take a name for a formula.
bool looks_like_formula(std::string_view name) {
  constexpr std::string_view kFirst = "=+-@";
  return !name.empty() && kFirst.find(name.front()) != std::string_view::npos &&
         !parse_number(name);
}

void tell_about_labels(const Dataset& dataset, Console& console) {
  if (!dataset.labels) return;
  const auto n_missing = std::ranges::count_if(
      dataset.labels->values, [](const std::string& label) { return is_missing_label(label); });
  if (n_missing == 0) return;
  console.note(fmt::format("{} without a label (empty, NA or nan): no class, left out of scores",
                           counted(n_missing, "sample")));
}

/// What the numbers of a text table may mean: those of other formats come from programs that know.
void tell_about_values(const Dataset& dataset, Console& console) {
  if (dataset.format != Format::csv && dataset.format != Format::tsv) return;
  for (const Note& note : notes_on_values(dataset)) console.note(message(note, spell_option));
}

}  // namespace

void tell_notes(const Dataset& dataset, Console& console) {
  for (const Note& note : dataset.notes) {
    std::string text = message(note, spell_option);
    if (note.about == Note::About::columns) text += "; 'sfg check' shows all columns";
    console.note(text);
  }
}

Dataset InputOptions::read_as_it_is(const ReadOptions& options, const RunContext& run,
                                    Console& console) const {
  reading.note_old_spellings(console);
  Dataset dataset = read_dataset(path, options, run);
  tell_notes(dataset, console);
  const auto n_formulas = std::ranges::count_if(dataset.feature_names, looks_like_formula);
  if (n_formulas > 0) {
    console.note(
        fmt::format("{} that a spreadsheet takes for formulas (= + - @ first): they "
                    "are written as they are, so import tables as text",
                    counted(n_formulas, "feature name")));
  }
  tell_about_labels(dataset, console);
  tell_about_values(dataset, console);
  return dataset;
}

Dataset InputOptions::read(const RunContext& run, Console& console) const {
  return read(read_options(), run, console);
}

Dataset InputOptions::read(const ReadOptions& options, const RunContext& run, Console& console,
                           MissingReport* report) const {
  const Missing policy = reading.read<MissingOptions>().missing;
  if (policy == Missing::pairwise && !goes_to_method) {
    throw Error(ErrorCode::invalid_option, "", path,
                {"missing",
                 "{missing=pairwise} is for 'sfg reduce', 'sfg explain', 'sfg graph', 'sfg sweep' "
                 "and 'sfg predict': here use {missing=mean} or another way"});
  }
  Dataset dataset = read_as_it_is(options, run, console);
  const MissingReport found = resolve_missing(dataset, policy);
  note_missing(found, "the feature's " + choice_name(policy), console);
  if (report != nullptr) *report = found;
  return dataset;
}

void note_missing(const MissingReport& report, std::string_view whose, Console& console) {
  if (!report.filled_features.empty()) {
    console.note(fmt::format("{} missing values in {} features were replaced by {}", report.n_cells,
                             report.filled_features.size(), whose));
  }
  if (!report.features_with_gaps.empty()) {
    console.note(
        fmt::format("{} missing values in {} features: each two are compared by the "
                    "samples that both have",
                    with_commas(report.n_cells), report.features_with_gaps.size()));
  }
  if (!report.dropped.empty()) {
    console.note(fmt::format("{} features with missing values were left out ({} values)",
                             report.dropped.size(), report.n_cells));
  }
  if (report.n_dropped_samples > 0) {
    console.note(fmt::format("{} with missing values were left out ({} values)",
                             counted(report.n_dropped_samples, "sample"), report.n_cells));
  }
}

}  // namespace sfg::cli
