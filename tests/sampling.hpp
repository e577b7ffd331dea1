#pragma once

#include <cstdint>

namespace sfg::testing {

/// Sanitizers make everything many times slower, and what they look for shows at any of many
/// similar places. Tests that try all of these in the other builds try a sample here.
#ifdef SFG_SANITIZED_BUILD
inline constexpr bool kSampled = true;
#else
inline constexpr bool kSampled = false;
#endif
/// Draws of a table, where one draw is much like another.
inline constexpr std::uint64_t kDraws = kSampled ? 3 : 12;

}  // namespace sfg::testing
