// Cai, Zhang, He: Unsupervised feature selection for multi-cluster data (2010).
#include <algorithm>
#include <cmath>

#include "core/kernels.hpp"
#include "core/memory.hpp"
#include "select/lars.hpp"
#include "select/selectors.hpp"
#include "select/tolerances.hpp"

namespace sfg::detail {

namespace {

/// Eigenvectors 2, 3, ... of D^-1/2 W D^-1/2, rows multiplied by D^-1/2: the solutions of
/// (D - W) y = lambda D y with the smallest lambda, the trivial one left out.
DenseMatrix responses_of(const Eigenmap& map, Index n_samples) {
  std::vector<Index> used;
  for (std::size_t k = 1; k < map.values.size(); ++k) {
    if (std::fabs(map.values[k]) >= kSmallestEigenvalue) used.push_back(static_cast<Index>(k));
  }
  DenseMatrix responses(n_samples, static_cast<Index>(used.size()));
  for (Index r = 0; r < responses.n_features(); ++r) {
    const auto from = map.vectors.column(used[r]);
    const auto to = responses.column(r);
    for (std::size_t i = 0; i < to.size(); ++i) {
      to[i] = map.degree[i] > 0 ? from[i] / std::sqrt(map.degree[i]) : 0.0;
    }
  }
  return responses;
}

/// score_j = max over the responses of |coefficient of j at the end of the step with m features|.
std::vector<double> scores_at(const std::vector<LarsPath>& paths, Index n_active, Index n_features,
                              CoefficientScale scale) {
  std::vector<double> scores(static_cast<std::size_t>(n_features), 0.0);
  for (const LarsPath& path : paths) {
    const LarsStep* step = path.of_size(n_active);
    if (step == nullptr) continue;
    const std::vector<double>& b = step->coefficients;
    const double length =
        scale == CoefficientScale::unit_length ? std::sqrt(dot(b.data(), b.data(), b.size())) : 1.0;
    for (std::size_t k = 0; k < b.size(); ++k) {
      double& score = scores[step->features[k]];
      score = std::max(score, std::fabs(b[k]) / length);
    }
  }
  return scores;
}

bool ended_early(const LarsPath& path) {
  return path.status == LarsStatus::degenerate || path.status == LarsStatus::reached_max_steps;
}

}  // namespace

void select_by_mcfs(const Matrix& features, const SelectOptions& options, const RunContext& run,
                    SelectResult& result) {
  const Index d = n_features(features);
  const Affinity graph = sample_graph(features, options, run);
  EigenmapOptions eigen_options;
  eigen_options.n_vectors = std::min(options.n_responses + 1, n_samples(features));
  const Eigenmap map = eigenmap(graph, eigen_options, run);
  const DenseMatrix responses = responses_of(map, n_samples(features));
  result.n_responses = responses.n_features();
  if (map.status != EigenStatus::converged) result.status = SelectStatus::eigenmap_inexact;
  if (result.n_responses < options.n_responses) result.status = SelectStatus::few_responses;

  // One path has the coefficients of all sizes.
  LarsOptions lars_options;
  lars_options.ridge = options.ridge;
  lars_options.ties =
      options.tied_features == TiedFeatures::optimal ? LarsTies::optimal : LarsTies::one_by_one;
  for (const Index size : options.sizes) {
    if (size <= d) lars_options.max_active = std::max(lars_options.max_active, size);
  }
  if (lars_options.max_active == 0) lars_options.max_active = d;
  constexpr double kNumbersPerFeature = 2;  // correlation and slope
  require_memory(kNumbersPerFeature * sizeof(double) * d * result.n_responses, run,
                 "the regressions of MCFS", "raise {memory_limit} or lower {n_responses}");
  const std::vector<LarsPath> paths = lars(features, responses, lars_options, run);
  if (std::ranges::any_of(paths, ended_early)) result.status = SelectStatus::path_incomplete;

  result.order = ScoreOrder::largest_first;
  for (const Index size : options.sizes) {
    if (size > d) {
      result.selections.emplace_back();
      continue;
    }
    result.selections.push_back(
        best_features(scores_at(paths, size, d, options.coefficient_scale), result.order, size));
  }
  result.scores = scores_at(paths, lars_options.max_active, d, options.coefficient_scale);
}

}  // namespace sfg::detail
