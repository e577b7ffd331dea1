#include "groups/float_features.hpp"

#include <algorithm>

#include "core/lanes.hpp"
#include "core/simd.hpp"
#include "groups/joint_gain.hpp"

namespace sfg::detail {

namespace {

/// Columns are filled up to whole registers.
constexpr std::size_t kStep = 16;
/// What rounding to float costs, relatively.
constexpr double kFloatRounding = 0x1p-24;
/// For products of roundings, and values too small to be rounded relatively.
constexpr double kHigherOrder = 1.1;

inline __attribute__((always_inline)) FloatLanes load_floats(const float* from) noexcept {
  return load_lanes<FloatLanes>(from);
}

inline __attribute__((always_inline)) float sum_of(const FloatLanes& all) noexcept {
  HalfFloatLanes low;
  HalfFloatLanes high;
  split(all, low, high);
  const HalfFloatLanes lanes = low + high;
  return ((lanes[0] + lanes[4]) + (lanes[1] + lanes[5])) +
         ((lanes[2] + lanes[6]) + (lanes[3] + lanes[7]));
}

std::size_t filled_up(std::size_t n) noexcept {
  return (n + kStep - 1) / kStep * kStep;
}

}  // namespace

FloatFeatures::FloatFeatures(const UnitFeatures& features, const RunContext& run)
    : n_(static_cast<std::size_t>(features.n_samples())),
      stride_(filled_up(n_)),
      values_(stride_ * static_cast<std::size_t>(features.n_features()), 0.0F) {
  const auto& dense = std::get<DenseMatrix>(features.matrix);
  for_each_feature_block(features, run, [&](Index first, Index count) {
    for (Index j = first; j < first + count; ++j) {
      const auto column = dense.column(j);
      std::ranges::transform(column, values_.data() + static_cast<std::size_t>(j) * stride_,
                             [](double value) { return static_cast<float>(value); });
    }
  });
}

double FloatFeatures::bytes(const UnitFeatures& features) noexcept {
  return static_cast<double>(filled_up(static_cast<std::size_t>(features.n_samples()))) *
         sizeof(float) * features.n_features();
}

std::vector<float> FloatFeatures::rounded(std::span<const double> vector) const {
  std::vector<float> result(stride_, 0.0F);
  std::ranges::transform(vector, result.begin(),
                         [](double value) { return static_cast<float>(value); });
  return result;
}

double FloatFeatures::product_error() const noexcept {
  return kHigherOrder * kFloatRounding * static_cast<double>(n_ + 4);
}

double FloatFeatures::lane_error() const noexcept {
  constexpr std::size_t kOtherSteps = 8;  // rounding both, adding up the lanes, and slack
  return kHigherOrder * kFloatRounding * static_cast<double>(stride_ / kStep + kOtherSteps);
}

SFG_SIMD void multiply_with_two(const float* columns, std::size_t stride, std::size_t count,
                                const float* u, const float* v, TwoProducts* out) noexcept {
  // Two columns at once: what is read of u and v serves both.
  for (std::size_t j = 0; j < count; j += 2) {
    const bool is_pair = j + 1 < count;
    const float* first = columns + j * stride;
    const float* second = is_pair ? first + stride : first;
    FloatLanes first_u{};
    FloatLanes first_v{};
    FloatLanes second_u{};
    FloatLanes second_v{};
    for (std::size_t i = 0; i < stride; i += kStep) {
      const FloatLanes with_u = load_floats(u + i);
      const FloatLanes with_v = load_floats(v + i);
      const FloatLanes one = load_floats(first + i);
      const FloatLanes other = load_floats(second + i);
      first_u += one * with_u;
      first_v += one * with_v;
      second_u += other * with_u;
      second_v += other * with_v;
    }
    out[j] = {sum_of(first_u), sum_of(first_v)};
    if (is_pair) out[j + 1] = {sum_of(second_u), sum_of(second_v)};
  }
}

}  // namespace sfg::detail
