#include "groups/adjacent_pairs.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "core/random.hpp"
#include "helpers.hpp"
#include "reference.hpp"

namespace sfg {
namespace {

using detail::AdjacentPair;
using detail::AdjacentPairs;
using detail::Centroids;
using testing::centred;
using testing::random_matrix;
using testing::tied_matrix;

using PairsOfGroups = std::vector<std::pair<Index, Index>>;

/// Each pair as likely as any other, some twice and turned round.
PairsOfGroups random_pairs(Index d, int n_pairs, std::uint32_t seed) {
  detail::Random random(seed);
  PairsOfGroups pairs;
  for (int k = 0; k < n_pairs; ++k) {
    const auto a = static_cast<Index>(random.below(static_cast<std::uint64_t>(d)));
    const auto b = static_cast<Index>(random.below(static_cast<std::uint64_t>(d)));
    if (a == b) continue;
    pairs.emplace_back(a, b);
    if (k % 3 == 0) pairs.emplace_back(b, a);
  }
  return pairs;
}

/// All costs anew for every merge.
std::vector<AdjacentPair> merges_of_all_costs(const UnitFeatures& features,
                                              const PairsOfGroups& given) {
  const auto centroids = Centroids::make(features);
  std::set<std::pair<Index, Index>> pairs;
  for (const auto& [a, b] : given) pairs.emplace(std::min(a, b), std::max(a, b));
  std::vector<AdjacentPair> merges;
  while (!pairs.empty()) {
    std::vector<AdjacentPair> all;
    for (const auto& [a, b] : pairs) all.push_back({centroids->cost(a, b), a, b});
    const AdjacentPair best = *std::max_element(all.begin(), all.end());
    merges.push_back(best);
    centroids->merge(best.a, best.b);
    std::set<std::pair<Index, Index>> left;
    for (auto [a, b] : pairs) {
      if (a == best.b) a = best.a;
      if (b == best.b) b = best.a;
      if (a != b) left.emplace(std::min(a, b), std::max(a, b));
    }
    pairs = std::move(left);
  }
  return merges;
}

std::vector<AdjacentPair> merges_of_bounds(const UnitFeatures& features, const PairsOfGroups& given,
                                           std::int64_t* n_computed = nullptr) {
  const auto centroids = Centroids::make(features);
  AdjacentPairs pairs(*centroids, given, features.n_features(), {});
  std::vector<AdjacentPair> merges;
  while (const auto best = pairs.cheapest()) {
    merges.push_back(*best);
    pairs.merge(*best);
    centroids->merge(best->a, best->b);
  }
  if (n_computed != nullptr) *n_computed = pairs.n_computed();
  return merges;
}

/// A third of the columns are copies, turned copies or nearly so.
DenseMatrix with_near_copies(Index n, Index d, std::uint32_t seed) {
  DenseMatrix matrix = random_matrix(n, d, seed);
  for (Index j = 3; j < d; j += 3) {
    const double noise = j % 2 == 0 ? 0.0 : 1e-9;
    for (Index i = 0; i < n; ++i) {
      matrix(i, j) = (j % 4 == 0 ? -1 : 1) * matrix(i, j - 1) + noise * matrix(i, j - 2);
    }
  }
  return matrix;
}

DenseMatrix mostly_zero(Index n, Index d, std::uint32_t seed) {
  DenseMatrix matrix = random_matrix(n, d, seed);
  detail::Random random(seed + 1);
  for (Index j = 0; j < d; ++j) {
    for (Index i = 0; i < n; ++i) {
      if (random.below(4) != 0) matrix(i, j) = 0;
    }
    matrix(j % n, j) = 1;
  }
  return matrix;
}

RC_GTEST_PROP(AdjacentPairs, the_cheapest_pair_is_that_of_all_costs_to_the_bit, ()) {
  const auto d = *rc::gen::inRange<Index>(2, 40);
  const auto n = *rc::gen::inRange<Index>(3, 14);
  const auto seed = *rc::gen::arbitrary<std::uint32_t>();
  const int kind = *rc::gen::inRange(0, 4);
  const DenseMatrix data = kind == 0   ? random_matrix(n, d, seed)
                           : kind == 1 ? tied_matrix(n, d, seed)
                           : kind == 2 ? with_near_copies(n, d, seed)
                                       : mostly_zero(n, d, seed);
  const bool sparse = *rc::gen::arbitrary<bool>();
  const UnitFeatures features = sparse ? centred(to_sparse(data)) : centred(data);
  const PairsOfGroups pairs = random_pairs(d, *rc::gen::inRange(1, 120), seed);
  const auto expected = merges_of_all_costs(features, pairs);
  const auto found = merges_of_bounds(features, pairs);
  RC_ASSERT(found.size() == expected.size());
  for (std::size_t m = 0; m < found.size(); ++m) {
    RC_ASSERT(found[m].a == expected[m].a);
    RC_ASSERT(found[m].b == expected[m].b);
    RC_ASSERT(found[m].cost == expected[m].cost);
  }
}

TEST(AdjacentPairs, a_hub_does_not_compute_all_its_costs_in_every_merge) {
  constexpr Index kLeaves = 300;
  constexpr Index kSamples = 200;
  // Leaves that are like the hub, each less than the one before.
  DenseMatrix data = random_matrix(kSamples, kLeaves + 1, 5);
  for (Index leaf = 1; leaf <= kLeaves; ++leaf) {
    const double own = 0.01 * leaf;
    for (Index i = 0; i < kSamples; ++i) data(i, leaf) = data(i, 0) + own * data(i, leaf);
  }
  const UnitFeatures features = centred(data);
  PairsOfGroups pairs;
  for (Index leaf = 1; leaf <= kLeaves; ++leaf) pairs.emplace_back(0, leaf);
  std::int64_t n_computed = 0;
  EXPECT_EQ(merges_of_bounds(features, pairs, &n_computed).size(), kLeaves);
  EXPECT_GE(n_computed, kLeaves);
  EXPECT_LT(n_computed, kLeaves * kLeaves / 2 / 4);
}

TEST(AdjacentPairs, groups_without_a_neighbour_have_no_cheapest_pair) {
  const UnitFeatures features = centred(random_matrix(9, 4, 1));
  const auto centroids = Centroids::make(features);
  AdjacentPairs pairs(*centroids, {}, 4, {});
  EXPECT_FALSE(pairs.cheapest().has_value());
}

}  // namespace
}  // namespace sfg
