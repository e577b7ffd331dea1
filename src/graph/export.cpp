// The graph for other programs.
#include <fmt/format.h>

#include <iterator>

#include "core/markup.hpp"
#include "core/text.hpp"
#include "sfg/graph.hpp"

namespace sfg {

namespace {

using namespace detail;

/// Calls node(i) for every exported feature and edge(i, j, weight, failed) for every exported edge.
template <typename Node, typename Edge>
void visit(const FeatureGraph& graph, const ExportOptions& options, const Node& node,
           const Edge& edge) {
  const auto d = static_cast<std::size_t>(graph.n_features());
  std::vector<char> wanted(d, options.features.empty() ? 1 : 0);
  for (const Index i : options.features) wanted[i] = 1;
  for (std::size_t i = 0; i < d; ++i) {
    if (wanted[i] != 0) node(static_cast<Index>(i));
  }
  for (std::size_t i = 0; i < d; ++i) {
    if (wanted[i] == 0 || (graph.failed[i] != 0 && !options.include_failed)) continue;
    const auto neighbours = graph.neighbours_of(static_cast<Index>(i));
    const auto weights = graph.weights_of(static_cast<Index>(i));
    for (std::size_t k = 0; k < neighbours.size(); ++k) {
      if (wanted[neighbours[k]] == 0) continue;
      edge(static_cast<Index>(i), neighbours[k], weights[k], graph.failed[i] != 0);
    }
  }
}

}  // namespace

std::string graph_to_graphml(const FeatureGraph& graph, const ExportOptions& options) {
  std::string out =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n"
      "  <key id=\"name\" for=\"node\" attr.name=\"name\" attr.type=\"string\"/>\n"
      "  <key id=\"angle\" for=\"node\" attr.name=\"angle\" attr.type=\"double\"/>\n"
      "  <key id=\"weight\" for=\"edge\" attr.name=\"weight\" attr.type=\"double\"/>\n"
      "  <key id=\"failed\" for=\"edge\" attr.name=\"failed\" attr.type=\"boolean\"/>\n"
      "  <graph id=\"sfg\" edgedefault=\"directed\">\n";
  auto text = std::back_inserter(out);
  visit(
      graph, options,
      [&](Index i) {
        const auto row = static_cast<std::size_t>(i);
        fmt::format_to(text,
                       "    <node id=\"n{}\"><data key=\"name\">{}</data>"
                       "<data key=\"angle\">{}</data></node>\n",
                       i, xml_text(graph.feature_names[row]), format_number(graph.angle[row]));
      },
      [&](Index i, Index j, double weight, bool failed) {
        fmt::format_to(
            text,
            "    <edge source=\"n{}\" target=\"n{}\"><data key=\"weight\">{}</data>{}</edge>\n", i,
            j, format_number(weight), failed ? "<data key=\"failed\">true</data>" : "");
      });
  out += "  </graph>\n</graphml>\n";
  return out;
}

std::string graph_to_edge_list(const FeatureGraph& graph, const ExportOptions& options) {
  std::string out =
      options.include_failed ? "source\ttarget\tweight\tfailed\n" : "source\ttarget\tweight\n";
  auto text = std::back_inserter(out);
  visit(
      graph, options, [](Index) {},
      [&](Index i, Index j, double weight, bool failed) {
        fmt::format_to(text, "{}\t{}\t{}", escaped(graph.feature_names[i]),
                       escaped(graph.feature_names[j]), format_number(weight));
        if (options.include_failed) fmt::format_to(text, "\t{}", failed ? 1 : 0);
        out += '\n';
      });
  return out;
}

}  // namespace sfg
