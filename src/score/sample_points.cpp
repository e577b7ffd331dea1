#include "score/sample_points.hpp"

#include <cblas.h>

#include <algorithm>
#include <numeric>

#include "core/lapack.hpp"
#include "core/threads.hpp"
#include "normalise/products.hpp"

namespace sfg::detail {

namespace {

/// Features that are multiplied at once, and samples that one worker handles: fixed, since digits
/// may depend on them.
constexpr std::size_t kPointTile = 256;
constexpr Index kPointStrip = 64;

}  // namespace

DenseMatrix values_of_samples(const UnitFeatures& features, std::span<const Index> chosen,
                              std::span<const Index> samples) {
  DenseMatrix values(static_cast<Index>(samples.size()), static_cast<Index>(chosen.size()));
  std::vector<double> column(static_cast<std::size_t>(features.n_samples()));
  for (std::size_t k = 0; k < chosen.size(); ++k) {
    expand(features, chosen[k], column.data());
    const auto to = values.column(static_cast<Index>(k));
    for (std::size_t i = 0; i < samples.size(); ++i) to[i] = column[samples[i]];
  }
  return values;
}

DenseMatrix products_of_samples(const UnitFeatures& features, std::span<const Index> chosen,
                                std::span<const Index> samples, const RunContext& run) {
  const SingleThreadedBlas single_threaded;
  const auto m = static_cast<Index>(samples.size());
  DenseMatrix products(m, m);
  for (std::size_t first = 0; first < chosen.size(); first += kPointTile) {
    const auto tile = chosen.subspan(first, std::min(kPointTile, chosen.size() - first));
    const DenseMatrix values = values_of_samples(features, tile, samples);
    const auto width = static_cast<int>(tile.size());
    const std::int64_t n_strips = (m + kPointStrip - 1) / kPointStrip;
    parallel_for(run, {}, n_strips, [&](std::int64_t strip) {
      // The samples of the strip with those from its first one on: the lower triangle.
      const Index begin = static_cast<Index>(strip) * kPointStrip;
      const Index count = std::min(kPointStrip, m - begin);
      cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, m - begin, count, width, 1.0,
                  values.data() + begin, m, values.data() + begin, m, 1.0,
                  products.data() + static_cast<std::ptrdiff_t>(begin) * m + begin, m);
    });
  }
  for (Index j = 0; j < m; ++j) {
    for (Index i = j + 1; i < m; ++i) products(j, i) = products(i, j);
  }
  return products;
}

DenseMatrix coordinates_of(const DenseMatrix& products) {
  const SingleThreadedBlas single_threaded;
  const int m = products.n_samples();
  DenseMatrix factor = products;
  factor.own();
  std::vector<int> order(static_cast<std::size_t>(m));
  std::vector<double> work(2 * static_cast<std::size_t>(m));
  const double rounding_of_lapack = -1;
  int rank = 0;
  int info = 0;
  dpstrf_("L", &m, factor.data(), &m, order.data(), &rank, &rounding_of_lapack, work.data(), &info);
  DenseMatrix points(m, std::max(1, rank));
  for (Index k = 0; k < rank; ++k) {
    for (Index i = k; i < m; ++i) points(order[i] - 1, k) = factor(i, k);
  }
  return points;
}

}  // namespace sfg::detail
