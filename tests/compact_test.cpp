#include "sfg/compact.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "helpers.hpp"
#include "reference.hpp"
#include "sfg/pipeline.hpp"

namespace sfg {
namespace {

using testing::centred;

using testing::random_matrix;
using testing::reference_ward;
using testing::tied_matrix;
using testing::with_level;

FeatureGraph pursuit_graph(const UnitFeatures& features) {
  return build_graph(pursue(features, {}), {kNoAngleLimit});
}

/// Sum of squared correlations of a member with its group, from all pairs.
double slow_score(const UnitFeatures& features, std::span<const Index> members, Index member) {
  double sum = 0;
  for (const Index l : members) sum += std::pow(inner_product(features, member, l), 2);
  return sum;
}

double slow_best_score(const UnitFeatures& features, std::span<const Index> members) {
  double highest = 0;
  for (const Index j : members) highest = std::max(highest, slow_score(features, members, j));
  return highest;
}

RC_GTEST_PROP(Compact, merges_as_the_obvious_search_over_all_adjacent_pairs_does, ()) {
  const auto d = *rc::gen::inRange<Index>(2, 25);
  const auto n = *rc::gen::inRange<Index>(3, 12);
  const auto seed = *rc::gen::arbitrary<std::uint32_t>();
  const DenseMatrix data = random_matrix(n, d, seed);
  const UnitFeatures features = centred(data);
  const FeatureGraph graph = pursuit_graph(features);
  const auto hierarchy = build_compact_hierarchy(graph, features, features, {});
  const auto expected = reference_ward(graph, features);
  RC_ASSERT(hierarchy.merges.size() == expected.size());
  for (std::size_t m = 0; m < expected.size(); ++m) {
    RC_ASSERT(hierarchy.merges[m].a == expected[m].a);
    RC_ASSERT(hierarchy.merges[m].b == expected[m].b);
    RC_ASSERT(std::fabs(hierarchy.merges[m].cost - expected[m].weight) < 1e-9);
  }
}

RC_GTEST_PROP(Compact, representatives_and_r2_of_every_level_are_those_of_its_groups, ()) {
  const auto d = *rc::gen::inRange<Index>(2, 40);
  const auto seed = *rc::gen::arbitrary<std::uint32_t>();
  const DenseMatrix data =
      *rc::gen::arbitrary<bool>() ? tied_matrix(9, d, seed) : random_matrix(9, d, seed);
  const UnitFeatures features = centred(data);
  WardOptions options;
  options.fewest_groups = 1;
  const auto hierarchy =
      build_compact_hierarchy(pursuit_graph(features), features, features, options);
  for (const CompactLevel& level : levels(hierarchy)) {
    const Groups groups = cut(hierarchy, level.n_merges);
    const auto chosen = representatives(hierarchy, groups, level.n_merges);
    RC_ASSERT(groups.n_groups() == hierarchy.n_features - level.n_merges);
    RC_ASSERT(level.n_kept == hierarchy.n_regular - level.n_merges);
    double explained = 0;
    for (Index g = 0; g < groups.n_groups(); ++g) {
      const auto members = groups.members_of(g);
      if (members.size() == 1) continue;
      const double best = slow_best_score(features, members);
      const Index medoid = chosen[g];
      RC_ASSERT(std::ranges::count(members, medoid) == 1);
      RC_ASSERT(slow_score(features, members, medoid) > best - 2e-9);
      explained += slow_score(features, members, medoid) - 1;
    }
    if (level.n_merges > 0) {
      RC_ASSERT(std::fabs(level.mean_r2 - explained / level.n_merges) < 1e-9);
    }
  }
}

TEST(Compact, sparse_data_give_the_same_merges_as_dense) {
  const DenseMatrix dense = tied_matrix(30, 60, 7);
  const UnitFeatures dense_features = centred(dense);
  const UnitFeatures sparse_features = centred(to_sparse(dense));
  const FeatureGraph graph = pursuit_graph(dense_features);
  WardOptions options;
  options.fewest_groups = 1;
  const auto expected = build_compact_hierarchy(graph, dense_features, dense_features, options);
  const auto found = build_compact_hierarchy(graph, sparse_features, sparse_features, options);
  ASSERT_EQ(found.merges.size(), expected.merges.size());
  const auto expected_levels = levels(expected);
  const auto found_levels = levels(found);
  for (std::size_t k = 0; k < expected_levels.size(); ++k) {
    EXPECT_NEAR(found.merges[std::min(k, found.merges.size() - 1)].cost,
                expected.merges[std::min(k, found.merges.size() - 1)].cost, 1e-9);
    EXPECT_NEAR(found_levels[k].mean_r2, expected_levels[k].mean_r2, 0.1);
  }
}

TEST(Compact, groups_of_more_members_than_samples_have_the_medoid_of_all_pairs) {
  const UnitFeatures features = centred(random_matrix(4, 120, 3));
  WardOptions options;
  options.fewest_groups = 1;
  const auto hierarchy =
      build_compact_hierarchy(pursuit_graph(features), features, features, options);
  const CompactMerge& last = hierarchy.merges.back();
  std::vector<Index> all(120);
  for (Index i = 0; i < 120; ++i) all[i] = i;
  const double best = slow_best_score(features, all);
  EXPECT_NEAR(slow_score(features, all, last.representative), best, 2e-9);
  EXPECT_NEAR(last.explained, best - 1, 1e-8);
  EXPECT_EQ(last.n_removed, 119);
}

TEST(Compact, a_feature_and_its_negative_merge_first_at_no_cost) {
  DenseMatrix data = random_matrix(20, 6, 5);
  for (Index i = 0; i < 20; ++i) data(i, 4) = -3 * data(i, 1) + 1;
  const UnitFeatures features = centred(data);
  const auto hierarchy = build_compact_hierarchy(pursuit_graph(features), features, features, {});
  EXPECT_EQ(hierarchy.merges[0].a, 1);
  EXPECT_EQ(hierarchy.merges[0].b, 4);
  EXPECT_NEAR(hierarchy.merges[0].cost, 0, 1e-12);
}

TEST(Compact, of_two_alike_the_one_that_describes_more_features_stands_for_both) {
  // 1 and 4 are a pair; 4 is a part of 5, and so has the larger in-degree.
  DenseMatrix data = random_matrix(30, 6, 8);
  for (Index i = 0; i < 30; ++i) {
    data(i, 4) = data(i, 1) + 0.3 * data(i, 4);
    data(i, 5) = data(i, 4) + data(i, 3);
  }
  const UnitFeatures features = centred(data);
  const FeatureGraph graph = pursuit_graph(features);
  const auto hierarchy = build_compact_hierarchy(graph, features, features, {});
  ASSERT_EQ(hierarchy.merges[0].a, 1);
  ASSERT_EQ(hierarchy.merges[0].b, 4);
  const auto in_degree = [&](Index feature) {
    return std::ranges::count(graph.neighbours, feature);
  };
  ASSERT_NE(in_degree(1), in_degree(4));
  EXPECT_EQ(hierarchy.merges[0].representative, in_degree(1) > in_degree(4) ? 1 : 4);
}

TEST(Compact, constant_features_stay_alone_and_are_left_out_of_the_result) {
  DenseMatrix data = random_matrix(25, 8, 5);
  for (Index i = 0; i < 25; ++i) data(i, 3) = 2;
  Dataset dataset;
  dataset.matrix = data;
  dataset.feature_names = generated_names(8);
  MethodOptions options;
  options.grouping = CompactOptions{.level = {.n_features = 2}};
  const MethodResult result = reduce(dataset, options);
  EXPECT_EQ(result.reduction.kept.size(), 2U);
  EXPECT_EQ(std::ranges::count(result.reduction.kept, 3), 0);
  EXPECT_EQ(result.reduction.removed.size(), 6U);
}

RC_GTEST_PROP(Compact, keeps_exactly_so_many_features_as_asked_protected_ones_among_them, ()) {
  const auto d = *rc::gen::inRange<Index>(4, 40);
  const auto seed = *rc::gen::arbitrary<std::uint32_t>();
  Dataset dataset;
  dataset.matrix = random_matrix(25, d, seed);
  dataset.feature_names = generated_names(d);
  MethodOptions options;
  const auto n_features = *rc::gen::inRange<Index>(3, d);
  options.grouping = testing::with_level(
      *rc::gen::element(GroupingKind::compact, GroupingKind::cover), {.n_features = n_features});
  options.keep = {0, d - 1, d / 2};
  options.reduce.combinations = false;
  const auto kept = reduce(dataset, options).reduction.kept;
  RC_ASSERT(static_cast<Index>(kept.size()) == n_features);
  for (const Index feature : options.keep) RC_ASSERT(std::ranges::count(kept, feature) == 1);
}

TEST(Compact, permuting_columns_permutes_what_is_kept) {
  const DenseMatrix data = random_matrix(40, 60, 11);
  std::vector<Index> order(60);
  for (Index i = 0; i < 60; ++i) order[i] = (7 * i + 3) % 60;
  for (const auto grouping : {GroupingKind::compact, GroupingKind::cover}) {
    MethodOptions options;
    options.grouping = testing::with_level(grouping, {.keep_share = 0.4});
    Dataset dataset;
    dataset.matrix = data;
    dataset.feature_names = generated_names(60);
    std::set<Index> kept;
    for (const Index feature : reduce(dataset, options).reduction.kept) kept.insert(feature);
    dataset.matrix = select_features(dataset.matrix, order);
    std::set<Index> permuted;
    for (const Index feature : reduce(dataset, options).reduction.kept) {
      permuted.insert(order[feature]);
    }
    EXPECT_EQ(permuted, kept) << choice_name(grouping);
  }
}

TEST(NearestGraph, holds_the_largest_correlations_of_every_feature_dense_and_sparse) {
  const DenseMatrix data = tied_matrix(20, 50, 9);
  const UnitFeatures features = centred(data);
  NearestOptions options;
  options.edge_neighbors = 4;
  const FeatureGraph graph = nearest_graph(features, options);
  for (Index i = 0; i < 50; ++i) {
    if (features.kind[i] != FeatureKind::regular) {
      EXPECT_TRUE(graph.neighbours_of(i).empty());
      continue;
    }
    std::vector<std::pair<double, Index>> all;
    for (Index j = 0; j < 50; ++j) {
      if (j == i || features.kind[j] != FeatureKind::regular) continue;
      // Rounded: ties go to the lowest index.
      all.emplace_back(-std::round(std::fabs(inner_product(features, i, j)) * 1e7), j);
    }
    std::ranges::sort(all);
    std::vector<Index> expected;
    for (std::size_t k = 0; k < 4; ++k) expected.push_back(all[k].second);
    std::ranges::sort(expected);
    const auto found = graph.neighbours_of(i);
    EXPECT_EQ(std::vector<Index>(found.begin(), found.end()), expected) << i;
  }
  EXPECT_EQ(nearest_graph(centred(to_sparse(data)), options).neighbours, graph.neighbours);
}

}  // namespace
}  // namespace sfg
