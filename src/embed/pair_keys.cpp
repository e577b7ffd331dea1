// Compiled without errno for square roots, which no loop could be vectorised with.
#include "embed/pair_keys.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

#include "core/lanes.hpp"
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
  constexpr std::size_t kLanes = kRegisterBytes / sizeof(double);
  using Lanes = double __attribute__((vector_size(kRegisterBytes)));
  using Mask = std::int64_t __attribute__((vector_size(kRegisterBytes)));
  const Lanes all = Lanes{} + limit;
  std::size_t j = from;
  for (; j + kKeysAtOnce <= n; j += kKeysAtOnce) {
    Mask hits{};
    for (std::size_t k = 0; k < kKeysAtOnce; k += kLanes) {
      const auto key = load_lanes<Lanes>(keys + j + k);
      hits |= (key <= all) | (key <= load_lanes<Lanes>(limits + j + k));
    }
    std::int64_t any = 0;
    for (std::size_t lane = 0; lane < kLanes; ++lane) any |= hits[lane];
    if (any != 0) return j;
  }
  while (j < n && !(keys[j] <= limit || keys[j] <= limits[j])) ++j;
  return j;
}

}  // namespace sfg::detail
