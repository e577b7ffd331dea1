#pragma once

#include <vector>

#include "select/lars.hpp"

namespace sfg::testing {

/// Far above the rounding of these small problems, far below their coefficients.
inline constexpr double kCloseCoefficient = 1e-8;

inline std::vector<double> dense_coefficients(const detail::LarsStep& step, Index d) {
  std::vector<double> result(static_cast<std::size_t>(d), 0.0);
  for (std::size_t k = 0; k < step.features.size(); ++k) {
    result[step.features[k]] = step.coefficients[k];
  }
  return result;
}

inline detail::LarsPath one_path(const Matrix& x, const DenseMatrix& y,
                                 const detail::LarsOptions& options) {
  return lars(x, y, options, {}).front();
}

}  // namespace sfg::testing
