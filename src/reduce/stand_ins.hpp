#pragma once

#include "sfg/reduce.hpp"

namespace sfg::detail {

/// Reduction::stand_ins. One pass over the members of every group of two or more.
void find_stand_ins(const UnitFeatures& centred, const RunContext& run, Reduction& reduction);

}  // namespace sfg::detail
