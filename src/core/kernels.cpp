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

// Four doubles, one register of AVX2. (Of eight, two such registers, GCC 12 makes a mess.)
using Lanes = double __attribute__((vector_size(32)));
constexpr std::size_t kLanes = 4;

inline __attribute__((always_inline)) Lanes load(const double* from) noexcept {
  Lanes lanes;
  std::memcpy(&lanes, from, sizeof lanes);
  return lanes;
}

template <typename Value>
inline __attribute__((always_inline)) Value largest(const Value* a, std::size_t n) noexcept {
  std::array<Value, 128 / sizeof(Value)> best{};
  std::size_t i = 0;
  for (; i + best.size() <= n; i += best.size()) {
    for (std::size_t lane = 0; lane < best.size(); ++lane) {
      const Value value = std::fabs(a[i + lane]);
      best[lane] = value > best[lane] ? value : best[lane];
    }
  }
  Value result = 0;
  for (; i < n; ++i) result = std::max(result, std::fabs(a[i]));
  for (const Value value : best) result = std::max(result, value);
  return result;
}

}  // namespace

SFG_SIMD double dot(const double* a, const double* b, std::size_t n) noexcept {
  Lanes sum0{};
  Lanes sum1{};
  Lanes sum2{};
  Lanes sum3{};
  std::size_t i = 0;
  for (; i + 4 * kLanes <= n; i += 4 * kLanes) {
    sum0 += load(a + i) * load(b + i);
    sum1 += load(a + i + kLanes) * load(b + i + kLanes);
    sum2 += load(a + i + 2 * kLanes) * load(b + i + 2 * kLanes);
    sum3 += load(a + i + 3 * kLanes) * load(b + i + 3 * kLanes);
  }
  double rest = 0;
  for (; i < n; ++i) rest += a[i] * b[i];
  const Lanes sum = (sum0 + sum2) + (sum1 + sum3);
  return ((sum[0] + sum[2]) + (sum[1] + sum[3])) + rest;
}

SFG_SIMD double max_abs(const double* a, std::size_t n) noexcept {
  return largest(a, n);
}

SFG_SIMD float max_abs(const float* a, std::size_t n) noexcept {
  return largest(a, n);
}

SFG_SIMD void add_multiple(double factor, const double* x, double* y, std::size_t n) noexcept {
  for (std::size_t i = 0; i < n; ++i) y[i] += factor * x[i];
}

SFG_SIMD void add_multiple(float factor, const float* x, float* y, std::size_t n) noexcept {
  for (std::size_t i = 0; i < n; ++i) y[i] += factor * x[i];
}

}  // namespace sfg::detail
