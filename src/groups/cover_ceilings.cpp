#include "groups/cover_ceilings.hpp"

#include <cblas.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>

#include "core/simd.hpp"
#include "core/threads.hpp"

namespace sfg::detail {

namespace {

/// Features that are multiplied with as many others at once, and columns gathered for all tiles.
constexpr std::size_t kCeilingTile = 384;
constexpr std::size_t kGathered = 16 * kCeilingTile;
/// Rounding of |r|, of its square and of differences, all of numbers up to 1: each costs 2^-24.
constexpr float kLookRounding = 0x1p-21F;
/// Adding kCeilingTile floats, and a product with this number, makes a sum too high by less.
constexpr double kSumRounding = 1 - 2.0 * kCeilingTile * 0x1p-24;

/// falls[k] += what c of feature k falls by: see CoverCeilings. One row: products with one feature.
SFG_SIMD void add_falls(const float* products, std::size_t count, float error, float covered,
                        float rise, float* falls) noexcept {
  for (std::size_t k = 0; k < count; ++k) {
    const float r = std::max(0.0F, std::fabs(products[k]) - error);
    falls[k] += std::min(std::max(0.0F, r * r - covered), rise);
  }
}

/// Sum over k of min(r_k^2, rise_k): what c of one feature falls by from b = 0.
SFG_SIMD float sum_of_falls(const float* products, std::size_t count, float error,
                            const float* rises) noexcept {
  constexpr std::size_t kSums = 16;
  std::array<float, kSums> sums{};
  for (std::size_t k = 0; k < count; k += kSums) {
    const std::size_t width = std::min(kSums, count - k);
    for (std::size_t lane = 0; lane < width; ++lane) {
      const float r = std::max(0.0F, std::fabs(products[k + lane]) - error);
      sums[lane] += std::min(r * r, rises[k + lane]);
    }
  }
  return std::accumulate(sums.begin(), sums.end(), 0.0F);
}

/// Sums of whole steps do not depend on their order. Rounded down.
constexpr double kFallSteps = 0x1p32;
std::int64_t steps_of_fall(float fall) noexcept {
  return static_cast<std::int64_t>(kSumRounding * kFallSteps * fall);
}

float rounded_down(double rise) noexcept {
  return std::max(0.0F, std::nextafter(static_cast<float>(rise), -1.0F));
}

}  // namespace

CoverCeilings::CoverCeilings(const FloatFeatures& rounded, std::vector<double> c,
                             const RunContext& run)
    : rounded_(rounded), run_(run), c_(std::move(c)), b_(c_.size(), 0.0) {}

double CoverCeilings::bytes(const UnitFeatures& features, const RunContext& run) {
  const double n_workers = worker_count(run);
  return FloatFeatures::bytes(features) / features.n_features() * kGathered +
         sizeof(float) * n_workers * static_cast<double>(kCeilingTile * kCeilingTile) +
         sizeof(std::int64_t) * n_workers * features.n_features();
}

std::size_t CoverCeilings::n_risen(const std::vector<double>& b) const {
  std::size_t count = 0;
  for (std::size_t i = 0; i < b.size(); ++i) count += static_cast<std::size_t>(b[i] > b_[i]);
  return count;
}

CoverCeilings::Risen CoverCeilings::gather(const std::vector<Index>& features,
                                           const std::vector<double>& b) const {
  Risen risen;
  risen.columns.resize(features.size() * rounded_.stride());
  for (std::size_t k = 0; k < features.size(); ++k) {
    const auto i = static_cast<std::size_t>(features[k]);
    std::copy_n(rounded_.column(i), rounded_.stride(),
                risen.columns.data() + k * rounded_.stride());
    risen.covered.push_back(std::nextafter(static_cast<float>(b_[i]), 4.0F));
    risen.rise.push_back(rounded_down(b[i] - b_[i]));
  }
  return risen;
}

void CoverCeilings::lower_by(const Risen& risen) {
  const auto stride = static_cast<int>(rounded_.stride());
  const auto error = static_cast<float>(rounded_.product_error()) + kLookRounding;
  const std::size_t n_tiles = (c_.size() + kCeilingTile - 1) / kCeilingTile;
  parallel_for(run_, {}, static_cast<std::int64_t>(n_tiles), [&](std::int64_t tile) {
    const std::size_t first = static_cast<std::size_t>(tile) * kCeilingTile;
    const std::size_t width = std::min(kCeilingTile, c_.size() - first);
    std::vector<float> products(kCeilingTile * width);
    std::vector<float> falls(width);
    for (std::size_t start = 0; start < risen.rise.size(); start += kCeilingTile) {
      check_stop(run_);
      const std::size_t count = std::min(kCeilingTile, risen.rise.size() - start);
      cblas_sgemm(CblasColMajor, CblasTrans, CblasNoTrans, static_cast<int>(width),
                  static_cast<int>(count), stride, 1.0F, rounded_.column(first), stride,
                  risen.columns.data() + start * rounded_.stride(), stride, 0.0F, products.data(),
                  static_cast<int>(width));
      std::ranges::fill(falls, 0.0F);
      for (std::size_t k = 0; k < count; ++k) {
        add_falls(products.data() + k * width, width, error, risen.covered[start + k],
                  risen.rise[start + k], falls.data());
      }
      for (std::size_t k = 0; k < width; ++k) c_[first + k] -= kSumRounding * falls[k];
    }
  });
}

void CoverCeilings::lower_from_nothing(const std::vector<double>& b) {
  const auto stride = static_cast<int>(rounded_.stride());
  const auto error = static_cast<float>(rounded_.product_error()) + kLookRounding;
  const std::size_t n_tiles = (c_.size() + kCeilingTile - 1) / kCeilingTile;
  std::vector<float> rises(b.size());
  for (std::size_t i = 0; i < b.size(); ++i) rises[i] = rounded_down(b[i] - b_[i]);
  std::vector<std::vector<std::int64_t>> sums(static_cast<std::size_t>(worker_count(run_)));
  const auto compare = [&](std::size_t rows, std::size_t columns, std::vector<std::int64_t>& sum) {
    const std::size_t n_rows = std::min(kCeilingTile, c_.size() - rows);
    const std::size_t width = std::min(kCeilingTile, c_.size() - columns);
    std::vector<float> products(n_rows * width);
    std::vector<float> falls(width);
    cblas_sgemm(CblasColMajor, CblasTrans, CblasNoTrans, static_cast<int>(width),
                static_cast<int>(n_rows), stride, 1.0F, rounded_.column(columns), stride,
                rounded_.column(rows), stride, 0.0F, products.data(), static_cast<int>(width));
    for (std::size_t t = 0; t < n_rows; ++t) {
      const float* row = products.data() + t * width;
      add_falls(row, width, error, 0, rises[rows + t], falls.data());
      // Within one tile each pair is met twice.
      if (rows == columns) continue;
      sum[rows + t] += steps_of_fall(sum_of_falls(row, width, error, rises.data() + columns));
    }
    for (std::size_t k = 0; k < width; ++k) sum[columns + k] += steps_of_fall(falls[k]);
  };
  parallel_for_workers(run_, {}, static_cast<std::int64_t>(n_tiles),
                       [&](std::int64_t item, int worker) {
                         auto& sum = sums[static_cast<std::size_t>(worker)];
                         sum.resize(c_.size(), 0);
                         // The longest first.
                         const std::size_t tile = n_tiles - 1 - static_cast<std::size_t>(item);
                         for (std::size_t other = 0; other <= tile; ++other) {
                           check_stop(run_);
                           compare(tile * kCeilingTile, other * kCeilingTile, sum);
                         }
                       });
  for (const auto& sum : sums) {
    for (std::size_t j = 0; j < sum.size(); ++j) c_[j] -= static_cast<double>(sum[j]) / kFallSteps;
  }
}

void CoverCeilings::lower(const std::vector<double>& b) {
  if (!std::exchange(is_lowered_, true)) {
    lower_from_nothing(b);
    b_ = b;
    return;
  }
  std::vector<Index> some;
  for (std::size_t i = 0; i < b.size(); ++i) {
    if (b[i] > b_[i]) some.push_back(static_cast<Index>(i));
    if (some.size() == kGathered || (i + 1 == b.size() && !some.empty())) {
      lower_by(gather(some, b));
      some.clear();
    }
  }
  b_ = b;
}

}  // namespace sfg::detail
