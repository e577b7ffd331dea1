// Zhao, Liu: Spectral feature selection for supervised and unsupervised learning (2007).
#include <limits>

#include "select/selectors.hpp"
#include "select/tolerances.hpp"

namespace sfg::detail {

/// With f = D^1/2 x / |D^1/2 x| and L = I - D^-1/2 W D^-1/2
///   f'L f        = x'(D - W) x / x'D x
///   1 - (f'e)^2  = x~'D x~ / x'D x, x~ the feature less its mean weighted by D.
/// phi_2 is the Laplacian score where both see the same graph; SPEC's own is that of all samples.
void select_by_spec(const Matrix& features, const SelectOptions& options, const RunContext& run,
                    SelectResult& result) {
  const Affinity graph = sample_graph(features, options, run);
  result.order = ScoreOrder::smallest_first;
  const bool first = options.spec_ranking == SpecRanking::phi_1;
  for (const Smoothness& feature : smoothness(features, graph.weights, run)) {
    const bool constant = feature.spread <= kConstantShare * feature.power;
    const double divisor = first ? feature.power : feature.spread;
    const bool none = first ? feature.power == 0 : constant;
    result.scores.push_back(none ? std::numeric_limits<double>::infinity()
                                 : feature.variation / divisor);
  }
  select_by_scores(options, result);
}

}  // namespace sfg::detail
