// Who comes first where several are equal: joined components, representatives, nearest kept
// features.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "helpers.hpp"
#include "reference.hpp"
#include "sfg/compact.hpp"
#include "sfg/groups.hpp"
#include "sfg/neighbours.hpp"
#include "sfg/reduce.hpp"

namespace sfg {
namespace {

using testing::centred;

using testing::random_matrix;

struct Edge {
  Index from;
  Index to;
  double weight = 1;
};

FeatureGraph graph_from_edges(Index n_features, const std::vector<Edge>& edges) {
  FeatureGraph graph;
  graph.starts.assign(1, 0);
  for (Index i = 0; i < n_features; ++i) {
    for (const Edge& edge : edges) {
      if (edge.from != i) continue;
      graph.neighbours.push_back(edge.to);
      graph.weights.push_back(edge.weight);
    }
    graph.starts.push_back(static_cast<Offset>(graph.neighbours.size()));
    graph.angle.push_back(1);
    graph.failed.push_back(0);
    graph.status.push_back(PursuitStatus::small_gain);
  }
  return graph;
}

CompactHierarchy hierarchy_of(const FeatureGraph& graph, const UnitFeatures& features,
                              Index fewest_groups) {
  WardOptions options;
  options.fewest_groups = fewest_groups;
  return build_compact_hierarchy(graph, features, features, options);
}

/// Columns of +-1 that are exactly orthogonal to each other and to a constant; their unit form is
/// exact, so that equal costs are equal to the last bit.
DenseMatrix orthogonal_columns(Index n_features) {
  constexpr Index kSamples = 16;
  DenseMatrix data(kSamples, n_features);
  for (Index j = 0; j < n_features; ++j) {
    for (Index i = 0; i < kSamples; ++i) {
      const auto common = static_cast<unsigned>(i) & static_cast<unsigned>(j + 1);
      data(i, j) = __builtin_popcount(common) % 2 == 0 ? 1 : -1;
    }
  }
  return data;
}

/// Copies of a feature in so many units that no two have the same rounding.
void copy_in_other_units(DenseMatrix& data, Index from, Index to) {
  for (Index i = 0; i < data.n_samples(); ++i) {
    data(i, to) = (1 + 0.37 * to) * data(i, from) + 0.1 * to;
  }
}

TEST(JoinedComponents, bring_a_feature_and_its_negative_together_first) {
  DenseMatrix data = random_matrix(30, 5, 4);
  for (Index i = 0; i < 30; ++i) data(i, 3) = -2 * data(i, 1) + 1;
  const auto hierarchy = hierarchy_of(graph_from_edges(5, {}), centred(data), 1);
  EXPECT_EQ(hierarchy.n_edge_merges, 0);
  EXPECT_EQ(hierarchy.merges[0].a, 1);
  EXPECT_EQ(hierarchy.merges[0].b, 3);
  EXPECT_NEAR(hierarchy.merges[0].cost, 0, 1e-12);
}

TEST(JoinedComponents, count_the_sizes_of_groups_and_not_only_how_near_their_means_are) {
  // Products of a, b, c: ab 0.5, ac 0.4, bc 0.45. With nine copies of b its mean is the nearest one
  // of a and of c, at costs 0.9 * 1.0 and 0.9 * 1.1; but a and c cost 0.5 * 1.2.
  const DenseMatrix basis = orthogonal_columns(3);
  const double ac_rest = (0.45 - 0.5 * 0.4) / std::sqrt(0.75);
  DenseMatrix data(basis.n_samples(), 11);
  for (Index i = 0; i < basis.n_samples(); ++i) {
    data(i, 0) = basis(i, 0);
    data(i, 1) = 0.4 * basis(i, 0) + ac_rest * basis(i, 1) +
                 std::sqrt(1 - 0.16 - ac_rest * ac_rest) * basis(i, 2);
    for (Index j = 2; j < 11; ++j) {
      data(i, j) = 0.5 * basis(i, 0) + std::sqrt(0.75) * basis(i, 1);
    }
  }
  std::vector<Edge> edges;
  for (Index j = 3; j < 11; ++j) edges.push_back({j - 1, j});
  const auto hierarchy = hierarchy_of(graph_from_edges(11, edges), centred(data), 1);
  ASSERT_EQ(hierarchy.n_edge_merges, 8);
  EXPECT_EQ(hierarchy.merges[8].a, 0);
  EXPECT_EQ(hierarchy.merges[8].b, 1);
  EXPECT_NEAR(hierarchy.merges[8].cost, 0.6, 1e-12);
}

TEST(JoinedComponents, go_to_the_lowest_of_partners_that_cost_the_same) {
  const auto hierarchy = hierarchy_of(graph_from_edges(6, {}), centred(orthogonal_columns(6)), 1);
  EXPECT_EQ(hierarchy.merges[0].a, 0);
  EXPECT_EQ(hierarchy.merges[0].b, 1);
  EXPECT_DOUBLE_EQ(hierarchy.merges[0].cost, 1);
}

TEST(JoinedComponents, end_with_as_many_groups_as_asked_for) {
  const UnitFeatures features = centred(random_matrix(20, 30, 6));
  for (const Index fewest : {1, 2, 7, 29}) {
    const auto hierarchy = hierarchy_of(graph_from_edges(30, {}), features, fewest);
    EXPECT_EQ(cut(hierarchy, static_cast<Index>(hierarchy.merges.size())).n_groups(), fewest);
  }
  EXPECT_TRUE(hierarchy_of(graph_from_edges(30, {}), features, 0).merges.empty());
}

TEST(Ward, merges_the_pair_with_the_lower_first_member_of_two_that_cost_the_same) {
  const auto graph = graph_from_edges(4, {{1, 2}, {3, 0}});
  const auto hierarchy = hierarchy_of(graph, centred(orthogonal_columns(4)), 0);
  ASSERT_EQ(hierarchy.merges.size(), 2U);
  EXPECT_EQ(hierarchy.merges[0].a, 0);
  EXPECT_EQ(hierarchy.merges[0].b, 3);
}

/// Thirty features, each with three copies in other units; edges in a ring: all in-degrees are 1.
struct Copies {
  Copies() : data(random_matrix(25, 120, 9)) {
    for (Index j = 0; j < 120; ++j) {
      if (j % 4 != 0) copy_in_other_units(data, j / 4 * 4, j);
      edges.push_back({j, j % 4 == 3 ? j - 3 : j + 1});
    }
  }
  DenseMatrix data;
  std::vector<Edge> edges;
};

TEST(CompactMedoid, of_copies_is_the_lowest_whatever_their_units_and_rounding_say) {
  const Copies copies;
  const UnitFeatures features = centred(copies.data);
  const auto hierarchy = hierarchy_of(graph_from_edges(120, copies.edges), features, 0);
  const auto n_merges = static_cast<Index>(hierarchy.merges.size());
  const Groups groups = cut(hierarchy, n_merges);
  ASSERT_EQ(groups.n_groups(), 30);
  const auto chosen = representatives(hierarchy, groups, n_merges);
  for (Index g = 0; g < 30; ++g) EXPECT_EQ(chosen[g], 4 * g);
}

TEST(CompactMedoid, of_two_is_the_one_that_depends_less_on_a_single_sample) {
  DenseMatrix data = random_matrix(25, 2, 9);
  for (Index i = 0; i < 25; ++i) data(i, 1) = data(i, 0) + (i == 3 ? 2.0 : 0.0);
  for (const Index unusual : {1, 0}) {
    if (unusual == 0) std::ranges::swap_ranges(data.column(0), data.column(1));
    const double peak = std::fabs(std::get<DenseMatrix>(centred(data).matrix)(3, unusual));
    ASSERT_GT(peak, 0.3);
    const auto hierarchy = hierarchy_of(graph_from_edges(2, {{0, 1}, {1, 0}}), centred(data), 0);
    EXPECT_EQ(hierarchy.merges.back().representative, 1 - unusual);
  }
}

TEST(CompactMedoid, of_equal_columns_is_the_lowest) {
  DenseMatrix data = random_matrix(25, 8, 9);
  for (Index j = 1; j < 8; ++j) std::ranges::copy(data.column(0), data.column(j).begin());
  std::vector<Edge> ring;
  for (Index j = 0; j < 8; ++j) ring.push_back({j, (j + 1) % 8});
  const auto hierarchy = hierarchy_of(graph_from_edges(8, ring), centred(data), 0);
  EXPECT_EQ(hierarchy.merges.back().representative, 0);
}

TEST(Medoid, of_copies_is_the_lowest_whatever_rounding_says) {
  const Copies copies;
  const UnitFeatures features = centred(copies.data);
  const FeatureGraph graph = graph_from_edges(120, copies.edges);
  const auto hierarchy = hierarchy_of(graph, features, 0);
  const Groups groups = cut(hierarchy, static_cast<Index>(hierarchy.merges.size()));
  ASSERT_EQ(groups.n_groups(), 30);
  const auto chosen =
      choose_representatives(groups, graph, &features, {RepresentativeRule::medoid, {}, {}});
  for (Index g = 0; g < 30; ++g) EXPECT_EQ(chosen[g], 4 * g);
}

TEST(ChosenRepresentatives, that_are_listed_come_before_the_most_used_ones) {
  // 0 is used by all others; the list has one feature that nobody uses.
  const FeatureGraph graph = graph_from_edges(4, {{1, 0}, {2, 0}, {3, 0}});
  const UnitFeatures features = centred(orthogonal_columns(4));
  const Groups all = cut(hierarchy_of(graph, features, 0), 3);
  EXPECT_EQ(choose_representatives(all, graph, nullptr, {RepresentativeRule::priority, {2}, {}}),
            std::vector<Index>{2});
}

TEST(ChosenRepresentatives, are_not_used_by_edges_without_weight) {
  const FeatureGraph graph = graph_from_edges(4, {{0, 3, 0.0}, {1, 3, 0.0}, {2, 1}, {3, 0, 0.0}});
  const UnitFeatures features = centred(orthogonal_columns(4));
  const Groups all = cut(hierarchy_of(graph, features, 0), 3);
  ASSERT_EQ(all.n_groups(), 1);
  EXPECT_EQ(choose_representatives(all, graph, nullptr, {}), std::vector<Index>{1});
}

TEST(NearestKept, of_kept_features_that_are_equally_near_is_the_lowest) {
  // 0 to 9 are copies in other units; the others are 0 and noise.
  DenseMatrix data = random_matrix(25, 60, 12);
  for (Index j = 1; j < 10; ++j) copy_in_other_units(data, 0, j);
  for (Index j = 10; j < 60; ++j) {
    for (Index i = 0; i < 25; ++i) data(i, j) += data(i, 0);
  }
  const UnitFeatures features = centred(data);
  std::vector<Index> kept(10);
  std::iota(kept.begin(), kept.end(), Index{0});
  const std::vector<Index> backwards(kept.rbegin(), kept.rend());
  const auto of_sorted = nearest_kept(features, kept);
  const auto of_backwards = nearest_kept(features, backwards);
  for (std::size_t j = 10; j < 60; ++j) {
    EXPECT_EQ(of_sorted[j].feature, 0) << j;
    EXPECT_EQ(of_backwards[j].feature, 0) << j;
  }
}

TEST(NearestKept, has_an_r2_of_at_most_1) {
  DenseMatrix data = random_matrix(25, 200, 14);
  for (Index j = 1; j < 200; ++j) copy_in_other_units(data, 0, j);
  const std::vector<Index> kept{0};
  for (const NearestKept& nearest : nearest_kept(centred(data), kept)) {
    EXPECT_LE(nearest.r2, 1);
    EXPECT_NEAR(nearest.r2, 1, 1e-12);
  }
}

}  // namespace
}  // namespace sfg
