#pragma once

#include <vector>

#include "compare/pair_correlations.hpp"

namespace sfg::detail {

/// The member with the largest sum of r2 with all members; ties: the first.
[[nodiscard]] std::size_t medoid_of(const PairCorrelations& pairs,
                                    const std::vector<std::size_t>& members);

}  // namespace sfg::detail
