#include "core/kernels.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/lanes.hpp"
#include "core/simd.hpp"

namespace sfg::detail {

namespace {

using Lanes = DoubleLanes;
constexpr std::size_t kLanes = 4;

inline __attribute__((always_inline)) Lanes load(const double* from) noexcept {
  return load_lanes<Lanes>(from);
}

inline __attribute__((always_inline)) void store(const Lanes& lanes, double* to) noexcept {
  store_lanes(lanes, to);
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

SFG_SIMD void dot_four(const double* const* columns, const double* v, std::size_t n,
                       double* out) noexcept {
  const double* a = columns[0];
  const double* b = columns[1];
  const double* c = columns[2];
  const double* d = columns[3];
  Lanes a0{};
  Lanes a1{};
  Lanes b0{};
  Lanes b1{};
  Lanes c0{};
  Lanes c1{};
  Lanes d0{};
  Lanes d1{};
  std::size_t i = 0;
  for (; i + 2 * kLanes <= n; i += 2 * kLanes) {
    const Lanes v0 = load(v + i);
    const Lanes v1 = load(v + i + kLanes);
    a0 += load(a + i) * v0;
    a1 += load(a + i + kLanes) * v1;
    b0 += load(b + i) * v0;
    b1 += load(b + i + kLanes) * v1;
    c0 += load(c + i) * v0;
    c1 += load(c + i + kLanes) * v1;
    d0 += load(d + i) * v0;
    d1 += load(d + i + kLanes) * v1;
  }
  double rest[4] = {};
  for (; i < n; ++i) {
    for (std::size_t column = 0; column < 4; ++column) rest[column] += columns[column][i] * v[i];
  }
  const Lanes sums[4] = {a0 + a1, b0 + b1, c0 + c1, d0 + d1};
  for (std::size_t column = 0; column < 4; ++column) {
    const Lanes& sum = sums[column];
    out[column] = ((sum[0] + sum[2]) + (sum[1] + sum[3])) + rest[column];
  }
}

SFG_SIMD void multiply_by_eight(const double* columns, std::size_t n, std::size_t count,
                                const double* vectors, double* out) noexcept {
  std::size_t j = 0;
  for (; j + 4 <= count; j += 4) {
    const double* a = columns + j * n;
    const double* b = a + n;
    const double* c = b + n;
    const double* d = c + n;
    Lanes a0{};
    Lanes a1{};
    Lanes b0{};
    Lanes b1{};
    Lanes c0{};
    Lanes c1{};
    Lanes d0{};
    Lanes d1{};
    for (std::size_t i = 0; i < n; ++i) {
      const Lanes v0 = load(vectors + i * kEight);
      const Lanes v1 = load(vectors + i * kEight + kLanes);
      a0 += v0 * a[i];
      a1 += v1 * a[i];
      b0 += v0 * b[i];
      b1 += v1 * b[i];
      c0 += v0 * c[i];
      c1 += v1 * c[i];
      d0 += v0 * d[i];
      d1 += v1 * d[i];
    }
    double* to = out + j * kEight;
    store(a0, to);
    store(a1, to + kLanes);
    store(b0, to + 2 * kLanes);
    store(b1, to + 3 * kLanes);
    store(c0, to + 4 * kLanes);
    store(c1, to + 5 * kLanes);
    store(d0, to + 6 * kLanes);
    store(d1, to + 7 * kLanes);
  }
  for (; j < count; ++j) {
    Lanes a0{};
    Lanes a1{};
    for (std::size_t i = 0; i < n; ++i) {
      a0 += load(vectors + i * kEight) * columns[j * n + i];
      a1 += load(vectors + i * kEight + kLanes) * columns[j * n + i];
    }
    store(a0, out + j * kEight);
    store(a1, out + j * kEight + kLanes);
  }
}

SFG_SIMD void multiply_by_four(const double* columns, std::size_t n, std::size_t count,
                               const double* vectors, double* out) noexcept {
  std::size_t j = 0;
  for (; j + 6 <= count; j += 6) {
    const double* a = columns + j * n;
    Lanes sum0{};
    Lanes sum1{};
    Lanes sum2{};
    Lanes sum3{};
    Lanes sum4{};
    Lanes sum5{};
    for (std::size_t i = 0; i < n; ++i) {
      const Lanes v = load(vectors + i * kEight);
      sum0 += v * a[i];
      sum1 += v * a[n + i];
      sum2 += v * a[2 * n + i];
      sum3 += v * a[3 * n + i];
      sum4 += v * a[4 * n + i];
      sum5 += v * a[5 * n + i];
    }
    double* to = out + j * kEight;
    store(sum0, to);
    store(sum1, to + kEight);
    store(sum2, to + 2 * kEight);
    store(sum3, to + 3 * kEight);
    store(sum4, to + 4 * kEight);
    store(sum5, to + 5 * kEight);
  }
  for (; j < count; ++j) {
    Lanes sum{};
    for (std::size_t i = 0; i < n; ++i) sum += load(vectors + i * kEight) * columns[j * n + i];
    store(sum, out + j * kEight);
  }
}

SFG_SIMD SquaredDistances squared_distances(const double* a, const double* b,
                                            std::size_t n) noexcept {
  Lanes to0{};
  Lanes to1{};
  Lanes negated0{};
  Lanes negated1{};
  std::size_t i = 0;
  for (; i + 2 * kLanes <= n; i += 2 * kLanes) {
    const Lanes a0 = load(a + i);
    const Lanes b0 = load(b + i);
    const Lanes a1 = load(a + i + kLanes);
    const Lanes b1 = load(b + i + kLanes);
    to0 += (a0 - b0) * (a0 - b0);
    to1 += (a1 - b1) * (a1 - b1);
    negated0 += (a0 + b0) * (a0 + b0);
    negated1 += (a1 + b1) * (a1 + b1);
  }
  SquaredDistances rest{0, 0};
  for (; i < n; ++i) {
    rest.to += (a[i] - b[i]) * (a[i] - b[i]);
    rest.to_negated += (a[i] + b[i]) * (a[i] + b[i]);
  }
  const Lanes to = to0 + to1;
  const Lanes negated = negated0 + negated1;
  return {((to[0] + to[2]) + (to[1] + to[3])) + rest.to,
          ((negated[0] + negated[2]) + (negated[1] + negated[3])) + rest.to_negated};
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

SFG_SIMD void add_four_multiples(const double* factors, const double* const* columns, double* y,
                                 std::size_t n) noexcept {
  const double* a = columns[0];
  const double* b = columns[1];
  const double* c = columns[2];
  const double* d = columns[3];
  std::size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    const Lanes first = load(a + i) * factors[0] + load(b + i) * factors[1];
    const Lanes second = load(c + i) * factors[2] + load(d + i) * factors[3];
    store(load(y + i) + (first + second), y + i);
  }
  for (; i < n; ++i) {
    const double first = a[i] * factors[0] + b[i] * factors[1];
    const double second = c[i] * factors[2] + d[i] * factors[3];
    y[i] += first + second;
  }
}

SFG_SIMD void add_multiple(float factor, const float* x, float* y, std::size_t n) noexcept {
  for (std::size_t i = 0; i < n; ++i) y[i] += factor * x[i];
}

}  // namespace sfg::detail
