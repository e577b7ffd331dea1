// He, Cai, Niyogi: Laplacian score for feature selection (2005).
#include <limits>

#include "select/selectors.hpp"
#include "select/tolerances.hpp"

namespace sfg::detail {

/// score = x~'L x~ / x~'D x~, x~ the feature less its mean weighted by D: small if neighbours have
/// similar values and the others do not.
void select_by_laplacian_score(const Matrix& features, const SelectOptions& options,
                               const RunContext& run, SelectResult& result) {
  const Affinity graph = sample_graph(features, options, run);
  result.order = ScoreOrder::smallest_first;
  for (const Smoothness& feature : smoothness(features, graph.weights, run)) {
    const bool constant = feature.spread <= kConstantShare * feature.power;
    result.scores.push_back(constant ? std::numeric_limits<double>::infinity()
                                     : feature.variation / feature.spread);
  }
  select_by_scores(options, result);
}

}  // namespace sfg::detail
