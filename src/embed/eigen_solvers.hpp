#pragma once

#include <vector>

#include "embed/normalised_affinity.hpp"

namespace sfg::detail {

/// Eigenvectors of unit length with their values, largest first.
struct EigenPairs {
  std::vector<double> values;
  std::vector<std::vector<double>> vectors;
};

/// Attempts of one Lanczos search.
struct LanczosOutcome {
  EigenPairs pairs;
  bool converged = false;
  int n_solves = 0;
};

/// The `count` largest eigenvalues of what the operator multiplies by, 1 <= count < n, with copies
/// of multiple eigenvalues. The operator comes back with the vectors found pushed away.
[[nodiscard]] LanczosOutcome lanczos_eigenpairs(NormalisedAffinity& matrix, Index count);

}  // namespace sfg::detail
