#pragma once

#include <vector>

#include "sfg/compact.hpp"

namespace sfg::detail {

/// The merges of build_compact_hierarchy, without their representatives, and how many of them go
/// along edges. `takes_part` says which features do. Within a window (null: none) only groups merge
/// that fit into it together, and only along edges.
struct WardMerges {
  std::vector<CompactMerge> merges;
  Index n_edge_merges = 0;
};
[[nodiscard]] WardMerges ward_merges(const FeatureGraph& graph, const UnitFeatures& features,
                                     const std::vector<char>& takes_part, Index fewest_groups,
                                     const Window* window, const RunContext& run);

}  // namespace sfg::detail
