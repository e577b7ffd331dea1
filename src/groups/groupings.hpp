#pragma once

#include "sfg/pipeline.hpp"

// The three ways to divide features into groups, each with its representatives.
namespace sfg::detail {

/// What the groupings look at.
struct GroupingInput {
  const Matrix& data;            ///< as it was read
  const UnitFeatures& features;  ///< as the graph was made from
  const UnitFeatures& centred;   ///< may be the same object
  const MethodOptions& options;
  const RunContext& run;
};

/// Components of the graph at the threshold in `result`.
[[nodiscard]] Grouping group_by_components(const GroupingInput& input, MethodResult& result);
/// A cut through Ward's merges.
[[nodiscard]] Grouping group_compactly(const GroupingInput& input, MethodResult& result);
/// Every feature with the pick that it correlates most with.
[[nodiscard]] Grouping group_by_cover(const GroupingInput& input, MethodResult& result);

/// Groups of a paper's graph at a weight threshold; `features` may be missing (a graph file).
[[nodiscard]] Grouping components_at(const ThetaHierarchy& hierarchy, double threshold,
                                     const FeatureGraph& graph, const UnitFeatures* features,
                                     const MethodOptions& options, const RunContext& run);

}  // namespace sfg::detail
