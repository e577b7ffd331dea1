#include "groups/float_features.hpp"

#include <algorithm>
#include <cstring>

#include "core/simd.hpp"
#include "groups/joint_gain.hpp"

namespace sfg::detail {

namespace {

#pragma GCC diagnostic ignored "-Wpsabi"

/// Eight floats, one register of AVX2.
using FloatLanes = float __attribute__((vector_size(32)));
constexpr std::size_t kFloatLanes = 8;
/// Columns are filled up to whole steps of the loop in multiply_with_two.
constexpr std::size_t kStep = 2 * kFloatLanes;
/// What rounding to float costs, relatively.
constexpr double kFloatRounding = 0x1p-24;
/// For products of roundings, and values too small to be rounded relatively.
constexpr double kHigherOrder = 1.1;

inline __attribute__((always_inline)) FloatLanes load_floats(const float* from) noexcept {
  FloatLanes lanes;
  std::memcpy(&lanes, from, sizeof lanes);
  return lanes;
}

inline __attribute__((always_inline)) float sum_of(const FloatLanes& lanes) noexcept {
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
  for (std::size_t j = 0; j < count; ++j) {
    const float* column = columns + j * stride;
    FloatLanes u0{};
    FloatLanes u1{};
    FloatLanes v0{};
    FloatLanes v1{};
    for (std::size_t i = 0; i < stride; i += kStep) {
      const FloatLanes left = load_floats(column + i);
      const FloatLanes right = load_floats(column + i + kFloatLanes);
      u0 += left * load_floats(u + i);
      u1 += right * load_floats(u + i + kFloatLanes);
      v0 += left * load_floats(v + i);
      v1 += right * load_floats(v + i + kFloatLanes);
    }
    out[j] = {sum_of(u0 + u1), sum_of(v0 + v1)};
  }
}

}  // namespace sfg::detail
