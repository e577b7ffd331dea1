#pragma once

#include <vector>

#include "sfg/graph.hpp"
#include "sfg/groups.hpp"
#include "sfg/options.hpp"

// The paper's groups, its "local compressible subgraphs" (LCS): connected components of the sparse
// feature graph over the edges whose weight is above a threshold. Theta in (0, 1) says where
// between the smallest and the largest weight that threshold is.
namespace sfg {

/// Two features whose groups become one as soon as the weight threshold falls below `weight`.
struct Merge {
  Index a;
  Index b;
  double weight;
};

/// The paper's groups for every theta at once: the maximum spanning forest of max(|w_ij|, |w_ji|)
/// over the edges that passed the filter. Groups at a threshold t are the trees left by merges with
/// weight > t.
struct ComponentHierarchy {
  Index n_features = 0;
  std::vector<Merge> merges;  ///< by falling weight
  double min_weight = 0;      ///< m: smallest nonzero |w|; 0 without edges
  double max_weight = 0;      ///< M: largest |w|; 0 without edges
};

/// O(edges log edges).
[[nodiscard]] ComponentHierarchy build_component_hierarchy(const FeatureGraph& graph);

/// Throws invalid_option unless 0 < theta < 1.
void check_theta(double theta);

/// Several thetas at once; the paper's by default.
struct SweepOptions {
  std::vector<double> thetas{0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1};
};

template <OptionsOf<SweepOptions> Options, typename Visitor>
void visit_fields(Options& options, Visitor&& visit) {
  visit({"thetas", "Thetas to cut the graph at", between(0, 1)}, options.thetas);
}

/// t = m + theta (M - m); theta M if all weights are equal, where the former would let no edge
/// pass. Throws invalid_option unless 0 < theta < 1.
[[nodiscard]] double weight_threshold(const ComponentHierarchy& hierarchy, double theta);

/// Local compressible subgraphs at a weight threshold: weakly connected components over edges with
/// |w| > threshold (the paper's Algorithm 3). O(d).
[[nodiscard]] Groups cut(const ComponentHierarchy& hierarchy, double threshold);

/// The groups after so many merges, of equal weights the ones between lower features first. O(d).
[[nodiscard]] Groups cut_after(const ComponentHierarchy& hierarchy, Index n_merges);

/// The number of groups of such a cut, without making it. O(log d).
[[nodiscard]] Index count_groups(const ComponentHierarchy& hierarchy, double threshold);

}  // namespace sfg
