#pragma once

#include <optional>
#include <vector>

#include "sfg/graph.hpp"
#include "sfg/groups.hpp"
#include "sfg/normalise.hpp"
#include "sfg/run_context.hpp"
#include "sfg/window.hpp"

namespace sfg {

/// Two groups that become one.
struct CompactMerge {
  Index a;  ///< lowest member of the one
  Index b;  ///< lowest member of the other, above a
  /// By how much the merge raises the sum of squared distances of features to their group's mean.
  double cost;
  Index representative;  ///< of the union
  Index n_removed;       ///< members of the union that are not kept
  double explained;      ///< sum over these of their squared correlation with the representative
  /// Lowest of these squared correlations, where their mean is above kFamilyFloor; else 0.
  double lowest_r2 = 0;
};

/// No group with a lower mean squared correlation is looked at as a family of near-copies.
inline constexpr double kFamilyFloor = 0.8;

/// Compact groups at every level at once: Ward's agglomeration along the edges of a graph. The
/// groups after k merges are the cut at level k; features that are not regular stay alone.
struct CompactHierarchy {
  Index n_features = 0;
  Index n_regular = 0;               ///< features that take part
  std::vector<CompactMerge> merges;  ///< in the order in which they happened
  Index n_edge_merges = 0;           ///< the ones along edges; later ones join components
  /// The first of them, which join families of copies: WardOptions::family_r2.
  Index n_family_merges = 0;
};

/// How far to merge, and who stands for a group.
struct WardOptions {
  RepresentativeOptions representative{RepresentativeRule::medoid, {}, {}};
  /// Merges go on to this many groups of regular features: beyond the components of the graph, the
  /// components are joined, the nearest ones first.
  Index fewest_groups = 0;  ///< 0: only along edges
  /// Merges within families come first, whatever they cost: their redundancy is proved. A family is
  /// a union all of whose members have this squared correlation with its representative, while no
  /// edge leads to a feature outside that is as near to a member: on a smooth curve, where near-
  /// copies follow each other without end, there are none. Exact copies are always a family. Not
  /// given: the order is that of the costs.
  std::optional<double> family_r2 = {};
  /// Only unions all of whose members are near each other, and only along edges; null: any.
  const Window* window = nullptr;
};

/// Ward's agglomeration restricted to edges, whatever their weight and direction:
///   cost(A, B) = |A||B| / (|A|+|B|) * min(|mu_A - mu_B|^2, |mu_A + mu_B|^2),
/// mu = mean of the members, each turned to the side of the others: a feature and its negative are
/// the same to r2, and so they are here. The cheapest adjacent pair merges (ties: lowest pair), and
/// the union inherits all neighbours. `features` are what the means are of, `centred` what
/// correlations are of; they may be the same object. Memory: at most half of the features again.
[[nodiscard]] CompactHierarchy build_compact_hierarchy(const FeatureGraph& graph,
                                                       const UnitFeatures& features,
                                                       const UnitFeatures& centred,
                                                       const WardOptions& options,
                                                       const RunContext& run = {});

/// Groups after so many merges. O(d).
[[nodiscard]] Groups cut(const CompactHierarchy& hierarchy, Index n_merges);

/// Their representatives, by group.
[[nodiscard]] std::vector<Index> representatives(const CompactHierarchy& hierarchy,
                                                 const Groups& groups, Index n_merges);

/// What a level keeps and how well it explains the rest.
struct CompactLevel {
  Index n_merges = 0;
  Index n_kept = 0;    ///< regular features that stay
  double mean_r2 = 1;  ///< of removed features with their representatives; 1 if there are none
};

/// Every level, from none merged to all. O(d).
[[nodiscard]] std::vector<CompactLevel> levels(const CompactHierarchy& hierarchy);

}  // namespace sfg
