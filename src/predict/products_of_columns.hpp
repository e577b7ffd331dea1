#pragma once

#include <cblas.h>

#include <algorithm>
#include <cstddef>

// Matrices by column, as BLAS multiplies them; empty ones too.
namespace sfg::detail {

/// A size as BLAS takes it.
[[nodiscard]] inline int as_int(std::size_t size) noexcept {
  return static_cast<int>(size);
}

/// out (rows x columns) = a (rows x inner) b (inner x columns).
inline void multiply(std::size_t rows, std::size_t columns, std::size_t inner, const double* a,
                     const double* b, double* out) {
  if (rows == 0 || columns == 0) return;
  if (inner == 0) {
    std::fill_n(out, rows * columns, 0.0);
    return;
  }
  cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, as_int(rows), as_int(columns),
              as_int(inner), 1.0, a, as_int(rows), b, as_int(inner), 0.0, out, as_int(rows));
}

/// out (columns_a x columns_b) = a' b over `rows`.
inline void multiply_transposed(std::size_t rows, std::size_t columns_a, std::size_t columns_b,
                                const double* a, const double* b, double* out) {
  if (columns_a == 0 || columns_b == 0) return;
  cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, as_int(columns_a), as_int(columns_b),
              as_int(rows), 1.0, a, as_int(rows), b, as_int(rows), 0.0, out, as_int(columns_a));
}

}  // namespace sfg::detail
