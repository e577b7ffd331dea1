#include "pursuit/omp/duplicates.hpp"

#include <algorithm>
#include <bit>
#include <compare>
#include <span>

#include "core/fingerprint.hpp"
#include "core/threads.hpp"

namespace sfg::detail {

namespace {

/// What a feature is compared by: its stored values, and where they are (sparse data).
struct Stored {
  std::span<const double> values;
  std::span<const Index> rows;
};

Stored stored(const UnitFeatures& features, Index k) {
  if (const auto* dense = std::get_if<DenseMatrix>(&features.matrix)) return {dense->column(k), {}};
  const auto& sparse = std::get<SparseMatrix>(features.matrix);
  return {sparse.column_values(k), sparse.column_rows(k)};
}

/// The sign that makes the first value other than zero positive.
double sign_of(std::span<const double> values) {
  const auto first = std::ranges::find_if(values, [](double value) { return value != 0; });
  return first != values.end() && *first < 0 ? -1.0 : 1.0;
}

/// Four chains side by side: a multiplication need not wait for the one before it.
std::uint64_t hash_of(const Stored& stored) {
  const double sign = sign_of(stored.values);
  std::uint64_t chains[4] = {1, 2, 3, 4};
  for (std::size_t i = 0; i < stored.values.size(); ++i) {
    // Adding zero turns -0 into 0: equal values have equal bits.
    chains[i % 4] = mix(chains[i % 4], std::bit_cast<std::uint64_t>(sign * stored.values[i] + 0.0));
  }
  for (std::size_t i = 0; i < stored.rows.size(); ++i) {
    chains[i % 4] = mix(chains[i % 4], static_cast<std::uint64_t>(stored.rows[i]));
  }
  return mix(mix(chains[0], chains[1]), mix(chains[2], chains[3]));
}

bool same(const Stored& left, const Stored& right) {
  const double sign = sign_of(left.values) * sign_of(right.values);
  return std::ranges::equal(left.rows, right.rows) &&
         std::ranges::equal(left.values, right.values,
                            [sign](double a, double b) { return a == sign * b; });
}

using Group = std::vector<Index>;

/// Groups of features of equal hash, ascending: sets the twin of each one that equals the first of
/// its group. What is left are those that only look like it.
std::vector<Group> match(const std::vector<Group>& groups, const EqualFeatures& equal,
                         std::vector<Index>& twin) {
  std::vector<FeaturePair> pairs;
  for (const Group& alike : groups) {
    for (std::size_t k = 1; k < alike.size(); ++k) pairs.push_back({alike[0], alike[k]});
  }
  const std::vector<char> are_equal = equal(pairs);
  std::vector<Group> left;
  auto is_equal = are_equal.begin();
  for (const Group& alike : groups) {
    Group others;
    for (std::size_t k = 1; k < alike.size(); ++k) {
      if (*is_equal++ == 0) {
        others.push_back(alike[k]);
        continue;
      }
      twin[alike[k]] = alike[0];
      if (twin[alike[0]] < 0) twin[alike[0]] = alike[k];
    }
    if (others.size() > 1) left.push_back(std::move(others));
  }
  return left;
}

}  // namespace

bool equal_up_to_sign(std::span<const double> left, std::span<const double> right) {
  return same({left, {}}, {right, {}});
}

std::vector<std::uint64_t> hashes_up_to_sign(const UnitFeatures& features, const RunContext& run) {
  std::vector<std::uint64_t> hashes(static_cast<std::size_t>(features.n_features()), 0);
  parallel_for(run, {}, features.n_features(), [&](std::int64_t item) {
    const auto feature = static_cast<Index>(item);
    if (features.kind[feature] != FeatureKind::regular) return;
    hashes[feature] = hash_of(stored(features, feature));
  });
  return hashes;
}

Duplicates find_duplicates(std::span<const std::uint64_t> hashes,
                           std::span<const FeatureKind> kinds, const EqualFeatures& equal) {
  Duplicates result;
  result.twin.assign(hashes.size(), -1);
  struct Hashed {
    std::uint64_t hash;
    Index feature;
    auto operator<=>(const Hashed&) const = default;
  };
  std::vector<Hashed> order;
  for (std::size_t k = 0; k < hashes.size(); ++k) {
    if (kinds[k] == FeatureKind::regular) order.push_back({hashes[k], static_cast<Index>(k)});
  }
  std::ranges::sort(order);
  std::vector<Group> groups;
  for (auto begin = order.begin(); begin != order.end();) {
    const auto end = std::find_if(begin, order.end(),
                                  [&](const Hashed& one) { return one.hash != begin->hash; });
    if (end - begin > 1) {
      Group& alike = groups.emplace_back();
      for (auto one = begin; one != end; ++one) alike.push_back(one->feature);
    }
    begin = end;
  }
  while (!groups.empty()) groups = match(groups, equal, result.twin);
  return result;
}

Duplicates find_duplicates(const UnitFeatures& features, const RunContext& run) {
  const auto equal = [&](std::span<const FeaturePair> pairs) {
    std::vector<char> are_equal;
    for (const auto& [first, second] : pairs) {
      are_equal.push_back(same(stored(features, first), stored(features, second)) ? 1 : 0);
    }
    return are_equal;
  };
  return find_duplicates(hashes_up_to_sign(features, run), features.kind, equal);
}

}  // namespace sfg::detail
