#include <array>
#include <cmath>
#include <functional>

#include "sfg/compare.hpp"
#include "sfg/statistics.hpp"

namespace sfg {

namespace {

/// Differences this small are neither a win nor a loss.
constexpr double kNoDifference = 1e-9;

struct Measure {
  const char* name;
  std::optional<double> (*value)(const CompareRow&);
};

constexpr std::array kMeasures{
    Measure{"nmi", [](const CompareRow& row) { return row.nmi; }},
    Measure{"acc", [](const CompareRow& row) { return row.acc; }},
    Measure{"neighbour_overlap",
            [](const CompareRow& row) { return std::optional(row.neighbour_overlap); }},
    Measure{"mean_r2", [](const CompareRow& row) { return std::optional(row.mean_r2); }},
    Measure{"r2cv_mean", [](const CompareRow& row) { return std::optional(row.r2cv_mean); }},
    Measure{"r2cv_q10", [](const CompareRow& row) { return std::optional(row.r2cv_q10); }},
};

/// One difference for each share that both competitors reach.
std::vector<double> differences(const CompareResult& result, Competitor first, Competitor second,
                                const Measure& measure) {
  std::vector<double> found;
  for (const CompareRow& one : result.rows) {
    if (one.competitor != first || !one.reached) continue;
    for (const CompareRow& other : result.rows) {
      if (other.competitor != second || !other.reached || other.share != one.share) continue;
      const auto left = measure.value(one);
      const auto right = measure.value(other);
      if (left && right) found.push_back(*left - *right);
    }
  }
  return found;
}

PairedDifference summarise(Competitor first, Competitor second, const Measure& measure,
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
  constexpr std::array kPairs{std::pair{Competitor::compact, Competitor::components},
                              std::pair{Competitor::compact, Competitor::random},
                              std::pair{Competitor::compact, Competitor::pearson_index},
                              std::pair{Competitor::compact, Competitor::pearson_variance},
                              std::pair{Competitor::compact, Competitor::knn_ward},
                              std::pair{Competitor::compact, Competitor::variance},
                              std::pair{Competitor::cover, Competitor::compact},
                              std::pair{Competitor::cover, Competitor::random}};
  std::vector<PairedDifference> summary;
  for (const auto& [first, second] : kPairs) {
    for (const Measure& measure : kMeasures) {
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
