// What the Laplacian score and SPEC have in common: features as functions on the graph of samples.
#include <algorithm>

#include "core/kernels.hpp"
#include "core/threads.hpp"
#include "select/columns.hpp"
#include "select/selectors.hpp"

namespace sfg::detail {

namespace {

/// x'W x
double quadratic_form(const Columns& weights, const std::vector<double>& x) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (x[i] != 0) sum += x[i] * weights.product(static_cast<Index>(i), x.data());
  }
  return sum;
}

}  // namespace

std::vector<double> degrees(const Matrix& weights) {
  const Columns columns(weights);
  const std::vector<double> ones(static_cast<std::size_t>(columns.n_samples()), 1.0);
  std::vector<double> result(ones.size());
  for (std::size_t i = 0; i < result.size(); ++i) {
    result[i] = columns.product(static_cast<Index>(i), ones.data());
  }
  return result;
}

std::vector<Smoothness> smoothness(const Matrix& features, const Matrix& weights,
                                   const RunContext& run) {
  const Columns columns(features);
  const Columns graph(weights);
  const std::vector<double> degree = degrees(weights);
  double total = 0;
  for (const double d : degree) total += d;
  const auto n = static_cast<std::size_t>(columns.n_samples());
  std::vector<std::vector<double>> scratch(static_cast<std::size_t>(worker_count(run)),
                                           std::vector<double>(n));
  std::vector<Smoothness> result(static_cast<std::size_t>(columns.n_features()));
  parallel_for_workers(run, "scores", columns.n_features(), [&](std::int64_t item, int worker) {
    Smoothness& one = result[item];
    std::vector<double>& x = scratch[worker];
    columns.copy(static_cast<Index>(item), x);
    const double mean = total > 0 ? dot(x.data(), degree.data(), n) / total : 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      one.power += degree[i] * x[i] * x[i];
      x[i] -= mean;
      one.spread += degree[i] * x[i] * x[i];
    }
    // L 1 = 0, so the mean may be taken off first: less is lost in the difference.
    one.variation = std::max(0.0, one.spread - quadratic_form(graph, x));
  });
  return result;
}

}  // namespace sfg::detail
