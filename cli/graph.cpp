#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "commands.hpp"
#include "dry_run.hpp"
#include "graph_maker.hpp"
#include "output_path.hpp"
#include "resume.hpp"
#include "run_log.hpp"

namespace sfg::cli {

namespace {

constexpr const char* kGraphDescription =
    "The sparse feature graph: each feature described by a few others.\n\n"
    "Examples:\n"
    "  sfg graph data.csv -o g.npz               for scipy.sparse.load_npz and 'sfg sweep'\n"
    "  sfg graph data.csv -o g.graphml           for Cytoscape, Gephi, networkx\n"
    "  sfg graph data.csv --group-of GENE7 --theta 0.3 -o gene7.graphml\n"
    "  sfg graph data.csv --format edges -o -        source, target, weight on standard output\n\n"
    "Row i of the npz matrix is the representation of feature i, before the angle filter; the\n"
    "arrays angle, status and failed tell which ones the filter takes out. A run of more than a\n"
    "minute that is cut off leaves OUTPUT.journal: --resume goes on from there.";

struct GraphCommand {
  CLI::App* command = nullptr;
  GraphMaker* maker = nullptr;
  CommonOptions common;
  OutputOptions output;
  InputOptions input;
  MethodArguments method;
  DryRun dry_run;
  ResumeArguments resume;
  std::string form;
  std::string group_of;
  double theta = 0.5;
  bool include_failed = false;

  void run(Console& console) const;
  [[nodiscard]] std::string chosen_form() const;
  [[nodiscard]] std::string exported(const FeatureGraph& graph) const;
};

/// npz, graphml or edges: as asked, or by the ending of the output.
std::string GraphCommand::chosen_form() const {
  if (!form.empty()) return form;
  const auto ending = std::filesystem::path(output.path).extension().string();
  if (ending == ".graphml" || ending == ".xml") return "graphml";
  if (ending == ".tsv" || ending == ".txt") return "edges";
  return "npz";
}

std::string GraphCommand::exported(const FeatureGraph& graph) const {
  ExportOptions options;
  options.include_failed = include_failed;
  const std::string chosen = chosen_form();
  if (!group_of.empty()) {
    if (chosen == "npz") {
      throw Error(ErrorCode::invalid_option,
                  "--group-of exports a part of the graph: use --format graphml or --format edges");
    }
    const auto found = std::ranges::find(graph.feature_names, group_of);
    if (found == graph.feature_names.end()) {
      throw Error(ErrorCode::inconsistent_input,
                  fmt::format("there is no feature '{}' in the data", group_of));
    }
    const ComponentHierarchy hierarchy = build_component_hierarchy(graph);
    const Groups groups = cut(hierarchy, weight_threshold(hierarchy, theta));
    const auto feature = static_cast<std::size_t>(found - graph.feature_names.begin());
    const auto members = groups.members_of(groups.group_of[feature]);
    options.features.assign(members.begin(), members.end());
  }
  if (chosen == "graphml") return graph_to_graphml(graph, options);
  if (chosen == "edges") return graph_to_edge_list(graph, options);
  return graph_to_npz(graph);
}

void GraphCommand::run(Console& console) const {
  const RunContext run = common.run(console, maker->usual());
  method.note_old_spellings(console);
  MethodOptions options = method.options(GroupingKind::components);
  std::get<ComponentOptions>(options.grouping).theta = theta;
  check(options);
  const RunLog log(*command, run);
  const bool to_stdout = output.path == "-";
  if (to_stdout && (common.json || chosen_form() == "npz")) {
    throw Error(
        ErrorCode::invalid_option,
        "-o - prints the graph as text: use it with --format graphml or --format edges and without "
        "--json");
  }
  OutputFiles files(output.existing());
  std::filesystem::path place;
  if (!output.path.empty() && !to_stdout) place = files.stage(output.path);

  Dataset dataset = input.read(maker->reading(common.reading(run)), console);
  if (dry_run.asked) {
    maker->print_plan(std::move(dataset), options, run, console);
    return;
  }
  const double seconds_to_read = log.seconds();
  const Index n_samples = sfg::n_samples(dataset.matrix);
  GraphJournal journal(resume, output, console);
  MethodResult result = maker->make(std::move(dataset), options, run, journal.checkpoint());
  journal.tell();
  result.seconds.insert(result.seconds.begin(), {"read", seconds_to_read});
  const FeatureGraph& made = result.graph;
  if (to_stdout) {
    console.print(exported(made));
    return;
  }
  if (!output.path.empty()) {
    write_text(place, exported(made));
    files.commit();
  }
  journal.finish();
  Offset most = 0;
  for (std::size_t i = 1; i < made.starts.size(); ++i) {
    most = std::max(most, made.starts[i] - made.starts[i - 1]);
  }
  const double mean = static_cast<double>(made.n_edges()) / std::max<Index>(1, made.n_features());
  const auto failed = std::ranges::count(made.failed, std::uint8_t{1});
  console.print(fmt::format(
      "{}: {}, {} edges, {:.2f} atoms per feature (at most {}), {} representations failed\n{}\n",
      shown_name(dataset.source), counted(made.n_features(), "feature"),
      with_commas(made.n_edges()), mean, most, with_commas(failed),
      output.path.empty() ? "Nothing was written: add -o g.npz to keep the graph."
                          : "Wrote " + output.path));
  nlohmann::ordered_json document{{"schema_version", 1},
                                  {"sfg_version", version()},
                                  {"command", "graph"},
                                  {"input", dataset.source},
                                  {"n_samples", n_samples},
                                  {"n_features", made.n_features()},
                                  {"n_edges", made.n_edges()},
                                  {"mean_atoms", mean},
                                  {"max_atoms", most},
                                  {"failed", failed},
                                  {"engine", choice_name(result.engine)},
                                  {"screen", result.screen},
                                  {"candidates_per_step", result.candidates_per_step},
                                  {"method", made.description},
                                  {"output", output.path},
                                  {"seconds", RunLog::seconds_json(result.seconds, log.seconds())},
                                  {"peak_rss_bytes", peak_resident_bytes()}};
  maker->add_figures(document);
  console.print_json(document);
}

}  // namespace

void add_graph(CLI::App& app, Console& console, Action& action) {
  static GraphMaker this_process;
  add_graph(app, console, action, this_process);
}

void add_graph(CLI::App& app, Console& console, Action& action, GraphMaker& maker) {
  auto state = std::make_shared<GraphCommand>();
  auto* command = app.add_subcommand("graph", kGraphDescription);
  state->command = command;
  state->maker = &maker;
  state->input.add_to(*command, "Data file");
  state->method.add_to(*command, MethodPart::graph);
  state->output.add_to(*command, "File to write: .npz, .graphml or .tsv (edge list)");
  command
      ->add_option("--format", state->form,
                   "npz, graphml or edges (default: by the output's ending)")
      ->check(CLI::IsMember({"npz", "graphml", "edges"}))
      ->group("Output");
  command->add_option("--group-of", state->group_of, "Only the group of this feature")
      ->option_text("FEATURE")
      ->group("Output");
  command->add_option("--theta", state->theta, "Theta of that group")
      ->capture_default_str()
      ->group("Output");
  command
      ->add_flag("--include-failed", state->include_failed,
                 "Export edges of failed representations too")
      ->group("Output");
  state->resume.add_to(*command);
  state->dry_run.add_to(*command);
  state->common.add_to(*command);
  maker.add_to(*command);
  run_when_called(*command, state, console, action);
}

}  // namespace sfg::cli
