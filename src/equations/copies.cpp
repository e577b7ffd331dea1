#include "equations/copies.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/kernels.hpp"
#include "core/random.hpp"
#include "core/threads.hpp"
#include "equations/tolerances.hpp"
#include "normalise/products.hpp"

namespace sfg::detail {

namespace {

/// Any fixed number: what it starts decides nothing but the order of comparisons.
constexpr std::uint64_t kSeed = 21;

/// A direction of length 1 that no table knows.
std::vector<double> random_direction(Index n_samples) {
  Random random(kSeed);
  std::vector<double> direction(static_cast<std::size_t>(n_samples));
  for (double& value : direction) value = random.normal();
  const double length = std::sqrt(dot(direction.data(), direction.data(), direction.size()));
  for (double& value : direction) value /= length;
  return direction;
}

struct Projected {
  double size;  ///< |product with the direction|: copies have the same
  Index feature;
};

/// Regular features, by the length of their projection.
std::vector<Projected> project(const UnitFeatures& centred, const RunContext& run) {
  const std::vector<double> direction = random_direction(centred.n_samples());
  const std::vector<Index> regular = regular_features(centred);
  std::vector<Projected> projected(regular.size());
  parallel_for(run, {}, static_cast<std::int64_t>(regular.size()), [&](std::int64_t item) {
    std::vector<double> column(direction.size());
    expand(centred, regular[item], column.data());
    projected[item] = {std::fabs(dot(column.data(), direction.data(), column.size())),
                       regular[item]};
  });
  std::ranges::sort(projected, [](const Projected& a, const Projected& b) {
    return a.size != b.size ? a.size < b.size : a.feature < b.feature;
  });
  return projected;
}

bool are_copies(const UnitFeatures& centred, Index a, Index b) {
  const auto n = static_cast<std::size_t>(centred.n_samples());
  std::vector<double> first(n);
  std::vector<double> second(n);
  expand(centred, a, first.data());
  expand(centred, b, second.data());
  const SquaredDistances distances = squared_distances(first.data(), second.data(), n);
  return std::min(distances.to, distances.to_negated) <= kExactRest * kExactRest;
}

}  // namespace

std::vector<Index> find_copies(const UnitFeatures& centred, std::span<const int> preference,
                               const RunContext& run) {
  const std::vector<Projected> projected = project(centred, run);
  // First the first of each family in the order of projections, then the preferred one.
  std::vector<Index> first(preference.size(), -1);
  for (std::size_t k = 0; k < projected.size(); ++k) {
    const Index feature = projected[k].feature;
    first[feature] = feature;
    for (std::size_t before = k; before-- > 0;) {
      if (projected[k].size - projected[before].size > kExactRest) break;
      const Index other = projected[before].feature;
      if (first[other] != other || !are_copies(centred, feature, other)) continue;
      first[feature] = other;
      break;
    }
  }
  std::vector<Index> best(preference.size(), -1);
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (first[i] < 0) continue;
    Index& standing = best[first[i]];
    if (standing < 0 || preference[i] < preference[standing]) standing = static_cast<Index>(i);
  }
  std::vector<Index> stands_for(preference.size(), -1);
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (first[i] >= 0) stands_for[i] = best[first[i]];
  }
  return stands_for;
}

}  // namespace sfg::detail
