#pragma once

#include <cmath>
#include <limits>

#include "sfg/matrix.hpp"

namespace sfg::detail {

/// An atom that may be the best one.
struct Candidate {
  Index feature = 0;
  float upper = 0;  ///< its score is at most this
};

/// More than a rounding to float can change a value, relative and (near zero) absolute.
inline constexpr double kFloatMargin = 0x1p-22;
inline constexpr double kSmallestFloat = std::numeric_limits<float>::min();

/// A float that is surely not below, or not above, a value: a bound that is rounded stays a bound.
[[nodiscard]] inline float float_above(double value) noexcept {
  return static_cast<float>(value + (std::fabs(value) * kFloatMargin + kSmallestFloat));
}
[[nodiscard]] inline float float_below(double value) noexcept {
  return static_cast<float>(value - (std::fabs(value) * kFloatMargin + kSmallestFloat));
}

}  // namespace sfg::detail
