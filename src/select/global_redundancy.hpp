#pragma once

#include <span>
#include <vector>

#include "select/columns.hpp"
#include "select/selectors.hpp"

namespace sfg::detail {

/// The nearest point with values >= 0 and sum 1.
void project_on_simplex(std::vector<double>& values);

/// A z with A_ij = (f_i'f_j)^2: for every feature f_j the sum over i of z_i (f_i'f_j)^2, z >= 0.
/// A is never formed: O(n d min(n, positive z)), and n times that minimum of memory. The bits do
/// not depend on the threads.
[[nodiscard]] std::vector<double> squared_cosine_sums(const Matrix& features,
                                                      std::span<const double> weights,
                                                      const RunContext& run);

/// z >= 0 with sum 1 for the least weight z'A z - scores'z.
struct SimplexSolution {
  std::vector<double> z;
  std::vector<double> gradient;  ///< 2 weight A z - scores
  double multiplier = 0;         ///< gradient'z: the gradient of all positive z, at the minimum
  /// multiplier - least gradient: the objective is no farther than that above its minimum.
  double gap = 0;
  int n_rounds = 0;
  bool converged = false;  ///< the gap is small enough
};
[[nodiscard]] SimplexSolution minimise_redundancy(const Matrix& features,
                                                  const std::vector<double>& scores, double weight,
                                                  const RunContext& run);

}  // namespace sfg::detail
