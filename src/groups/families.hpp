#pragma once

#include "sfg/compact.hpp"

namespace sfg::detail {

/// Reorders the merges: those within families (WardOptions::family_r2) come first, each part in its
/// own order. A merge stays behind those of its parts.
void put_families_first(const FeatureGraph& graph, const UnitFeatures& centred, double family_r2,
                        const RunContext& run, CompactHierarchy& hierarchy);

}  // namespace sfg::detail
