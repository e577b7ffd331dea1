// Affinities of all pairs, and the choice between the kinds.
#include "embed/affinity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/memory.hpp"
#include "core/threads.hpp"
#include "embed/pair_keys.hpp"
#include "sfg/error.hpp"

namespace sfg {

namespace {

/// Puts the squared distances of a strip below the diagonal and returns the sum of the distances.
double fill_distances(const detail::SampleProducts& products, Index begin, Index end,
                      DenseMatrix& squared) {
  std::vector<double> strip(static_cast<std::size_t>(end - begin) * static_cast<std::size_t>(end));
  products.strip(begin, end, end, strip.data());
  double sum = 0;
  for (Index i = begin; i < end; ++i) {
    double* row = strip.data() + static_cast<std::ptrdiff_t>(i - begin) * end;
    sum +=
        detail::to_squared_distances(products.squared_length(i), products.squared_lengths().data(),
                                     row, static_cast<std::size_t>(i));
    std::copy_n(row, i, squared.column(i).begin());
  }
  return sum;
}

/// Samples without any weight to another one.
Index count_isolated(const DenseMatrix& weights) {
  Index count = 0;
  for (Index i = 0; i < weights.n_features(); ++i) {
    const auto column = weights.column(i);
    const bool alone = std::ranges::all_of(column.first(static_cast<std::size_t>(i)),
                                           [](double weight) { return weight == 0; }) &&
                       std::ranges::all_of(column.subspan(static_cast<std::size_t>(i) + 1),
                                           [](double weight) { return weight == 0; });
    count += alone ? 1 : 0;
  }
  return count;
}

}  // namespace

namespace detail {

double gauss_weight(double squared_distance, double sigma, GaussExponent exponent) noexcept {
  if (squared_distance == 0) return 1;
  const double above =
      exponent == GaussExponent::distance ? std::sqrt(squared_distance) : squared_distance;
  return std::exp(-above / (2 * sigma * sigma));
}

Affinity gauss_affinity(const SampleProducts& products, const AffinityOptions& options,
                        const RunContext& run) {
  const Index n = products.n_samples();
  constexpr double kDoubleBytes = sizeof(double);
  const double strips = kDoubleBytes * kStripSamples * n * worker_count(run);
  require_memory(kDoubleBytes * n * n + strips, run,
                 fmt::format("the affinity of all pairs of {} samples", n),
                 "raise {memory_limit}, or use only the nearest neighbours ({affinity=heat-knn} or "
                 "{affinity=cosine-knn})");
  Affinity result;
  DenseMatrix weights(n, n);
  std::vector<double> sums(static_cast<std::size_t>(n_strips(n)));
  // The last strips are the longest: begin with them, so that threads end together.
  parallel_for(run, "affinity", n_strips(n), [&](std::int64_t item) {
    const auto strip = n_strips(n) - 1 - static_cast<Index>(item);
    const Index begin = strip * kStripSamples;
    sums[strip] = fill_distances(products, begin, std::min(n, begin + kStripSamples), weights);
  });
  double sum = 0;
  for (const double part : sums) sum += 2 * part;
  result.sigma = sum / (static_cast<double>(n) * n);

  // Entries above the diagonal of a column, then their mirror images.
  parallel_for(run, {}, n, [&](std::int64_t item) {
    const auto i = static_cast<Index>(item);
    for (Index j = 0; j < i; ++j) {
      weights(j, i) = gauss_weight(weights(j, i), result.sigma, options.exponent);
    }
    weights(i, i) = options.diagonal == Diagonal::keep ? 1 : 0;
  });
  parallel_for(run, {}, n_strips(n), [&](std::int64_t item) {
    const Index begin = static_cast<Index>(item) * kStripSamples;
    const Index end = std::min(n, begin + kStripSamples);
    for (Index i = begin + 1; i < n; ++i) {
      for (Index j = begin; j < std::min(i, end); ++j) weights(i, j) = weights(j, i);
    }
  });
  result.n_isolated = count_isolated(weights);
  result.weights = std::move(weights);
  return result;
}

}  // namespace detail

void check(const AffinityOptions& options) {
  check_fields(options);
}

Affinity affinity(const Matrix& data, const AffinityOptions& options, const RunContext& run) {
  check(options);
  const detail::SingleThreadedBlas single_threaded;
  const RunContext run_with_data = detail::while_holding(data, run);
  const detail::SampleProducts products(data, run_with_data);
  Affinity result;
  switch (options.kind) {
    case AffinityKind::gauss:
      result = detail::gauss_affinity(products, options, run_with_data);
      break;
    case AffinityKind::heat_knn:
      result = detail::heat_knn_affinity(products, options, run_with_data);
      break;
    case AffinityKind::cosine_knn:
      result = detail::cosine_knn_affinity(products, options, run_with_data);
      break;
  }
  for (Index i = 0; i < products.n_samples(); ++i) {
    result.n_empty += products.squared_length(i) == 0 ? 1 : 0;
  }
  return result;
}

}  // namespace sfg
