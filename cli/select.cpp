#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "command_run.hpp"
#include "commands.hpp"
#include "sfg/json.hpp"

namespace sfg::cli {

namespace {

constexpr const char* kSelectDescription =
    "Select the features that follow the shape of the data best, or say most of the classes.\n\n"
    "Examples:\n"
    "  sfg select data.csv -m 20                 the 20 best by MCFS\n"
    "  sfg select data.csv -m 10,50 --method laplacian --json\n"
    "  sfg select data.csv -m 50 --reduce --theta 0.3   among what 'sfg reduce' keeps\n"
    "  sfg select X.mat -m 10,20,40,60 --preset paper --json\n"
    "  sfg select data.csv --labels class --method mrmr -m 20\n"
    "  sfg select data.csv --labels class --method fcbf --removed removed.tsv   as many as it "
    "keeps\n\n"
    "Methods: mcfs (regressions on eigenvectors of the graph of samples), laplacian (similar\n"
    "samples have similar values), spec (the same on the graph of all pairs), fsasl (graph and\n"
    "features learned together; slow for many samples), mrsf (regression on all eigenvectors at\n"
    "once), sparsity (samples are sums of few others), grm (the scores of another method, less\n"
    "redundancy). With labels: mrmr (relevance less redundancy), fcbf (Markov blankets), fast\n"
    "(clusters of a spanning tree); the last two also say how many. With -o FILE it writes a TSV:\n"
    "n_selected, rank, feature, score.";

/// Names that the summary shows of each selection.
constexpr std::size_t kShownFeatures = 5;
/// MCFS and FSASL without a number of clusters.
constexpr Index kUsualResponses = 5;

/// The name of the file with removed features among the outputs.
constexpr const char* kRemoved = "removed";

struct SelectCommand : TableArguments {
  ListedOptions selection;
  bool reduce_first = false;
  std::string removed_path;

  void add_arguments(CLI::App& command);
  void run(Console& console) const;
  [[nodiscard]] SelectOptions select_options() const;
  [[nodiscard]] MethodOptions method_options() const;
  void check_reduction() const;
};

/// The number of classes stands for that of clusters, unless the label is a measurement.
Index n_clusters(const Dataset& dataset) {
  if (!dataset.labels) return 0;
  const Index count = n_classes(*dataset.labels);
  return count >= 2 && count <= n_samples(dataset.matrix) / 2 ? count : 0;
}

SelectOptions SelectCommand::select_options() const {
  SelectOptions usual = method.is_paper() ? paper_selection({}) : SelectOptions{};
  usual.sizes.clear();
  SelectOptions options = selection.read(usual);
  check(options);
  return options;
}

MethodOptions SelectCommand::method_options() const {
  MethodOptions options = method.options();
  resume.check_fit(options);
  options.reduce.combinations = false;
  return options;
}

/// Options of the reduction mean nothing without it: better to say so than to pass over them.
void SelectCommand::check_reduction() const {
  if (reduce_first) return;
  if (resume.resume) {
    throw Error(ErrorCode::invalid_option,
                "--resume goes on with the graph of a reduction: add --reduce, or leave it out");
  }
  for (const CLI::Option* option : command->get_options()) {
    const bool of_reduction = option->get_group() == "Groups" || option->get_group() == "Graph";
    if (of_reduction && option->count() > 0 && option->get_name() != "--preset") {
      throw Error(
          ErrorCode::invalid_option,
          fmt::format("{} says how to reduce: add --reduce, or leave it out", option->get_name()));
    }
  }
}

/// Numbers of the features that are selected among; all of them without a reduction.
struct Candidates {
  std::vector<Index> features;
  bool reduced = false;

  [[nodiscard]] Index original(Index feature) const {
    return reduced ? features[feature] : feature;
  }
};

/// As after the selection among the candidates, with the numbers of the input.
SelectResult in_original_numbers(SelectResult result, const Candidates& candidates,
                                 Index n_features) {
  if (!candidates.reduced) return result;
  for (auto& selection : result.selections) {
    if (!selection) continue;
    for (Index& feature : selection->features) feature = candidates.original(feature);
  }
  for (Superseded& one : result.removed) {
    one.feature = candidates.original(one.feature);
    if (one.by >= 0) one.by = candidates.original(one.by);
  }
  std::vector<double> scores(static_cast<std::size_t>(n_features), std::nan(""));
  for (std::size_t k = 0; k < result.scores.size(); ++k) {
    scores[candidates.features[k]] = result.scores[k];
  }
  result.scores = std::move(scores);
  return result;
}

std::string preview(const Selection& selection, const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t k = 0; k < selection.features.size(); ++k) {
    if (k == kShownFeatures) return text + ", ...";
    text += k == 0 ? "" : ", ";
    text += escaped(names[selection.features[k]]);
  }
  return text;
}

std::string summary(const Dataset& dataset, const SelectOptions& options,
                    const SelectResult& result, Index n_candidates) {
  std::string text = fmt::format(
      "{}: {}, {}{}\nmethod {}", shown_name(dataset.source),
      counted(n_samples(dataset.matrix), "sample"), counted(n_features(dataset.matrix), "feature"),
      n_candidates < n_features(dataset.matrix)
          ? fmt::format(" ({} after the reduction)", with_commas(n_candidates))
          : "",
      choice_name(result.method));
  if (result.n_neighbors > 0) text += ", " + counted(result.n_neighbors, "neighbour");
  const bool has_graph = !needs_labels(options) && result.method != SelectMethod::sparsity;
  if (result.n_neighbors == 0 && has_graph) text += ", all pairs";
  if (result.n_responses > 0) text += ", " + counted(result.n_responses, "response");
  if (result.status != SelectStatus::done) text += " (" + choice_name(result.status) + ")";
  if (!result.removed.empty()) {
    text += fmt::format("\n{} left out as redundant or not relevant",
                        counted(static_cast<Index>(result.removed.size()), "feature"));
  }
  Table table({"selected", "best first"});
  for (std::size_t k = 0; k < result.selections.size(); ++k) {
    const auto& selection = result.selections[k];
    table.add({with_commas(selection ? selection->n_selected : options.sizes[k]),
               selection ? preview(*selection, dataset.feature_names) : "not possible"});
  }
  return text + "\n\n" + table.text("  ");
}

void SelectCommand::run(Console& console) const {
  CommandRun frame(*command, common, output, console);
  check_reduction();
  method.note_old_spellings(console);
  selection.note_old_spellings(console);
  SelectOptions options = select_options();
  MethodOptions reduce_options = method_options();
  frame.stage_output({".tsv", ".txt", ".tab"});
  if (!removed_path.empty()) {
    if (!has_own_size(options.method)) {
      throw Error(ErrorCode::invalid_option, "--removed is for the methods fcbf and fast");
    }
    frame.files().stage(kRemoved, removed_path);
  }
  const Dataset dataset = frame.read(input);
  require_comparable(dataset);
  if (!selection.has("n_responses") && !method.is_paper()) {
    const Index clusters = n_clusters(dataset);
    options.n_responses = clusters > 0 ? clusters : kUsualResponses;
  }
  std::optional<Target> target;
  if (needs_labels(options) && dataset.labels) {
    target = read_target(*dataset.labels, n_samples(dataset.matrix));
  }
  Candidates candidates;
  const PursuitCheckpoint checkpoint = frame.journal(resume);
  if (reduce_first) {
    method.read_lists(reduce_options, dataset.feature_names, frame.reading());
    MethodResult reduced = reduce(dataset, reduce_options, frame.context(), checkpoint);
    frame.tell_about_journal();
    frame.add_seconds(reduced.seconds);
    candidates = {std::move(reduced.reduction.kept), true};
  }
  Index n_candidates = n_features(dataset.matrix);
  const SelectResult result = frame.timed("select", [&] {
    UnitFeatures features = normalise(dataset.matrix, {}, frame.context());
    if (candidates.reduced) features = select_features(features, candidates.features);
    n_candidates = features.n_features();
    RunContext run_with_data = frame.context();
    run_with_data.memory_held += memory_of(dataset.matrix);
    SelectResult chosen = target ? select_best(features, *target, options, run_with_data)
                                 : select_best(features, options, run_with_data);
    return in_original_numbers(std::move(chosen), candidates, n_features(dataset.matrix));
  });
  if (!result.labels_note.empty()) console.note(result.labels_note);
  if (!removed_path.empty()) {
    frame.files().write_text(kRemoved, superseded_to_tsv(result, dataset.feature_names));
  }
  frame.write_output(selections_to_tsv(result, dataset.feature_names));
  frame.commit();
  nlohmann::ordered_json fields = selection_json(dataset, options, result, n_candidates);
  fields["output"] = output.path;
  frame.print(summary(dataset, options, result, n_candidates),
              frame.document(dataset.source, fields));
}

void add_selection_options(CLI::App& command, SelectCommand& state) {
  const auto group = "Selection";
  for (FieldDescription field : describe_fields<SelectOptions>()) {
    if (field.name == "sizes") field.usual.clear();
    if (field.name == "n_responses") field.usual = "the number of classes, else 5";
    state.selection.add(command, field, group, field.name == "sizes" ? "-m" : "");
  }
  command
      .add_flag("--reduce", state.reduce_first,
                "Remove redundant features first, as 'sfg reduce' would with the same options")
      ->group(group);
}

void SelectCommand::add_arguments(CLI::App& command) {
  input.add_to(command, "CSV, TSV, NPY, MAT, MTX, svmlight or h5ad, also packed; - is stdin");
  add_selection_options(command, *this);
  method.add_to(command, MethodPart::groups);
  output.add_to(command, "TSV file to write the selections to");
  command
      .add_option("--removed", removed_path,
                  "TSV file to write what fcbf or fast left out to, and for which feature")
      ->option_text("FILE")
      ->group("Output");
  resume.add_to(command);
}

}  // namespace

void add_select(Program& program) {
  add_command<SelectCommand>(program, "select", kSelectDescription);
}

}  // namespace sfg::cli
