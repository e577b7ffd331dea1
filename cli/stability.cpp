#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "command_run.hpp"
#include "commands.hpp"
#include "explain_exception.hpp"
#include "figure_output.hpp"
#include "output_path.hpp"
#include "sfg/json.hpp"

namespace sfg::cli {

namespace {

constexpr const char* kStabilityDescription =
    "How much does the answer depend on the samples at hand?\n\n"
    "Examples:\n"
    "  sfg stability genes.csv -o out            50 halves of the samples; shares of each feature\n"
    "  sfg stability genes.csv --plot out.svg    the shares as a picture, also .png\n"
    "  sfg stability genes.csv --stable 0.8 -o out   also the table of what is stable\n"
    "  sfg stability genes.csv --n-features 300 --resample bootstrap --repeats 200\n\n"
    "Reduces the table, then does so again on half of the samples at a time, and counts how often\n"
    "each feature is kept again, and how often it or a member of its group is. Every repeat finds\n"
    "its own level unless one is given: the number that is kept is part of the answer.\n"
    "--same-number keeps as many as all samples do. All options of 'sfg reduce' that decide what "
    "is\n"
    "kept apply. With -o PREFIX it writes PREFIX.stability.tsv, with --stable also\n"
    "PREFIX.stable.txt (kept features that are stable) and PREFIX.reduced.* (their columns). An\n"
    "interrupted run leaves PREFIX.journal: the same command goes on from there.";

struct StabilityCommand {
  CLI::App* command = nullptr;
  CommonOptions common;
  OutputOptions output;
  InputOptions input;
  MethodArguments method;
  ListedOptions listed;
  FigureOutput plot;
  std::string journal;

  void add_arguments(CLI::App& command);
  void run(Console& console) const;
  void stage_files(const Dataset& dataset, bool has_stable, CommandRun& frame) const;
  void write_files(const Dataset& dataset, const StabilityOptions& options,
                   const StabilityResult& result, CommandRun& frame) const;
  [[nodiscard]] std::optional<StabilityJournal> open_journal(const std::string& key,
                                                             const Dataset& dataset,
                                                             Console& console) const;
  [[nodiscard]] std::string journal_path() const;
};

constexpr const char* kShares = ".stability.tsv";
constexpr const char* kStable = ".stable.txt";
constexpr const char* kStableMatrix = "matrix";
/// Features of a kind that the summary lists.
constexpr std::size_t kListed = 5;

std::string StabilityCommand::journal_path() const {
  if (!journal.empty() || output.path.empty() || output.path == "-") return journal;
  return output.path + ".journal";
}

std::optional<StabilityJournal> StabilityCommand::open_journal(const std::string& key,
                                                               const Dataset& dataset,
                                                               Console& console) const {
  const std::string path = journal_path();
  if (path.empty()) return std::nullopt;
  const auto foreign = output.force ? ForeignJournal::replace : ForeignJournal::refuse;
  StabilityJournal opened(path, key, dataset, foreign);
  if (opened.n_dropped() > 0) {
    console.note(
        fmt::format("{}: its damaged end was dropped ({} bytes)", path, opened.n_dropped()));
  }
  if (opened.n_recalled() > 0) {
    console.note(fmt::format("{}: {} of an earlier run are not run again", path,
                             counted(static_cast<Index>(opened.n_recalled()), "repeat")));
  }
  return opened;
}

void StabilityCommand::stage_files(const Dataset& dataset, bool has_stable,
                                   CommandRun& frame) const {
  OutputFiles& files = frame.files();
  if (!frame.has_output()) return;
  if (frame.to_stdout()) return frame.check_stdout();
  files.stage(kShares, output.path + kShares);
  if (!has_stable) return;
  files.stage(kStable, output.path + kStable);
  files.stage(kStableMatrix, output.path + ".reduced" + format_extension(writable_format(dataset)));
}

void StabilityCommand::write_files(const Dataset& dataset, const StabilityOptions& options,
                                   const StabilityResult& result, CommandRun& frame) const {
  OutputFiles& files = frame.files();
  if (plot.is_asked()) {
    plot.write(stability_figure(figure_name(dataset.source), options, result), frame);
  }
  if (!frame.has_output()) return;
  const std::string shares = stability_to_tsv(result, dataset.feature_names);
  if (frame.to_stdout()) return frame.console().print_result(shares);
  files.write_text(kShares, shares);
  if (!options.stable) return;
  if (result.stable.empty()) {
    throw Error(ErrorCode::degenerate_data,
                fmt::format("no kept feature has a family share of {}: there is nothing to write",
                            *options.stable),
                dataset.source, {"stable", "lower {stable}: the repeats are not run again"});
  }
  std::string names;
  for (const Index feature : result.stable) names += escaped(dataset.feature_names[feature]) + "\n";
  files.write_text(kStable, names);
  write_dataset(select_features(dataset, result.stable), files.place(kStableMatrix),
                writable_format(dataset));
}

std::string agreement_row(double value) {
  return fmt::format("{:.3f}", value);
}

std::string agreement_table(const StabilityResult& result) {
  const bool has_halves = result.kept.jaccard_apart.has_value();
  std::vector<std::string> headings{"agreement of repeats", "Jaccard"};
  if (has_halves) headings.emplace_back("no sample shared");
  for (const char* heading : {"beyond chance", "95 % interval"}) headings.emplace_back(heading);
  Table table(headings);
  const auto add = [&](const char* what, const SetAgreement& one) {
    std::vector<std::string> row{what, agreement_row(one.jaccard)};
    if (has_halves) row.push_back(agreement_row(one.jaccard_apart.value_or(one.jaccard)));
    row.push_back(one.index ? agreement_row(*one.index) : "-");
    row.push_back(one.index ? fmt::format("{:.3f} to {:.3f}", *one.low, *one.high) : "-");
    table.add(std::move(row));
  };
  add("kept features", result.kept);
  add("their families", result.families);
  return table.text("  ");
}

/// The least stable kept features, or those that are often kept in their place.
std::string features_table(const Dataset& dataset, const StabilityResult& result, bool kept) {
  std::vector<FeatureStability> chosen;
  for (const FeatureStability& one : result.features) {
    if (kept ? one.is_kept && !one.is_stable : !one.is_kept) chosen.push_back(one);
  }
  std::ranges::stable_sort(chosen, {}, [&](const FeatureStability& one) {
    return kept ? one.family_share : -one.kept_share;
  });
  if (chosen.size() > kListed) chosen.resize(kListed);
  if (chosen.empty()) return {};
  Table table({kept ? "least stable" : "often kept instead", "kept", "family", "by chance",
               "group of", "kept of all samples"});
  for (const FeatureStability& one : chosen) {
    table.add(
        {escaped(dataset.feature_names[one.feature]), percent(one.kept_share, 1),
         percent(one.family_share, 1), percent(one.family_chance, 1), with_commas(one.group_size),
         one.representative >= 0 ? escaped(dataset.feature_names[one.representative]) : "none"});
  }
  return "\n" + table.text("  ");
}

std::string summary(const Dataset& dataset, const StabilityOptions& options,
                    const StabilityResult& result) {
  return fmt::format("{}: {} x {}\n\n{}\n\n{}{}{}\n", shown_name(dataset.source),
                     counted(result.n_samples, "sample"),
                     counted(n_features(dataset.matrix), "feature"), verdict(options, result),
                     agreement_table(result), features_table(dataset, result, true),
                     features_table(dataset, result, false));
}

void StabilityCommand::run(Console& console) const {
  CommandRun frame(*command, common, output, console);
  method.note_old_spellings(console);
  MethodOptions how = method.options();
  const auto options = listed.read<StabilityOptions>();
  check(options, how);
  if (frame.has_output() && !frame.to_stdout()) check_prefix(output.path);
  plot.stage(frame);
  const Dataset dataset = frame.read(input, method.reading(input.read_options()));
  method.read_lists(how, dataset.feature_names, frame.reading());
  stage_files(dataset, options.stable.has_value(), frame);
  auto kept_repeats =
      open_journal(stability_key(options, how, frame.context()).dump(), dataset, console);
  StabilityResult result;
  try {
    result = stability(dataset, options, how, frame.context(),
                       kept_repeats ? kept_repeats->checkpoint() : StabilityCheckpoint{});
  } catch (const Error& error) {
    if (error.code() != ErrorCode::interrupted || !kept_repeats) throw;
    throw Error(error.code(),
                fmt::format("{}; the same command goes on from {}", error.what(), journal_path()));
  }
  nlohmann::ordered_json notes = nlohmann::ordered_json::array();
  for (const Note& note : result.notes) {
    notes.push_back(message(note, spell_option));
    console.note(message(note, spell_option));
  }
  frame.add_seconds(result.seconds);
  write_files(dataset, options, result, frame);
  frame.commit();
  if (kept_repeats) kept_repeats->finish();
  nlohmann::ordered_json fields = stability_json(dataset, options, how, result);
  fields["notes"] = std::move(notes);
  fields["output"] =
      output.path.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(output.path);
  frame.print(summary(dataset, options, result), frame.document(dataset.source, fields));
}

void StabilityCommand::add_arguments(CLI::App& command) {
  input.add_to(command, "CSV, TSV, NPY, MAT, MTX, svmlight or h5ad, also packed; - is stdin");
  listed.add_all<StabilityOptions>(command, "Stability");
  method.add_to(command, MethodPart::whole);
  method.add_target_to(command);
  output.add_to(command, "Prefix of the files to write");
  plot.add_to(command, "the shares of the kept features");
  command
      .add_option("--journal", journal,
                  "Where finished repeats are kept until the run ends (with -o: PREFIX.journal)")
      ->option_text("FILE")
      ->group("Output");
}

}  // namespace

void add_stability(Program& program) {
  add_command<StabilityCommand>(program, "stability", kStabilityDescription);
}

}  // namespace sfg::cli
