#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "sfg/matrix.hpp"
#include "sfg/pursuit.hpp"

namespace sfg {

/// No angle is larger than this, in degrees.
inline constexpr double kNoAngleLimit = 90;

struct GraphOptions {
  /// A representation fails when the angle between a feature and its reconstruction is larger than
  /// this, in degrees; kNoAngleLimit lets every one pass.
  double max_angle = 15;
};

template <OptionsOf<GraphOptions> Options, typename Visitor>
void visit_fields(Options& options, Visitor&& visit) {
  visit({"max_angle", "A description fails if it is more than so many degrees from its feature",
         within(0, kNoAngleLimit)},
        options.max_angle);
}

/// The sparse feature graph: edge i -> j with weight w_ij, the coefficient of atom j in the
/// representation of feature i. Rows hold every representation; those of failed ones are there to
/// look at, but no later stage follows them.
struct FeatureGraph {
  std::vector<Offset> starts{0};  ///< out-edges of i are [starts[i], starts[i+1])
  std::vector<Index> neighbours;  ///< j, ascending within a row
  std::vector<double> weights;    ///< w_ij, signed
  std::vector<double> angle;      ///< of f_i and its reconstruction, in degrees; 90 without edges
  std::vector<std::uint8_t> failed;  ///< 1 if the angle is above max_angle
  std::vector<PursuitStatus> status;
  std::vector<std::string> feature_names;
  /// How it was made, for people: "omp, epsilon 0.01, ...".
  std::string description;

  [[nodiscard]] Index n_features() const noexcept { return static_cast<Index>(status.size()); }
  [[nodiscard]] Offset n_edges() const noexcept { return starts.back(); }
  /// Edges of the representation of i, whether it failed or not.
  [[nodiscard]] std::span<const Index> neighbours_of(Index i) const noexcept;
  [[nodiscard]] std::span<const double> weights_of(Index i) const noexcept;
};

/// Throws invalid_option for a value out of its range.
void check(const GraphOptions& options);

/// Makes the graph and applies the filter of failed representations (the paper's section 4.2; its
/// text says "less than", its results and plain sense say larger). O(edges).
[[nodiscard]] FeatureGraph build_graph(const Representations& representations,
                                       const GraphOptions& options);

/// A graph in a few figures.
struct GraphFigures {
  double mean_atoms = 0;  ///< of the representations
  Offset max_atoms = 0;
  Index n_failed = 0;  ///< representations
};
[[nodiscard]] GraphFigures figures_of(const FeatureGraph& graph);

/// Where the edges of a graph come from.
enum class EdgeSource {
  pursuit,  ///< the atoms of sparse representations: the paper's graph
  knn,      ///< the features with the largest |r|
};
template <>
inline constexpr auto kChoices<EdgeSource> = std::array{
    Choice{EdgeSource::pursuit, "pursuit", "the features that describe it together"},
    Choice{EdgeSource::knn, "knn", "the features with the largest correlation: cheaper"}};

struct NearestOptions {
  Index edge_neighbors = 10;
};

template <OptionsOf<NearestOptions> Options, typename Visitor>
void visit_fields(Options& options, Visitor&& visit) {
  visit({"edge_neighbors", "With knn edges: how many features each is connected with", at_least(1)},
        options.edge_neighbors);
}

/// Every feature with the features whose inner product with it is largest in magnitude, as edges
/// weighted by that product; none of them fails. Cheaper than a pursuit, and as good for compact
/// groups. Products within 1e-9 are ties: lowest index. O(n d^2), no d x d matrix.
[[nodiscard]] FeatureGraph nearest_graph(const UnitFeatures& features,
                                         const NearestOptions& options, const RunContext& run = {});

/// How often the angle filter lets features pass that nothing can describe.
struct PermutationCheck {
  Index n_permuted = 0;       ///< features whose samples were permuted
  double real_share = 0;      ///< of all features, within max_angle
  double permuted_share = 0;  ///< of the permuted ones, within max_angle
  std::vector<double> angle;  ///< of the permuted ones and their reconstructions, in degrees
  /// Permuted features pass more than half as often as real ones: the angle says little about
  /// redundancy here, which is usual with many more features than samples.
  [[nodiscard]] bool angle_says_little() const noexcept {
    return n_permuted > 0 && permuted_share > real_share / 2;
  }
};

/// Describes `n_permuted` features (random, by RunContext::seed) with permuted samples by the real
/// ones, as the graph was made.
[[nodiscard]] PermutationCheck check_angle_filter(const FeatureGraph& graph,
                                                  const UnitFeatures& features,
                                                  const PursuitOptions& pursuit,
                                                  const GraphOptions& options, Index n_permuted,
                                                  const RunContext& run = {});

/// The graph as an npz archive that scipy.sparse.load_npz reads as a d x d CSR matrix, with further
/// arrays angle, status, failed, feature_names and description.
[[nodiscard]] std::string graph_to_npz(const FeatureGraph& graph);
/// Reads it back. Throws cannot_read, malformed_input, over_memory.
[[nodiscard]] FeatureGraph load_graph(const std::filesystem::path& path,
                                      const RunContext& run = {});

/// Which part of a graph to export.
struct ExportOptions {
  std::vector<Index> features;  ///< only these and the edges among them; empty: all
  bool include_failed = false;  ///< also edges of failed representations, marked as such
};

template <OptionsOf<ExportOptions> Options, typename Visitor>
void visit_fields(Options& options, Visitor&& visit) {
  visit({"include_failed", "Export edges of failed representations too"}, options.include_failed);
}

/// GraphML, for Cytoscape, Gephi, igraph, networkx. Names are escaped; characters that XML cannot
/// hold are replaced.
[[nodiscard]] std::string graph_to_graphml(const FeatureGraph& graph, const ExportOptions& options);
/// Tab-separated lines: source, target, weight (and failed, if included), with a heading.
[[nodiscard]] std::string graph_to_edge_list(const FeatureGraph& graph,
                                             const ExportOptions& options);

}  // namespace sfg
