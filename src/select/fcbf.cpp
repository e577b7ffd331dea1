// Yu, Liu: Efficient feature selection via analysis of relevance and redundancy (2004).
#include <algorithm>
#include <numeric>

#include "core/threads.hpp"
#include "select/information.hpp"
#include "select/selectors.hpp"

namespace sfg::detail {

/// Of the relevant features, the most relevant one first: p is predominant unless one before it
/// removed it, and removes every later q with SU(p, q) >= SU(q, class), for which it forms an
/// approximate Markov blanket. O(d k n) for k predominant ones.
void select_by_fcbf(const Matrix& features, const Target& target, const SelectOptions& options,
                    const RunContext& run, SelectResult& result) {
  const InformationOptions& how = options.information;
  const Information information(features, how.n_bins, run);
  const std::vector<double> relevance =
      relevances(information, coded_target(target, how.n_bins), run);
  std::vector<Index> open = relevant_features(relevance, how.min_relevance, result);
  Selection predominant;
  std::vector<double> between(open.size());
  std::vector<double> own;
  const auto n_relevant = static_cast<double>(open.size());
  while (!open.empty()) {
    check_stop(run);
    own.resize(open.size());
    std::ranges::transform(open, own.begin(), [&](Index feature) { return relevance[feature]; });
    const auto best = open.begin() + static_cast<std::ptrdiff_t>(first_of_largest(own));
    const Index p = *best;
    open.erase(best);
    predominant.features.push_back(p);
    predominant.scores.push_back(relevance[p]);
    between.resize(open.size());
    information.measure(Information::Measure::symmetric_uncertainty,
                        information.codes().variable(p), open, between, run);
    std::vector<Index> rest;
    for (std::size_t k = 0; k < open.size(); ++k) {
      const Index q = open[k];
      if (is_larger(relevance[q], between[k])) {
        rest.push_back(q);
      } else {
        result.removed.push_back({q, p, between[k], relevance[q]});
      }
    }
    open = std::move(rest);
    if (run.progress) {
      run.progress("select", n_relevant - static_cast<double>(open.size()), n_relevant);
    }
  }
  std::ranges::sort(result.removed, {}, &Superseded::feature);
  result.order = ScoreOrder::largest_first;
  result.scores = relevance;
  select_first(predominant, n_features(features), options, result);
}

}  // namespace sfg::detail
