#pragma once

#include <optional>
#include <vector>

#include "sfg/matrix.hpp"

namespace sfg::detail {

struct SymmetricEigen {
  std::vector<double> values;  ///< ascending
  DenseMatrix vectors;         ///< one column per value, orthonormal
};

/// Which end of the spectrum.
enum class Eigenvalues { smallest, largest };

/// Some eigenvalues of a symmetric matrix (upper triangle is read) with their vectors, by LAPACK on
/// one thread; count <= n. Nothing if LAPACK fails, which it does on infinite values only.
[[nodiscard]] std::optional<SymmetricEigen> symmetric_eigen(DenseMatrix matrix, Eigenvalues which,
                                                            Index count);

}  // namespace sfg::detail
