#pragma once

#include <limits>

#include "reference.hpp"
#include "sfg/matrix.hpp"

namespace sfg::testing {

inline constexpr double kGap = std::numeric_limits<double>::quiet_NaN();

/// Takes cells out by a rule of small numbers: about `percent` of them, in no order.
inline DenseMatrix with_holes(DenseMatrix table, unsigned percent, unsigned seed) {
  unsigned state = seed * 2654435761U + 12345U;
  for (Index j = 0; j < table.n_features(); ++j) {
    for (Index i = 0; i < table.n_samples(); ++i) {
      state = state * 1664525U + 1013904223U;
      if ((state >> 8) % 100 < percent) table(i, j) = kGap;
    }
  }
  return table;
}

/// Families of near-copies: 0-2, 3-5, ...; the last column is the sum of columns 0 and 3.
inline DenseMatrix families(Index n, Index n_families, unsigned seed) {
  const DenseMatrix drawn = random_matrix(n, 4 * n_families, seed);
  DenseMatrix table(n, 3 * n_families + 1);
  for (Index i = 0; i < n; ++i) {
    for (Index f = 0; f < n_families; ++f) {
      for (Index k = 0; k < 3; ++k) {
        table(i, 3 * f + k) = drawn(i, 4 * f) + 0.05 * k * drawn(i, 4 * f + k + 1);
      }
    }
    table(i, 3 * n_families) = table(i, 0) + table(i, 3);
  }
  return table;
}

}  // namespace sfg::testing
