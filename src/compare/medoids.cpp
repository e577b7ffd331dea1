// Kept features as medoids: facility location, and k-medoids from there.
#include <algorithm>
#include <queue>

#include "compare/competitors.hpp"
#include "compare/medoid_of.hpp"
#include "core/threads.hpp"

namespace sfg::detail {

namespace {

/// Rounds of k-medoids: it ends by itself, and long before.
constexpr int kMostRounds = 100;
/// Picks between two looks at the outside.
constexpr std::size_t kPicksPerLook = 64;

double square(float r) noexcept {
  return static_cast<double>(r) * static_cast<double>(r);
}

/// By how much a feature raises what the best pick so far explains of each feature.
double gain_of(const float* row, const std::vector<double>& explained) {
  double gain = 0;
  for (std::size_t i = 0; i < explained.size(); ++i) {
    gain += std::max(0.0, square(row[i]) - explained[i]);
  }
  return gain;
}

struct Promise {
  double gain;
  std::size_t place;
  std::size_t as_of;  ///< picks when it was found: gains only fall

  bool operator<(const Promise& other) const noexcept {
    return gain != other.gain ? gain < other.gain : place > other.place;
  }
};

/// The medoid nearest to each feature, as a place in the list; a medoid is its own.
std::vector<std::size_t> groups_around(const PairCorrelations& pairs,
                                       const std::vector<std::size_t>& medoids,
                                       const RunContext& run) {
  std::vector<std::size_t> group(pairs.size());
  parallel_for(run, {}, static_cast<std::int64_t>(pairs.size()), [&](std::int64_t item) {
    const float* row = pairs.row(static_cast<std::size_t>(item));
    std::size_t best = 0;
    for (std::size_t m = 1; m < medoids.size(); ++m) {
      if (row[medoids[m]] > row[medoids[best]]) best = m;
    }
    group[item] = best;
  });
  for (std::size_t m = 0; m < medoids.size(); ++m) group[medoids[m]] = m;
  return group;
}

}  // namespace

std::size_t medoid_of(const PairCorrelations& pairs, const std::vector<std::size_t>& members) {
  std::size_t best = members.front();
  double highest = -1;
  for (const std::size_t candidate : members) {
    const float* row = pairs.row(candidate);
    double sum = 0;
    for (const std::size_t member : members) sum += square(row[member]);
    if (sum > highest) {
      highest = sum;
      best = candidate;
    }
  }
  return best;
}

std::vector<Index> facility_location_order(const PairCorrelations& pairs, Index n_picks,
                                           const RunContext& run) {
  std::vector<double> explained(pairs.size(), 0.0);
  std::vector<Promise> start(pairs.size());
  parallel_for(run, {}, static_cast<std::int64_t>(pairs.size()), [&](std::int64_t item) {
    const auto place = static_cast<std::size_t>(item);
    start[place] = {gain_of(pairs.row(place), explained), place, 0};
  });
  std::priority_queue<Promise> queue(std::less<Promise>(), std::move(start));
  std::vector<Index> picks;
  while (picks.size() < static_cast<std::size_t>(n_picks) && !queue.empty()) {
    Promise top = queue.top();
    queue.pop();
    if (top.as_of < picks.size()) {
      // An old promise is an upper bound: the pick is exact.
      queue.push({gain_of(pairs.row(top.place), explained), top.place, picks.size()});
      continue;
    }
    if (picks.size() % kPicksPerLook == 0) check_stop(run);
    picks.push_back(pairs.feature(top.place));
    const float* row = pairs.row(top.place);
    for (std::size_t i = 0; i < explained.size(); ++i) {
      explained[i] = std::max(explained[i], square(row[i]));
    }
  }
  return picks;
}

std::vector<Index> improve_medoids(const PairCorrelations& pairs, std::vector<Index> start,
                                   const RunContext& run) {
  std::ranges::sort(start);
  std::vector<std::size_t> medoids;
  for (const Index feature : start) medoids.push_back(pairs.place(feature));
  for (int round = 0; round < kMostRounds; ++round) {
    const std::vector<std::size_t> group = groups_around(pairs, medoids, run);
    std::vector<std::vector<std::size_t>> members(medoids.size());
    for (std::size_t i = 0; i < group.size(); ++i) members[group[i]].push_back(i);
    std::vector<std::size_t> better(medoids.size());
    parallel_for(run, {}, static_cast<std::int64_t>(medoids.size()),
                 [&](std::int64_t item) { better[item] = medoid_of(pairs, members[item]); });
    if (better == medoids) break;
    medoids = std::move(better);
  }
  std::vector<Index> kept;
  for (const std::size_t place : medoids) kept.push_back(pairs.feature(place));
  return kept;
}

}  // namespace sfg::detail
