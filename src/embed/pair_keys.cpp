// Compiled without errno for square roots, which no loop could be vectorised with.
#include "embed/pair_keys.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "core/simd.hpp"

namespace sfg::detail {

SFG_SIMD double to_squared_distances(double squared_length, const double* squared_lengths,
                                     double* keys, std::size_t n) noexcept {
  constexpr std::size_t kSums = 8;
  std::array<double, kSums> sums{};
  std::size_t j = 0;
  for (; j + kSums <= n; j += kSums) {
    for (std::size_t lane = 0; lane < kSums; ++lane) {
      const double lengths = squared_length + squared_lengths[j + lane];
      const double squared = lengths - 2 * keys[j + lane];
      const double kept = squared > kDistanceRounding * lengths ? squared : 0.0;
      keys[j + lane] = kept;
      sums[lane] += std::sqrt(kept);
    }
  }
  double sum = 0;
  for (; j < n; ++j) {
    const double lengths = squared_length + squared_lengths[j];
    const double squared = lengths - 2 * keys[j];
    keys[j] = squared > kDistanceRounding * lengths ? squared : 0.0;
    sum += std::sqrt(keys[j]);
  }
  for (const double part : sums) sum += part;
  return sum;
}

SFG_SIMD double to_minus_cosines(double squared_length, const double* squared_lengths, double* keys,
                                 std::size_t n) noexcept {
  constexpr double kNever = std::numeric_limits<double>::infinity();
  for (std::size_t j = 0; j < n; ++j) {
    const double cosine = keys[j] / std::sqrt(squared_length * squared_lengths[j]);
    keys[j] = keys[j] > 0 ? -cosine : kNever;
  }
  return 0;
}

SFG_SIMD std::size_t first_within(const double* keys, double limit, const double* limits,
                                  std::size_t from, std::size_t n) noexcept {
  constexpr std::size_t kLanes = 4;
  using Lanes = double __attribute__((vector_size(32)));
  using Mask = std::int64_t __attribute__((vector_size(32)));
  const Lanes all{limit, limit, limit, limit};
  std::size_t j = from;
  for (; j + kKeysAtOnce <= n; j += kKeysAtOnce) {
    Mask hits{};
    for (std::size_t k = 0; k < kKeysAtOnce; k += kLanes) {
      Lanes key;
      Lanes own;
      std::memcpy(&key, keys + j + k, sizeof key);
      std::memcpy(&own, limits + j + k, sizeof own);
      hits |= (key <= all) | (key <= own);
    }
    if ((hits[0] | hits[1] | hits[2] | hits[3]) != 0) return j;
  }
  while (j < n && !(keys[j] <= limit || keys[j] <= limits[j])) ++j;
  return j;
}

}  // namespace sfg::detail
