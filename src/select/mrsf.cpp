// Zhao, Wang, Liu: Efficient spectral feature selection with minimum redundancy (2010).
#include <algorithm>
#include <cmath>
#include <set>

#include "core/memory.hpp"
#include "select/group_lasso.hpp"
#include "select/selectors.hpp"
#include "select/tolerances.hpp"

namespace sfg::detail {

namespace {

void centre_columns(DenseMatrix& matrix) {
  for (Index k = 0; k < matrix.n_features(); ++k) {
    double sum = 0;
    for (const double value : matrix.column(k)) sum += value;
    for (double& value : matrix.column(k)) value -= sum / matrix.n_samples();
  }
}

}  // namespace

/// sqrt(lambda) times the eigenvectors 2, 3, ... of D^-1/2 W D^-1/2 with lambda > 0.
DenseMatrix similarity_targets(const Matrix& features, const SelectOptions& options,
                               const RunContext& run, SelectStatus& status) {
  const Affinity graph = sample_graph(features, options, run);
  EigenmapOptions eigen_options;
  eigen_options.n_vectors = std::min(options.n_responses + 1, n_samples(features));
  const Eigenmap map = eigenmap(graph, eigen_options, run);
  if (map.status != EigenStatus::converged) status = SelectStatus::eigenmap_inexact;
  Index n_targets = 0;
  while (n_targets + 1 < static_cast<Index>(map.values.size()) &&
         map.values[n_targets + 1] >= kSmallestEigenvalue) {
    ++n_targets;
  }
  if (n_targets < options.n_responses) status = SelectStatus::few_responses;
  DenseMatrix targets(n_samples(features), n_targets);
  for (Index k = 0; k < n_targets; ++k) {
    const double scale = std::sqrt(map.values[k + 1]);
    std::ranges::transform(map.vectors.column(k + 1), targets.column(k).begin(),
                           [scale](double value) { return scale * value; });
  }
  centre_columns(targets);
  return targets;
}

/// The eigenvectors of the similarity 1 / n_c within class c: its members, divided by sqrt(n_c).
/// Numbers: these alone, of unit length. Centred.
DenseMatrix label_targets(const Target& target) {
  const auto n = static_cast<Index>(target.values.size());
  const bool is_number = target.kind == TargetKind::numbers;
  DenseMatrix targets(n, is_number ? 1 : target.n_classes);
  if (is_number) std::ranges::copy(target.values, targets.column(0).begin());
  for (Index i = 0; !is_number && i < n; ++i) {
    targets(i, static_cast<Index>(target.values[i])) = 1;
  }
  if (is_number) centre_columns(targets);
  for (Index k = 0; k < targets.n_features(); ++k) {
    double largest = 0;
    for (const double value : targets.column(k)) largest = std::max(largest, std::fabs(value));
    double squares = 0;
    for (const double value : targets.column(k)) {
      squares += (value / largest) * (value / largest);
    }
    for (double& value : targets.column(k)) value = value / largest / std::sqrt(squares);
  }
  centre_columns(targets);
  return targets;
}

void select_by_mrsf(const Matrix& features, const Target* target, const SelectOptions& options,
                    const RunContext& run, SelectResult& result) {
  const Columns columns(features);
  const Index d = columns.n_features();
  const DenseMatrix targets = target != nullptr
                                  ? label_targets(*target)
                                  : similarity_targets(features, options, run, result.status);
  result.n_responses = targets.n_features();
  require_memory(sizeof(double) * (1.0 * d * result.n_responses + 4.0 * d), run,
                 "the regressions of MRSF", "raise {memory_limit} or lower {n_responses}");
  std::set<Index> counts;
  for (const Index size : options.sizes) {
    if (size <= d) counts.insert(size);
  }
  if (counts.empty()) counts.insert(d);
  const std::vector<Index> rising(counts.begin(), counts.end());
  const GroupLassoPath path = group_lasso(columns, spreads_of(columns, run), targets, rising, run);
  if (!path.exact) result.status = SelectStatus::reached_max_rounds;
  result.order = ScoreOrder::largest_first;
  const auto scores_of = [&](const GroupLassoStep& step) {
    std::vector<double> scores(static_cast<std::size_t>(d), 0.0);
    for (std::size_t k = 0; k < step.features.size(); ++k) {
      scores[step.features[k]] = step.row_norm[k];
    }
    return scores;
  };
  for (const Index size : options.sizes) {
    result.selections.emplace_back();
    const auto place = std::ranges::find(rising, size) - rising.begin();
    if (size > d) continue;
    result.selections.back() = best_features(scores_of(path.steps[place]), result.order, size);
  }
  result.scores = scores_of(path.steps.back());
}

}  // namespace sfg::detail
