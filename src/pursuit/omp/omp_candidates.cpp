#include <algorithm>
#include <array>
#include <cmath>

#include "core/kernels.hpp"
#include "pursuit/omp/selection.hpp"
#include "pursuit/omp/tolerances.hpp"

namespace sfg::detail {

template <typename Value>
void omp_candidates(std::span<const Value> products, double error_bound,
                    std::vector<Candidate>& candidates) {
  candidates.clear();
  // The largest of each part first: most parts need no second look.
  constexpr std::size_t kMostParts = 256;
  const std::size_t part = std::max<std::size_t>(64, products.size() / kMostParts + 1);
  std::array<Value, kMostParts> largest;
  Value best = 0;
  std::size_t n_parts = 0;
  for (std::size_t begin = 0; begin < products.size(); begin += part, ++n_parts) {
    largest[n_parts] = max_abs(products.data() + begin, std::min(part, products.size() - begin));
    best = std::max(best, largest[n_parts]);
  }
  if (static_cast<double>(best) + error_bound <= kScoreFloor) return;
  // The true best is at least best - error; whatever may be within a tie of it is a candidate.
  const double limit = static_cast<double>(best) - 2 * error_bound - kScoreTie;
  for (std::size_t p = 0; p < n_parts; ++p) {
    if (static_cast<double>(largest[p]) < limit) continue;
    const std::size_t end = std::min((p + 1) * part, products.size());
    for (std::size_t k = p * part; k < end; ++k) {
      const auto score = static_cast<double>(std::fabs(products[k]));
      if (score >= limit) {
        candidates.push_back({static_cast<Index>(k), float_above(score + error_bound)});
      }
    }
  }
}

template void omp_candidates(std::span<const float>, double, std::vector<Candidate>&);
template void omp_candidates(std::span<const double>, double, std::vector<Candidate>&);

}  // namespace sfg::detail
