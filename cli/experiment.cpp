#include <fmt/format.h>

#include <memory>
#include <optional>
#include <set>

#include "command_run.hpp"
#include "commands.hpp"
#include "experiment_output.hpp"
#include "output_path.hpp"
#include "png.hpp"
#include "sfg/json.hpp"

namespace sfg::cli {

namespace {

using nlohmann::ordered_json;

constexpr const char* kExperimentDescription =
    "The paper's experiment: how well samples cluster when redundant features are gone.\n\n"
    "Examples:\n"
    "  sfg experiment ORL.mat Yale.mat --preset paper -o out\n"
    "  sfg experiment ORL.mat --preset paper --compare published.json\n"
    "  sfg experiment faces.mat --grouping components,compact --seeds 20 -m 20,50 --json\n"
    "  sfg experiment words.mat --text -m 60 -o words\n\n"
    "For all features and for each theta: the number of kept features, NMI and ACC of spectral\n"
    "clustering by them, and by those that MCFS selects among them (--selector names another);\n"
    "mean and standard deviation over seeds. Classes must be known. All columns, the one of all\n"
    "features too, come from the same set-up. -o PREFIX writes tables (JSON, CSV, Markdown, "
    "LaTeX)\n"
    "and figures (SVG, PNG). An interrupted run leaves PREFIX.journal: the same command goes on\n"
    "from there.";

/// Where results go while they come: to the console, to the log, to the journal.
struct ExperimentPlaces {
  Console& console;
  RunLog& log;
  ExperimentJournal* journal;  ///< none without -o
};

struct ExperimentCommand {
  CLI::App* command = nullptr;
  CommonOptions common;
  OutputOptions output;
  InputOptions reading;
  MethodArguments method;
  ListedOptions listed;
  std::vector<std::string> inputs;
  std::string published_file;
  bool no_png = false;

  void add_arguments(CLI::App& command);
  void run(Console& console) const;
  void run_input(const std::string& path, const ExperimentOptions& options, const RunContext& run,
                 ExperimentPlaces& places, ExperimentOutcome& outcome) const;
  void compare_last(const PublishedTables& published, Console& console,
                    ExperimentOutcome& outcome) const;
  [[nodiscard]] ExperimentOptions options() const;
  void check_inputs() const;
  [[nodiscard]] std::string name_of(const std::string& path) const;
  [[nodiscard]] PngFigures png_figures(Console& console) const;
};

ExperimentOptions ExperimentCommand::options() const {
  ExperimentOptions options = method.is_paper() ? paper_experiment() : ExperimentOptions{};
  options.components = std::get<ComponentOptions>(method.shared_with(options.components));
  options.compact = std::get<CompactOptions>(method.shared_with(options.compact));
  options.compact.representative = CompactOptions{}.representative;
  options = listed.read(options);
  check(options);
  return options;
}

/// A path that is wrong should not come to light after hours of work on the others.
void ExperimentCommand::check_inputs() const {
  std::set<std::string> seen;
  for (const std::string& path : inputs) {
    if (!seen.insert(path).second) {
      throw Error(ErrorCode::invalid_option, fmt::format("{} is there twice", shown_name(path)));
    }
    std::error_code ignored;
    if (path != "-" && !std::filesystem::exists(path, ignored)) {
      throw Error(ErrorCode::cannot_read,
                  fmt::format("{}: there is no such file; is the path right?", path));
    }
  }
}

/// "ORL" for data/ORL.mat; the whole path where that would name two inputs.
std::string ExperimentCommand::name_of(const std::string& path) const {
  const auto stem = [](const std::string& one) {
    return std::filesystem::path(one).stem().string();
  };
  if (path == "-") return shown_name(path);
  Index n_same = 0;
  for (const std::string& other : inputs) n_same += stem(other) == stem(path) ? 1 : 0;
  return n_same == 1 ? stem(path) : path;
}

PngFigures ExperimentCommand::png_figures(Console& console) const {
  if (no_png) return PngFigures::leave_out;
  if (can_make_png()) return PngFigures::write;
  console.note(
      "figures as SVG only: PNG needs librsvg (on Debian librsvg2-2, or librsvg2-dev to build)");
  return PngFigures::leave_out;
}

/// Progress says which data set it is about.
RunContext run_for(const RunContext& run, const std::string& name) {
  RunContext named = run;
  if (run.progress) {
    named.progress = [progress = run.progress, name](std::string_view stage, double done,
                                                     double total) {
      progress(fmt::format("{}: {}", name, stage), done, total);
    };
  }
  return named;
}

/// What the files and the document on standard output have in common: no time, no path, so that a
/// run that was interrupted and resumed gives the same bytes.
ordered_json document_of(const ExperimentCommand& command, const ExperimentOptions& options,
                         const RunContext& run, const ExperimentOutcome& outcome) {
  ordered_json document = document_head("experiment");
  document["preset"] = command.method.is_paper() ? ordered_json("paper") : ordered_json();
  document["options"] = options_json(options, run);
  document["tables"] = tables_json(outcome.results);
  document["datasets"] = datasets_json(outcome.results);
  if (!command.published_file.empty()) {
    document["comparison"] = comparisons_json(outcome.comparisons);
  }
  return document;
}

ordered_json seconds_of(const ExperimentOutcome& outcome, double total) {
  ordered_json seconds{{"read", outcome.seconds_to_read}};
  for (const ExperimentResult& result : outcome.results) {
    for (const auto& [stage, value] : result.seconds) {
      seconds[stage] = seconds.value(stage, 0.0) + value;
    }
  }
  seconds["total"] = total;
  return seconds;
}

void tell_about(const ExperimentJournal& journal, const std::string& path, Console& console) {
  if (journal.n_dropped() > 0) {
    console.note(
        fmt::format("{}: its damaged end was dropped ({} bytes)", path, journal.n_dropped()));
  }
  if (journal.n_recalled() > 0) {
    console.note(fmt::format("{}: {} of an earlier run are not computed again", path,
                             counted(static_cast<Index>(journal.n_recalled()), "cell")));
  }
}

void ExperimentCommand::run_input(const std::string& path, const ExperimentOptions& options,
                                  const RunContext& run, ExperimentPlaces& places,
                                  ExperimentOutcome& outcome) const {
  InputOptions input = reading;
  input.path = path;
  const double before = places.log.seconds();
  const Dataset dataset = input.read(common.reading(run), places.console);
  outcome.seconds_to_read += places.log.seconds() - before;
  places.log.add_input(dataset);
  const std::string name = name_of(path);
  const ExperimentCheckpoint checkpoint =
      places.journal != nullptr ? places.journal->cells_of(name, dataset) : ExperimentCheckpoint{};
  ExperimentResult result = experiment(dataset, options, run_for(run, name), checkpoint);
  result.name = name;
  note_oddities(result, places.console);
  places.console.print(experiment_summary(result));
  outcome.results.push_back(std::move(result));
}

void ExperimentCommand::compare_last(const PublishedTables& published, Console& console,
                                     ExperimentOutcome& outcome) const {
  const ExperimentResult& result = outcome.results.back();
  auto comparison = compare_with_published(result, published);
  if (!comparison) {
    console.note(fmt::format("{}: {} has no table of it", result.name, published_file));
    return;
  }
  console.print(comparison_summary(*comparison));
  outcome.comparisons.push_back(std::move(*comparison));
}

void ExperimentCommand::run(Console& console) const {
  CommandRun frame(*command, common, output, console);
  const RunContext& run = frame.context();
  RunLog& log = frame.log();
  listed.note_old_spellings(console);
  method.note_old_spellings(console);
  const ExperimentOptions options = this->options();
  check_inputs();
  std::optional<PublishedTables> published;
  if (!published_file.empty()) published = read_published(published_file);
  std::optional<ExperimentFiles> files;
  std::optional<ExperimentJournal> journal;
  if (!output.path.empty()) {
    files.emplace(output, png_figures(console));
    const auto foreign = output.force ? ForeignJournal::replace : ForeignJournal::refuse;
    journal.emplace(files->journal(), options_json(options, run).dump(), foreign);
    tell_about(*journal, files->journal(), console);
  }

  ExperimentOutcome outcome;
  ExperimentPlaces places{console, log, journal ? &*journal : nullptr};
  try {
    for (const std::string& path : inputs) {
      run_input(path, options, run, places, outcome);
      if (published) compare_last(*published, console, outcome);
    }
  } catch (const Error& error) {
    if (error.code() != ErrorCode::interrupted || !journal) throw;
    throw Error(error.code(), fmt::format("{}; the same command goes on from {}", error.what(),
                                          files->journal()));
  }

  ordered_json document = document_of(*this, options, run, outcome);
  if (files) {
    log.add_notes(console);
    files->write(outcome, document, log.text());
    journal->finish();
  }
  document["output"] = output.path.empty() ? ordered_json() : ordered_json(output.path);
  document["seconds"] = seconds_of(outcome, log.seconds());
  document["peak_rss_bytes"] = peak_resident_bytes();
  console.print_json(document);
}

void add_experiment_options(CLI::App& command, ExperimentCommand& state) {
  const auto group = "Experiment";
  for (const FieldDescription& field : describe_fields<ExperimentOptions>()) {
    state.listed.add(command, field, group, field.name == "sizes" ? "-m" : "");
  }
  command
      .add_option("--compare", state.published_file,
                  "JSON file with published tables to show beside ours")
      ->option_text("FILE")
      ->group(group);
}

void ExperimentCommand::add_arguments(CLI::App& command) {
  command.add_option("input", inputs, "Data files with classes")
      ->required()
      ->option_text("INPUT...");
  reading.add_reading_options_to(command);
  add_experiment_options(command, *this);
  method.add_to(command, MethodPart::components);
  output.add_to(command, "Start of the names of the files to write");
  command.add_flag("--no-png", no_png, "Figures as SVG only")->group("Output");
}

}  // namespace

void add_experiment(Program& program) {
  add_command<ExperimentCommand>(program, "experiment", kExperimentDescription);
}

}  // namespace sfg::cli
