#include <algorithm>

#include "compare/competitors.hpp"
#include "core/threads.hpp"

namespace sfg::detail {

namespace {

/// What stays at a limit, in order.
std::vector<Index> stay_at(const PairCorrelations& pairs, const std::vector<Index>& order,
                           float limit) {
  std::vector<char> is_open(pairs.size(), 1);
  std::vector<Index> kept;
  for (const Index feature : order) {
    const std::size_t place = pairs.place(feature);
    if (is_open[place] == 0) continue;
    kept.push_back(feature);
    const float* row = pairs.row(place);
    for (std::size_t k = 0; k < is_open.size(); ++k) is_open[k] &= row[k] > limit ? 0 : 1;
  }
  return kept;
}

}  // namespace

/// More than that may stay at every limit above, fewer at every one below: then the last ones of
/// the former go.
std::vector<Index> drop_correlated(const PairCorrelations& pairs, const std::vector<Index>& order,
                                   Index count, const RunContext& run) {
  constexpr int kBisections = 30;
  const auto wanted = static_cast<std::size_t>(count);
  float low = 0;
  float high = 1;
  std::vector<Index> best = order;
  for (int k = 0; k < kBisections && best.size() != wanted; ++k) {
    check_stop(run);
    const float limit = (low + high) / 2;
    std::vector<Index> kept = stay_at(pairs, order, limit);
    if (kept.size() >= wanted) {
      high = limit;
      best = std::move(kept);
    } else {
      low = limit;
    }
  }
  best.resize(wanted);
  return best;
}

}  // namespace sfg::detail
