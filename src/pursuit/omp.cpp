#include <cmath>

#include "core/kernels.hpp"
#include "pursuit/selection.hpp"
#include "pursuit/tolerances.hpp"

namespace sfg::detail {

void omp_candidates(std::span<const double> products, double error_bound,
                    std::vector<Index>& candidates) {
  candidates.clear();
  const double best = max_abs(products.data(), products.size());
  if (best + error_bound <= kScoreFloor) return;
  // The true best is at least best - error; whatever may be within a tie of it is a candidate.
  const double limit = best - 2 * error_bound - kScoreTie;
  for (std::size_t k = 0; k < products.size(); ++k) {
    if (std::fabs(products[k]) >= limit) candidates.push_back(static_cast<Index>(k));
  }
}

}  // namespace sfg::detail
