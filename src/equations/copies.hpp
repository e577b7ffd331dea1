#pragma once

#include <span>
#include <vector>

#include "sfg/normalise.hpp"
#include "sfg/run_context.hpp"

namespace sfg::detail {

/// For every feature the one that stands for it and all its copies (equal up to sign, scale and
/// rounding): the one with the lowest `preference`, then the lowest index. Itself where it has no
/// copy; -1 for features without direction.
[[nodiscard]] std::vector<Index> find_copies(const UnitFeatures& centred,
                                             std::span<const int> preference,
                                             const RunContext& run);

}  // namespace sfg::detail
