#include "graph_arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "sfg/json.hpp"

namespace sfg::cli {

const char* const kGraphDescription =
    "The sparse feature graph: each feature described by a few others.\n\n"
    "Examples:\n"
    "  sfg graph data.csv -o g.npz               for scipy.sparse.load_npz and 'sfg sweep'\n"
    "  sfg graph data.csv -o g.graphml           for Cytoscape, Gephi, networkx\n"
    "  sfg graph data.csv --group-of GENE7 --theta 0.3 -o gene7.graphml\n"
    "  sfg graph data.csv --format edges -o -        source, target, weight on standard output\n\n"
    "Row i of the npz matrix is the representation of feature i, before the angle filter; the\n"
    "arrays angle, status and failed tell which ones the filter takes out. A run of more than a\n"
    "minute that is cut off leaves OUTPUT.journal: --resume goes on from there.";

void GraphArguments::add_to(CLI::App& command) {
  input.add_to(command, "Data file");
  input.add_method_input_to(command);
  method.add_to(command, MethodPart::graph);
  method.add_batches_to(command);
  output.add_to(command, "File to write: .npz, .graphml or .tsv (edge list)");
  command.add_option("--format", form, "npz, graphml or edges (default: by the output's ending)")
      ->check(CLI::IsMember({"npz", "graphml", "edges"}))
      ->group("Output");
  command.add_option("--group-of", group_of, "Only the group of this feature")
      ->option_text("FEATURE")
      ->group("Output");
  for (FieldDescription field : describe_fields<ComponentOptions>()) {
    if (field.name != "theta") continue;
    field.help = "Theta of that group";
    field.usual = field_text(kUsualTheta);
    exporting.add(command, field, "Output");
  }
  exporting.add_all<ExportOptions>(command, "Output");
  resume.add_to(command);
  dry_run.add_to(command);
  common.add_to(command);
}

MethodOptions GraphArguments::options(Console& console) const {
  method.note_old_spellings(console);
  MethodOptions options = method.options(GroupingKind::components);
  auto& components = std::get<ComponentOptions>(options.grouping);
  components.theta = exporting.read(components).theta.value_or(kUsualTheta);
  check(options);
  return options;
}

void GraphArguments::stage(CommandRun& frame) const {
  if (to_stdout() && (common.json || chosen_form() == "npz")) {
    throw Error(
        ErrorCode::invalid_option,
        "-o - prints the graph as text: use it with --format graphml or --format edges and without "
        "--json");
  }
  if (chosen_form() == "npz" && std::filesystem::path(output.path).extension() == ".gz") {
    throw Error(ErrorCode::invalid_option, "npz files are not packed again: leave out .gz");
  }
  // What --format says needs no ending that says the same.
  if (!form.empty()) return frame.stage_output({});
  frame.stage_output({".npz", ".graphml", ".xml", ".tsv", ".txt"});
}

/// npz, graphml or edges: as asked, or by the ending of the output.
std::string GraphArguments::chosen_form() const {
  if (!form.empty()) return form;
  std::filesystem::path name = output.path;
  if (name.extension() == ".gz") name.replace_extension();
  const auto ending = name.extension().string();
  if (ending == ".graphml" || ending == ".xml") return "graphml";
  if (ending == ".tsv" || ending == ".txt") return "edges";
  return "npz";
}

/// The features that are in one group with --group-of.
std::vector<Index> GraphArguments::chosen_group(const FeatureGraph& graph) const {
  const auto found = std::ranges::find(graph.feature_names, group_of);
  if (found == graph.feature_names.end()) {
    throw Error(ErrorCode::inconsistent_input,
                fmt::format("there is no feature '{}' in the data", group_of));
  }
  const double theta = exporting.read<ComponentOptions>().theta.value_or(kUsualTheta);
  const ComponentHierarchy hierarchy = build_component_hierarchy(graph);
  const Groups groups = cut(hierarchy, weight_threshold(hierarchy, theta));
  const auto feature = static_cast<std::size_t>(found - graph.feature_names.begin());
  const auto members = groups.members_of(groups.group_of[feature]);
  return {members.begin(), members.end()};
}

std::string GraphArguments::exported(const FeatureGraph& graph) const {
  auto options = exporting.read<ExportOptions>();
  const std::string chosen = chosen_form();
  if (!group_of.empty()) {
    if (chosen == "npz") {
      throw Error(ErrorCode::invalid_option,
                  "--group-of exports a part of the graph: use --format graphml or --format edges");
    }
    options.features = chosen_group(graph);
  }
  if (chosen == "graphml") return graph_to_graphml(graph, options);
  if (chosen == "edges") return graph_to_edge_list(graph, options);
  return graph_to_npz(graph);
}

std::string GraphArguments::summary(const std::string& source, const FeatureGraph& graph) const {
  const GraphFigures figures = figures_of(graph);
  return fmt::format(
      "{}: {}, {} edges, {:.2f} atoms per feature (at most {}), {} representations failed\n{}\n",
      shown_name(source), counted(graph.n_features(), "feature"), with_commas(graph.n_edges()),
      figures.mean_atoms, figures.max_atoms, with_commas(figures.n_failed),
      output.path.empty() ? "Nothing was written: add -o g.npz to keep the graph."
                          : "Wrote " + output.path);
}

void GraphArguments::finish(CommandRun& frame, const std::string& source, Index n_samples,
                            const MethodResult& result,
                            const nlohmann::ordered_json& figures) const {
  frame.tell_about_journal();
  frame.add_seconds(result.seconds);
  if (frame.has_output()) frame.write_output(exported(result.graph));
  frame.commit();
  nlohmann::ordered_json fields{{"n_samples", n_samples}};
  fields.update(graph_json(result));
  fields["output"] = output.path;
  nlohmann::ordered_json document = frame.document(source, fields);
  document.update(figures);
  frame.print(summary(source, result.graph), document);
}

}  // namespace sfg::cli
