#pragma once

#include <span>
#include <string>
#include <vector>

#include "sfg/graph.hpp"
#include "sfg/matrix.hpp"
#include "sfg/normalise.hpp"

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
struct ThetaHierarchy {
  Index n_features = 0;
  std::vector<Merge> merges;  ///< by falling weight
  double min_weight = 0;      ///< m: smallest nonzero |w|; 0 without edges
  double max_weight = 0;      ///< M: largest |w|; 0 without edges
};

/// O(edges log edges).
[[nodiscard]] ThetaHierarchy build_theta_hierarchy(const FeatureGraph& graph);

/// Throws invalid_option unless 0 < theta < 1.
void check_theta(double theta);

/// t = m + theta (M - m); theta M if all weights are equal, where the former would let no edge
/// pass. Throws invalid_option unless 0 < theta < 1.
[[nodiscard]] double weight_threshold(const ThetaHierarchy& hierarchy, double theta);

/// Features divided into groups, numbered by their lowest member.
struct Groups {
  std::vector<Index> group_of;    ///< by feature
  std::vector<Offset> starts{0};  ///< members of group g are [starts[g], starts[g+1])
  std::vector<Index> members;     ///< ascending within a group

  [[nodiscard]] Index n_groups() const noexcept { return static_cast<Index>(starts.size()) - 1; }
  [[nodiscard]] std::span<const Index> members_of(Index group) const noexcept;
  [[nodiscard]] Index largest() const noexcept;  ///< size of the largest group
};

/// Local compressible subgraphs at a weight threshold: weakly connected components over edges with
/// |w| > threshold (the paper's Algorithm 3). O(d).
[[nodiscard]] Groups cut(const ThetaHierarchy& hierarchy, double threshold);

/// The groups after so many merges, of equal weights the ones between lower features first. O(d).
[[nodiscard]] Groups cut_after(const ThetaHierarchy& hierarchy, Index n_merges);

/// The number of groups of such a cut, without making it. O(log d).
[[nodiscard]] Index count_groups(const ThetaHierarchy& hierarchy, double threshold);

/// Which member stands for its group; ties: lowest index.
enum class RepresentativeRule {
  in_degree,           ///< used by most features (the paper's text)
  out_degree,          ///< has the longest representation itself (the paper's published tables)
  weighted_in_degree,  ///< largest sum of |w| over the features that use it
  /// Largest sum of squared inner products with its group; in compact groups the in-degree,
  /// then the larger norm, decide between equals.
  medoid,
  priority,  ///< first in a list of the user's; groups without a listed one: in_degree
};

[[nodiscard]] std::string rule_name(RepresentativeRule rule);
[[nodiscard]] RepresentativeRule rule_from_name(const std::string& name);

struct RepresentativeOptions {
  RepresentativeRule rule = RepresentativeRule::in_degree;
  /// Features in order of preference, for RepresentativeRule::priority.
  std::vector<Index> priority;
  /// Features that must be kept: one of them represents its group, by the same rule.
  std::vector<Index> keep;
};

/// One member per group. Failed representations count for nothing. The medoid needs the features;
/// the other rules look at the graph only.
[[nodiscard]] std::vector<Index> choose_representatives(const Groups& groups,
                                                        const FeatureGraph& graph,
                                                        const UnitFeatures* features,
                                                        const RepresentativeOptions& options,
                                                        const RunContext& run = {});

}  // namespace sfg
