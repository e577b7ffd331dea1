// Kernels in plain C++, for every processor; also the oracle of the others in the tests.
#include <bit>
#include <cmath>
#include <type_traits>

#include "pursuit/engines/stream/tile.hpp"

namespace sfg::detail {

namespace {

constexpr std::size_t kTargets = 4;
constexpr int kLargest = 127;
constexpr int kOffset = 128;

/// Four unsigned bytes times four signed bytes. Sums may wrap around on the way, see tile.hpp.
std::uint32_t int8_step(std::uint32_t feature, std::uint32_t target) noexcept {
  std::int32_t sum = 0;
  for (unsigned shift = 0; shift < 32; shift += 8) {
    sum += static_cast<std::int32_t>((feature >> shift) & 0xFFU) *
           static_cast<std::int8_t>((target >> shift) & 0xFFU);
  }
  return static_cast<std::uint32_t>(sum);
}

/// Two bfloat16 values, each the upper half of a float.
float bf16_step(std::uint32_t feature, std::uint32_t target) noexcept {
  return std::bit_cast<float>(feature << 16U) * std::bit_cast<float>(target << 16U) +
         std::bit_cast<float>(feature & 0xFFFF0000U) * std::bit_cast<float>(target & 0xFFFF0000U);
}

float f32_step(std::uint32_t feature, std::uint32_t target) noexcept {
  return std::bit_cast<float>(feature) * std::bit_cast<float>(target);
}

float to_float(std::uint32_t sum) noexcept {
  return static_cast<float>(static_cast<std::int32_t>(sum));
}

float to_float(float sum) noexcept {
  return sum;
}

template <typename Sum, Sum (*step)(std::uint32_t, std::uint32_t) noexcept, TileTest kTest>
bool run_group(const TilePanel& panel, const TileTargets& vectors, TileResult& result) noexcept {
  bool any = false;
  for (std::size_t t = 0; t < kTargets; ++t) {
    const std::uint32_t* rows = vectors.words + t;
    Sum sums[kPanelFeatures] = {};
    if constexpr (std::is_integral_v<Sum>) {
      for (Sum& sum : sums) sum = *rows;
      rows += kTargets;
    }
    for (std::size_t g = 0; g < panel.n_words; ++g) {
      const std::uint32_t* features = panel.words + g * kPanelFeatures;
      for (std::size_t k = 0; k < kPanelFeatures; ++k) sums[k] += step(features[k], *rows);
      rows += kTargets;
    }
    const float error = vectors.error[t] * panel.error + vectors.length[t] * panel.length;
    const float limit = vectors.threshold[t] - error;
    std::uint32_t hits = 0;
    std::uint32_t lane_hits = 0;
    for (std::size_t k = 0; k < kPanelFeatures; ++k) {
      const float value = to_float(sums[k]) * panel.scale[k] + panel.along[k] * vectors.along[t];
      result.values[t * kPanelFeatures + k] = value;
      if (std::fabs(value) >= limit) hits |= 1U << k;
      if constexpr (kTest == TileTest::both) {
        const float bound = (std::fabs(value) + (error + vectors.slack[t])) * vectors.unit[t];
        if (bound >= panel.lane_threshold[k]) lane_hits |= 1U << k;
      }
    }
    result.hits[t] = hits;
    result.lane_hits[t] = lane_hits;
    any = any || (hits | lane_hits) != 0;
  }
  return any;
}

template <typename Sum, Sum (*step)(std::uint32_t, std::uint32_t) noexcept, TileTest kTest>
std::size_t run(const TilePanel& panel, const TileTargets* groups, std::size_t n_groups,
                TileResult& result) noexcept {
  std::size_t group = 0;
  while (group < n_groups && !run_group<Sum, step, kTest>(panel, groups[group], result)) ++group;
  return group;
}

}  // namespace

std::vector<TileKernel> portable_tile_kernels() {
  using enum TileTest;
  return {{"f32 portable", Screen::f32, kTargets, 1, 0, 0, 0, 0, run<float, f32_step, targets>,
           run<float, f32_step, both>, 12},
          {"bf16 portable", Screen::bf16, kTargets, 2, 0, 0, 0, 0, run<float, bf16_step, targets>,
           run<float, bf16_step, both>, 9},
          {"int8 portable", Screen::int8, kTargets, 4, kLargest, kLargest, kOffset, 0,
           run<std::uint32_t, int8_step, targets>, run<std::uint32_t, int8_step, both>, 3}};
}

}  // namespace sfg::detail
