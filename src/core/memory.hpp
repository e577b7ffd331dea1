#pragma once

#include <string_view>

#include "sfg/run.hpp"

namespace sfg::detail {

/// Share of the free memory that may be used when no limit is set.
inline constexpr double kSafeMemoryShare = 0.8;

/// Throws over_memory, with the number needed, if `bytes` more than Run::memory_held are over the
/// limit. `what` needs them and `remedy` says what to do ("the affinities of 9,000 samples", "use
/// ... instead").
void require_memory(double bytes, const Run& run, std::string_view what, std::string_view remedy);

}  // namespace sfg::detail
