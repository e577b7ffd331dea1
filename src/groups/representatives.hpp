#pragma once

#include <vector>

#include "sfg/compact.hpp"

namespace sfg::detail {

/// Score of every feature by a rule that looks at the graph or a list, not at the group.
[[nodiscard]] std::vector<double> fixed_scores(const FeatureGraph& graph,
                                               const RepresentativeOptions& options);

/// Medoid scores this close are a tie, and the lowest index wins.
inline constexpr double kMedoidTie = 1e-9;

/// Fills in representative, n_removed and explained of every merge.
void represent_merges(const FeatureGraph& graph, const UnitFeatures& centred,
                      const RepresentativeOptions& options, const RunContext& run,
                      CompactHierarchy& hierarchy);

}  // namespace sfg::detail
