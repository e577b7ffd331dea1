#pragma once

#include <vector>

#include "sfg/matrix.hpp"

namespace sfg::detail {

struct SymmetricEigen {
  std::vector<double> values;  ///< ascending
  DenseMatrix vectors;         ///< one column per value, orthonormal
};

/// The smallest `count` eigenvalues of a symmetric matrix (upper triangle is read) with their
/// vectors, by LAPACK on one thread. Throws internal if LAPACK fails, which it does on infinite
/// values only.
[[nodiscard]] SymmetricEigen smallest_eigen(DenseMatrix matrix, Index count);

}  // namespace sfg::detail
