#pragma once

#include <span>
#include <vector>

namespace sfg::detail {

/// Ridge regression of one column on a few others, over the samples in which it was observed:
///   min over w of sum over observed i of (y_i - m - (a_i - c)'w)^2 + ridge w'w,
/// m and c the means of y and of the columns over these samples. All columns have unit length, so
/// that one ridge suits all.
class RidgeOnFew {
 public:
  /// Columns of n values; `gaps` (ascending) are not looked at in y.
  RidgeOnFew(const double* y, std::span<const double* const> columns, std::span<const int> gaps,
             std::size_t n);

  /// With the first `count` columns. False if the equations cannot be solved.
  [[nodiscard]] bool solve(std::size_t count, double ridge);

  /// R^2 of the observed values, each left out of the regression:
  /// e_i / (1 - 1/n - (a_i - c)' G^-1 (a_i - c)) instead of e_i, G = A'A + ridge I.
  [[nodiscard]] double left_out_r2();

  [[nodiscard]] double mean() const noexcept { return mean_; }
  /// What the regression says of one sample.
  [[nodiscard]] double at(std::size_t sample) const;

 private:
  std::span<const double* const> columns_;
  std::size_t n_observed_;
  double mean_ = 0;
  std::vector<double> centres_;
  std::vector<double> values_;    ///< y - mean, observed
  std::vector<double> rows_;      ///< a_i - c, observed, all columns side by side
  std::vector<double> products_;  ///< A'A of all columns
  std::vector<double> right_;     ///< A'y
  std::vector<double> triangle_;  ///< Cholesky factor of G
  std::vector<double> weights_;
};

}  // namespace sfg::detail
