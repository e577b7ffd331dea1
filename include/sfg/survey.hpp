#pragma once

#include <limits>

#include "sfg/matrix.hpp"

namespace sfg {

/// What one look at all values of a table finds.
struct Survey {
  Offset missing = 0;   ///< cells that are NaN
  Offset infinite = 0;  ///< cells
  Index empty = 0;      ///< features that are all zero
  Index constant = 0;   ///< features with one other value throughout
  /// Of the finite cells; lowest > highest if there is none.
  double lowest = std::numeric_limits<double>::infinity();
  double highest = -std::numeric_limits<double>::infinity();

  [[nodiscard]] bool any_value() const noexcept { return lowest <= highest; }
};

/// Counts what is missing and what does not vary, before anything is done about it. O(stored
/// cells).
[[nodiscard]] Survey survey(const Matrix& matrix);

}  // namespace sfg
