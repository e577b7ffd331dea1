#pragma once

#include "core/disjoint_sets.hpp"
#include "sfg/groups.hpp"

namespace sfg::detail {

/// The sets as groups, numbered by their lowest member. O(d).
[[nodiscard]] Groups groups_of(DisjointSets& sets, Index n_features);

/// Groups from the number of the group of each feature, whatever the numbers are.
[[nodiscard]] Groups groups_by_label(const std::vector<Index>& labels);

}  // namespace sfg::detail
