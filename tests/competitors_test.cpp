// The ways to keep features that `compare` has of its own, against slow and obvious versions.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "compare/competitors.hpp"
#include "reference.hpp"
#include "sfg/error.hpp"

namespace sfg {
namespace {

using detail::PairCorrelations;

/// Correlated features in a few families.
UnitFeatures families(Index n, Index d, std::uint64_t seed) {
  DenseMatrix data = testing::random_matrix(n, d, seed);
  for (Index j = 0; j < d; ++j) {
    for (Index i = 0; i < n; ++i) {
      data(i, j) = 0.6 * data(i, j) + (j % 2 == 0 ? 1 : -1) * data(i, j % 5);
    }
  }
  return testing::centred(data);
}

PairCorrelations pairs_of(const UnitFeatures& features) {
  PairCorrelations pairs(features, regular_features(features));
  pairs.require(1, {});
  return pairs;
}

double r2(const UnitFeatures& features, Index a, Index b) {
  return std::pow(inner_product(features, a, b), 2);
}

/// The feature that is best by a value, not among those picked; near ties: the lowest.
template <typename Value>
Index best_other(const UnitFeatures& features, const std::vector<Index>& picks,
                 const Value& value) {
  Index best = -1;
  double highest = -1e300;
  for (const Index j : regular_features(features)) {
    if (std::ranges::find(picks, j) != picks.end()) continue;
    const double one = value(j);
    if (one > highest + 1e-9) {
      highest = one;
      best = j;
    }
  }
  return best;
}

/// What is left of all features after ridge regression on the picks: sum f'(I + F_S F_S')^-1 f,
/// the inverse by adding one pick after the other.
double left_after(const UnitFeatures& features, const std::vector<Index>& picks) {
  const Index n = features.n_samples();
  const auto& data = std::get<DenseMatrix>(features.matrix);
  DenseMatrix inverse(n, n);
  for (Index i = 0; i < n; ++i) inverse(i, i) = 1;
  for (const Index s : picks) {
    std::vector<double> u(static_cast<std::size_t>(n), 0.0);
    double p = 1;
    for (Index i = 0; i < n; ++i) {
      for (Index k = 0; k < n; ++k) u[i] += inverse(i, k) * data(k, s);
      p += data(i, s) * u[i];
    }
    for (Index i = 0; i < n; ++i) {
      for (Index k = 0; k < n; ++k) inverse(i, k) -= u[i] * u[k] / p;
    }
  }
  double left = 0;
  for (Index j = 0; j < data.n_features(); ++j) {
    for (Index i = 0; i < n; ++i) {
      for (Index k = 0; k < n; ++k) left += data(i, j) * inverse(i, k) * data(k, j);
    }
  }
  return left;
}

TEST(ColumnSubset, picks_what_lowers_the_squares_that_ridge_leaves_most) {
  for (const auto& [n, d] : {std::pair<Index, Index>{8, 20}, {30, 12}}) {
    const UnitFeatures features = families(n, d, 1);
    const auto found = detail::column_subset_order(features, 10, {});
    std::vector<Index> picks;
    for (int k = 0; k < 10; ++k) {
      picks.push_back(best_other(features, picks, [&](Index j) {
        std::vector<Index> more = picks;
        more.push_back(j);
        return -left_after(features, more);
      }));
    }
    EXPECT_EQ(found, picks) << n << " samples";
  }
}

/// Squared length of a feature outside the span of the picks.
double outside(const UnitFeatures& features, const std::vector<Index>& picks, Index feature) {
  const auto& data = std::get<DenseMatrix>(features.matrix);
  std::vector<std::vector<double>> basis;
  const auto rest_of = [&](Index j) {
    std::vector<double> rest(data.column(j).begin(), data.column(j).end());
    for (int pass = 0; pass < 2; ++pass) {
      for (const auto& q : basis) {
        const double part = std::inner_product(q.begin(), q.end(), rest.begin(), 0.0);
        for (std::size_t i = 0; i < rest.size(); ++i) rest[i] -= part * q[i];
      }
    }
    return rest;
  };
  for (const Index pick : picks) {
    auto rest = rest_of(pick);
    const double length =
        std::sqrt(std::inner_product(rest.begin(), rest.end(), rest.begin(), 0.0));
    for (double& value : rest) value /= length;
    basis.push_back(rest);
  }
  const auto rest = rest_of(feature);
  return std::inner_product(rest.begin(), rest.end(), rest.begin(), 0.0);
}

TEST(PivotedQr, picks_what_is_farthest_outside_and_starts_anew_when_the_rank_is_used_up) {
  // 8 samples, centred: rank 7.
  const UnitFeatures features = families(8, 20, 2);
  const auto found = detail::pivoted_qr_order(features, 17, {});
  std::vector<Index> picks;
  for (std::size_t k = 0; k < 17; ++k) {
    const std::vector<Index> round(picks.begin() + static_cast<std::ptrdiff_t>(k / 7 * 7),
                                   picks.end());
    picks.push_back(
        best_other(features, picks, [&](Index j) { return outside(features, round, j); }));
  }
  EXPECT_EQ(found, picks);
}

TEST(PivotedQr, of_long_tables_is_that_of_their_products) {
  const UnitFeatures features = families(60, 10, 3);
  const auto found = detail::pivoted_qr_order(features, 6, {});
  std::vector<Index> picks;
  for (int k = 0; k < 6; ++k) {
    picks.push_back(
        best_other(features, picks, [&](Index j) { return outside(features, picks, j); }));
  }
  EXPECT_EQ(found, picks);
}

double explained_by(const UnitFeatures& features, const std::vector<Index>& kept) {
  double sum = 0;
  for (const Index i : regular_features(features)) {
    double best = 0;
    for (const Index j : kept) best = std::max(best, r2(features, i, j));
    sum += best;
  }
  return sum;
}

TEST(FacilityLocation, picks_what_raises_the_sum_of_the_best_r2_most) {
  const UnitFeatures features = families(25, 30, 4);
  const auto found = detail::facility_location_order(pairs_of(features), 12, {});
  std::vector<Index> picks;
  for (int k = 0; k < 12; ++k) {
    picks.push_back(best_other(features, picks, [&](Index j) {
      std::vector<Index> more = picks;
      more.push_back(j);
      return explained_by(features, more);
    }));
  }
  EXPECT_EQ(found, picks);
}

TEST(KMedoids, are_medoids_of_the_groups_around_them_and_no_worse_than_their_start) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const UnitFeatures features = families(25, 30, seed);
    const PairCorrelations pairs = pairs_of(features);
    const std::vector<Index> start{0, 1, 2, 3, 4, 5};
    const auto kept = detail::improve_medoids(pairs, start, {});
    ASSERT_EQ(kept.size(), start.size());
    EXPECT_GE(explained_by(features, kept), explained_by(features, start) - 1e-6);
    for (const Index medoid : kept) {
      std::vector<Index> members;
      for (const Index i : regular_features(features)) {
        const auto nearest = std::ranges::max_element(
            kept, {}, [&](Index one) { return r2(features, i, one) + (i == one ? 1 : 0); });
        if (*nearest == medoid) members.push_back(i);
      }
      const auto sum_of = [&](Index candidate) {
        double sum = 0;
        for (const Index member : members) sum += r2(features, candidate, member);
        return sum;
      };
      for (const Index member : members) EXPECT_LE(sum_of(member), sum_of(medoid) + 1e-6);
    }
  }
}

/// Ward's linkage, in every step over all pairs of groups, by Lance and Williams.
std::vector<std::vector<Index>> reference_linkage(const UnitFeatures& features, std::size_t count) {
  struct Group {
    std::vector<Index> members;
    std::vector<double> distance;
  };
  const auto regular = regular_features(features);
  std::vector<Group> groups;
  for (const Index i : regular) {
    groups.push_back({{i}, {}});
    for (const Index k : regular) {
      groups.back().distance.push_back(1 - std::sqrt(r2(features, i, k)));
    }
  }
  while (groups.size() > count) {
    std::size_t a = 0;
    std::size_t b = 1;
    for (std::size_t i = 0; i < groups.size(); ++i) {
      for (std::size_t k = i + 1; k < groups.size(); ++k) {
        if (groups[i].distance[k] < groups[a].distance[b]) std::tie(a, b) = std::pair(i, k);
      }
    }
    const auto size = [&](std::size_t k) { return static_cast<double>(groups[k].members.size()); };
    const double between = groups[a].distance[b];
    for (std::size_t k = 0; k < groups.size(); ++k) {
      if (k == a || k == b) continue;
      const double joined = ((size(a) + size(k)) * groups[a].distance[k] +
                             (size(b) + size(k)) * groups[b].distance[k] - size(k) * between) /
                            (size(a) + size(b) + size(k));
      groups[a].distance[k] = groups[k].distance[a] = joined;
    }
    groups[a].members.insert(groups[a].members.end(), groups[b].members.begin(),
                             groups[b].members.end());
    const auto at = static_cast<std::ptrdiff_t>(b);
    groups.erase(groups.begin() + at);
    for (Group& group : groups) group.distance.erase(group.distance.begin() + at);
  }
  std::vector<std::vector<Index>> result;
  for (Group& group : groups) {
    std::ranges::sort(group.members);
    result.push_back(std::move(group.members));
  }
  return result;
}

RC_GTEST_PROP(WardLinkage, keeps_the_medoids_of_the_groups_that_cheapest_merges_make, ()) {
  const UnitFeatures features =
      families(*rc::gen::inRange<Index>(10, 30), 24, *rc::gen::inRange<std::uint64_t>(0, 1000));
  const auto found = detail::ward_medoids(pairs_of(features), {24, 12, 5, 1}, {});
  const std::vector<std::size_t> counts{24, 12, 5, 1};
  for (std::size_t k = 0; k < counts.size(); ++k) {
    std::vector<Index> expected;
    for (const auto& group : reference_linkage(features, counts[k])) {
      expected.push_back(*std::ranges::max_element(group, {}, [&](Index candidate) {
        double sum = 0;
        for (const Index member : group) sum += r2(features, candidate, member);
        // Two are equally good medoids of a pair.
        return std::round(sum * 1e6);
      }));
    }
    std::ranges::sort(expected);
    auto kept = found[k];
    std::ranges::sort(kept);
    RC_ASSERT(kept == expected);
  }
}

TEST(WardLinkage, of_nothing_but_copies_ends) {
  DenseMatrix data(6, 40);
  for (Index j = 0; j < 40; ++j) {
    for (Index i = 0; i < 6; ++i) data(i, j) = (i + j % 3) % 3;
  }
  const auto kept = detail::ward_medoids(pairs_of(testing::centred(data)), {10, 3}, {});
  EXPECT_EQ(kept[0].size(), 10U);
  EXPECT_EQ(kept[1], (std::vector<Index>{0, 1, 2}));
}

TEST(DropCorrelated, keeps_a_feature_unless_one_before_it_is_closer_than_the_limit) {
  const UnitFeatures features = families(25, 30, 6);
  const auto order = regular_features(features);
  const auto kept = detail::drop_correlated(pairs_of(features), order, 8, {});
  ASSERT_EQ(kept.size(), 8U);
  EXPECT_EQ(kept.front(), order.front());
  double limit = 0;
  for (std::size_t a = 0; a < kept.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) limit = std::max(limit, r2(features, kept[a], kept[b]));
  }
  // Everything before the last kept one that was dropped is closer than any two kept ones.
  for (const Index i : order) {
    if (i > kept.back() || std::ranges::find(kept, i) != kept.end()) continue;
    double closest = 0;
    for (const Index k : kept) closest = k < i ? std::max(closest, r2(features, i, k)) : closest;
    EXPECT_GT(closest, limit - 1e-6) << i;
  }
}

TEST(DropCorrelated, of_copies_keeps_the_first_ones_where_no_limit_leaves_so_many) {
  DenseMatrix data(6, 12);
  for (Index j = 0; j < 12; ++j) {
    for (Index i = 0; i < 6; ++i) data(i, j) = (i + j % 3) % 3;
  }
  const UnitFeatures features = testing::centred(data);
  const auto kept = detail::drop_correlated(pairs_of(features), regular_features(features), 7, {});
  EXPECT_EQ(kept.size(), 7U);
}

TEST(Pairs, are_refused_where_they_do_not_fit_and_the_number_needed_is_told) {
  const UnitFeatures features = families(10, 100, 7);
  PairCorrelations pairs(features, regular_features(features));
  RunContext run;
  run.memory_limit = 30000;
  try {
    pairs.require(1, run);
    FAIL() << "40 kB do not fit into 30 kB";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::over_memory);
    EXPECT_NE(error.fault().find("100 features"), std::string::npos) << error.fault();
    EXPECT_NE(error.fault().find("40.0 kB"), std::string::npos) << error.fault();
  }
}

TEST(Competitors, of_sparse_data_are_those_of_dense_data) {
  DenseMatrix data = testing::random_matrix(30, 25, 8);
  for (Index j = 0; j < 25; ++j) {
    for (Index i = 0; i < 30; ++i) data(i, j) = std::max(0.0, data(i, j) + data(i, j % 4));
  }
  const UnitFeatures dense = testing::centred(data);
  const UnitFeatures sparse = testing::centred(to_sparse(data));
  EXPECT_EQ(detail::column_subset_order(sparse, 12, {}),
            detail::column_subset_order(dense, 12, {}));
  EXPECT_EQ(detail::pivoted_qr_order(sparse, 12, {}), detail::pivoted_qr_order(dense, 12, {}));
  EXPECT_EQ(detail::facility_location_order(pairs_of(sparse), 12, {}),
            detail::facility_location_order(pairs_of(dense), 12, {}));
}

}  // namespace
}  // namespace sfg
