#include <cmath>

#include "compare/measures.hpp"
#include "sfg/compare.hpp"
#include "sfg/statistics.hpp"

namespace sfg {

namespace {

using detail::CompareMeasure;

/// Differences this small are neither a win nor a loss.
constexpr double kNoDifference = 1e-9;

/// As many features, or answers with a number of their own.
bool is_comparable(const CompareRow& one, const CompareRow& other) {
  return detail::has_own_number(one.competitor) || one.share == other.share;
}

/// One difference for each share that both competitors reach.
std::vector<double> differences(const CompareResult& result, Competitor first, Competitor second,
                                const CompareMeasure& measure) {
  std::vector<double> found;
  for (const CompareRow& one : result.rows) {
    if (one.competitor != first || !one.reached) continue;
    for (const CompareRow& other : result.rows) {
      if (other.competitor != second || !other.reached || !is_comparable(one, other)) continue;
      const auto left = measure.value(one);
      const auto right = measure.value(other);
      if (left && right) found.push_back(*left - *right);
    }
  }
  return found;
}

PairedDifference summarise(Competitor first, Competitor second, const CompareMeasure& measure,
                           const std::vector<double>& pairs) {
  PairedDifference result{
      first, second, measure.name, static_cast<Index>(pairs.size()), mean(pairs), 0, 0, 0};
  for (const double pair : pairs) {
    result.n_higher += pair > kNoDifference ? 1 : 0;
    result.n_lower += pair < -kNoDifference ? 1 : 0;
  }
  if (!pairs.empty()) {
    result.error = standard_deviation(pairs) / std::sqrt(static_cast<double>(pairs.size()));
  }
  return result;
}

}  // namespace

std::vector<PairedDifference> paired_differences(const std::vector<CompareResult>& results) {
  std::vector<std::pair<Competitor, Competitor>> pairs_of_methods;
  for (const auto& choice : kChoices<Competitor>) {
    const bool is_other = !detail::has_own_number(choice.value) &&
                          choice.value != Competitor::compact && choice.value != Competitor::cover;
    if (is_other) pairs_of_methods.emplace_back(Competitor::compact, choice.value);
  }
  pairs_of_methods.emplace_back(Competitor::cover, Competitor::compact);
  pairs_of_methods.emplace_back(Competitor::cover, Competitor::random);
  pairs_of_methods.emplace_back(Competitor::default_answer, Competitor::all);
  std::vector<PairedDifference> summary;
  for (const auto& [first, second] : pairs_of_methods) {
    for (const CompareMeasure& measure : detail::kCompareMeasures) {
      std::vector<double> pairs;
      for (const CompareResult& result : results) {
        const auto found = differences(result, first, second, measure);
        if (results.size() == 1) {
          pairs = found;
        } else if (!found.empty()) {
          pairs.push_back(mean(found));
        }
      }
      if (!pairs.empty()) summary.push_back(summarise(first, second, measure, pairs));
    }
  }
  return summary;
}

}  // namespace sfg
