#pragma once

#include "core/disjoint_sets.hpp"
#include "sfg/groups.hpp"

namespace sfg::detail {

/// The sets as groups, numbered by their lowest member. O(d).
[[nodiscard]] Groups groups_of(DisjointSets& sets, Index n_features);

/// Groups from one feature that each belongs to, the same for all of a group: its representative,
/// for example. Numbered as above. O(d).
[[nodiscard]] Groups groups_by_label(const std::vector<Index>& labels);

}  // namespace sfg::detail
