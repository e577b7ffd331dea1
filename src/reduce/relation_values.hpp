#pragma once

#include <span>
#include <vector>

#include "sfg/combination.hpp"
#include "sfg/matrix.hpp"
#include "sfg/transform.hpp"

namespace sfg::detail {

/// A feature's values, one per sample.
[[nodiscard]] std::vector<double> values_of(const Matrix& matrix, Index feature);

/// On the scale, for those that work row by row; NaN where it has none (log1p of -2).
[[nodiscard]] double on_row_scale(double value, Transform how);

/// How finely a column is written: 20.5, 7.1 have tenths, 1.23e-5 and 123000 three digits, and
/// numbers that came through single precision its 24 bits.
class Digits {
 public:
  Digits() = default;
  explicit Digits(std::span<const double> values);

  /// Half of the last digit of a value.
  [[nodiscard]] double rounding(double value) const;

 private:
  int significant_ = 0;  ///< 0: full precision, then only `relative_` counts
  double step_ = 0;
  double relative_ = 0;
};

/// feature - combination by sample, NaN where one of the values is not finite.
struct Residuals {
  std::vector<double> value;
  std::vector<double> size;      ///< of the largest number that it is a difference of
  std::vector<double> rounding;  ///< that the digits allow; none without digits
};

/// Columns in the order target, terms. `digits` has one per column, or none at all.
[[nodiscard]] Residuals residuals_of(const Combination& combination, const Matrix& matrix,
                                     std::span<const Index> columns, std::span<const Digits> digits,
                                     Transform how);

/// Rounding of double numbers, as a share of the largest one in a sum.
inline constexpr double kDoubleRounding = 1e-12;

}  // namespace sfg::detail
