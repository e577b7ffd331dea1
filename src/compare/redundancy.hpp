#pragma once

#include <span>

#include "sfg/normalise.hpp"
#include "sfg/run_context.hpp"

namespace sfg::detail {

/// Mean squared correlation of two of these features: 0 for none that share anything, 1 for copies.
/// O(k^2 n), no memory beyond some tiles; the digits do not depend on threads.
[[nodiscard]] double redundancy(const UnitFeatures& centred, std::span<const Index> kept,
                                const RunContext& run);

}  // namespace sfg::detail
