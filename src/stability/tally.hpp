#pragma once

#include <vector>

#include "sfg/stability.hpp"

namespace sfg::detail {

/// What the repeats say together: fills in all of `result` but the method and the times.
void tally(const std::vector<StabilityRepeat>& repeats, const StabilityOptions& options,
           StabilityResult& result);

}  // namespace sfg::detail
