// Liu, Zhang: Sparsity score: a new filter feature selection method based on graph (2012).
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/kernels.hpp"
#include "core/memory.hpp"
#include "core/symmetric_eigen.hpp"
#include "core/threads.hpp"
#include "select/columns.hpp"
#include "select/fsasl_steps.hpp"
#include "select/sample_gram.hpp"
#include "select/selectors.hpp"
#include "sfg/error.hpp"

namespace sfg::detail {

namespace {

/// Directions of the samples whose share in the largest eigenvalue of their products is smaller are
/// rounding.
constexpr double kSampleRangeShare = 1e-12;
/// n x n matrices at once; each worker has one more.
constexpr double kSparsityMatrices = 4;

/// The samples as points with the same products in as few dimensions as they span, one per column.
DenseMatrix sample_coordinates(const Matrix& features, const RunContext& run) {
  const std::vector<double> ones(static_cast<std::size_t>(n_features(features)), 1.0);
  const Index n = n_samples(features);
  const auto eigen = symmetric_eigen(sample_gram(features, ones, run), Eigenvalues::largest, n);
  if (!eigen) throw Error(ErrorCode::internal, "LAPACK found no eigenvectors");
  std::vector<Index> used;
  for (Index k = 0; k < n; ++k) {
    if (eigen->values[k] > kSampleRangeShare * eigen->values.back()) used.push_back(k);
  }
  DenseMatrix points(static_cast<Index>(used.size()), n);
  for (Index k = 0; k < points.n_samples(); ++k) {
    const double scale = std::sqrt(eigen->values[used[k]]);
    for (Index i = 0; i < n; ++i) points(k, i) = scale * eigen->vectors(i, used[k]);
  }
  return points;
}

}  // namespace

SparseRows sparse_representation(const Matrix& features, double share, const RunContext& run) {
  const DenseMatrix points = sample_coordinates(features, run);
  const Index n = points.n_features();
  const auto length = static_cast<std::size_t>(points.n_samples());
  double sum = 0;
  for (Index i = 0; i < n; ++i) {
    double largest = 0;
    for (Index j = 0; j < n; ++j) {
      if (j == i) continue;
      const double product = dot(points.column(i).data(), points.column(j).data(), length);
      largest = std::max(largest, std::fabs(product));
    }
    sum += 2 * largest;
  }
  SparseRows rows(static_cast<std::size_t>(n));
  represent_samples(points, share * sum / n, rows, run);
  return rows;
}

/// score = sum_i (x_i - sum_j s_ij x_j)^2 / sum_i (x_i - mean)^2: small if the feature is what the
/// samples that represent a sample say.
void select_by_sparsity_score(const Matrix& features, const SelectOptions& options,
                              const RunContext& run, SelectResult& result) {
  const double n = n_samples(features);
  require_memory(sizeof(double) * n * n * (kSparsityMatrices + worker_count(run)), run,
                 "the sparsity score", "raise {memory_limit} or lower {threads}");
  const SparseRows graph = sparse_representation(features, options.redundancy.sparsity, run);
  const Columns columns(features);
  const std::vector<Spread> spreads = spreads_of(columns, run);
  result.order = ScoreOrder::smallest_first;
  result.scores.assign(spreads.size(), std::numeric_limits<double>::infinity());
  std::vector<std::vector<double>> scratch(static_cast<std::size_t>(worker_count(run)));
  parallel_for_workers(run, {}, columns.n_features(), [&](std::int64_t item, int worker) {
    if (spreads[item].length == 0) return;
    auto& x = scratch[worker];
    x.resize(graph.size());
    columns.copy(static_cast<Index>(item), x);
    double loss = 0;
    for (std::size_t i = 0; i < graph.size(); ++i) {
      double rest = x[i];
      for (std::size_t k = 0; k < graph[i].places.size(); ++k) {
        rest -= graph[i].values[k] * x[graph[i].places[k]];
      }
      loss += rest * rest;
    }
    result.scores[item] = loss / (spreads[item].length * spreads[item].length);
  });
  select_by_scores(options, result);
}

}  // namespace sfg::detail
