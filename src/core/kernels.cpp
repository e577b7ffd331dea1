#include "core/kernels.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "core/simd.hpp"

namespace sfg::detail {

namespace {

// The helpers below are always inlined: how a vector would be passed between functions is no
// matter.
#pragma GCC diagnostic ignored "-Wpsabi"

// Eight doubles that the compiler maps to one, two or four registers.
using Lanes = double __attribute__((vector_size(64)));
constexpr std::size_t kLanes = 8;

inline __attribute__((always_inline)) Lanes load(const double* from) noexcept {
  Lanes lanes;
  std::memcpy(&lanes, from, sizeof lanes);
  return lanes;
}

/// Adds two groups of lanes and then neighbours, always in the same order.
inline __attribute__((always_inline)) double total(Lanes low, Lanes high) noexcept {
  const Lanes both = low + high;
  return ((both[0] + both[4]) + (both[2] + both[6])) + ((both[1] + both[5]) + (both[3] + both[7]));
}

}  // namespace

SFG_SIMD double dot(const double* a, const double* b, std::size_t n) noexcept {
  Lanes low{};
  Lanes high{};
  std::size_t i = 0;
  for (; i + 2 * kLanes <= n; i += 2 * kLanes) {
    low += load(a + i) * load(b + i);
    high += load(a + i + kLanes) * load(b + i + kLanes);
  }
  double rest = 0;
  for (; i < n; ++i) rest += a[i] * b[i];
  return total(low, high) + rest;
}

SFG_SIMD double max_abs(const double* a, std::size_t n) noexcept {
  std::array<double, 2 * kLanes> best{};
  std::size_t i = 0;
  for (; i + best.size() <= n; i += best.size()) {
    for (std::size_t lane = 0; lane < best.size(); ++lane) {
      const double value = std::fabs(a[i + lane]);
      best[lane] = value > best[lane] ? value : best[lane];
    }
  }
  double result = 0;
  for (; i < n; ++i) result = std::max(result, std::fabs(a[i]));
  for (const double value : best) result = std::max(result, value);
  return result;
}

SFG_SIMD void add_multiple(double factor, const double* x, double* y, std::size_t n) noexcept {
  for (std::size_t i = 0; i < n; ++i) y[i] += factor * x[i];
}

}  // namespace sfg::detail
