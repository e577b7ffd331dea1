#include "sfg/groups.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <set>

#include "core/random.hpp"
#include "helpers.hpp"
#include "reference.hpp"

namespace sfg {
namespace {

using testing::canonical_labels;
using testing::expect_error;
using testing::reference_groups;

/// A graph from a list of edges {i, j, weight}.
FeatureGraph graph_of(Index d, const std::vector<Merge>& edges) {
  FeatureGraph graph;
  graph.starts.assign(1, 0);
  for (Index i = 0; i < d; ++i) {
    for (Index j = 0; j < d; ++j) {
      for (const Merge& edge : edges) {
        if (edge.a != i || edge.b != j) continue;
        graph.neighbours.push_back(j);
        graph.weights.push_back(edge.weight);
      }
    }
    graph.starts.push_back(static_cast<Offset>(graph.neighbours.size()));
    graph.angle.push_back(1);
    graph.failed.push_back(0);
    graph.status.push_back(PursuitStatus::small_gain);
  }
  graph.feature_names = generated_names(d);
  return graph;
}

/// Few distinct weights, some rows failed.
FeatureGraph random_graph(Index d, std::uint64_t seed) {
  detail::Random random(seed);
  std::vector<Merge> edges;
  for (Index i = 0; i < d; ++i) {
    for (Index j = 0; j < d; ++j) {
      if (i == j || random.uniform() > 2.0 / d) continue;
      edges.push_back({i, j, (static_cast<double>(random.below(9)) - 4) / 4});
    }
  }
  FeatureGraph graph = graph_of(d, edges);
  for (auto& failed : graph.failed) failed = random.below(5) == 0 ? 1 : 0;
  return graph;
}

RC_GTEST_PROP(ComponentHierarchy, gives_the_groups_of_the_papers_algorithm_3_at_every_threshold,
              ()) {
  const auto d = *rc::gen::inRange<Index>(1, 40);
  const auto graph = random_graph(d, *rc::gen::arbitrary<std::uint32_t>());
  const auto hierarchy = build_component_hierarchy(graph);
  for (const double threshold : {0.0, 0.1, 0.25, 0.3, 0.5, 0.6, 0.75, 0.9, 1.0, 2.0}) {
    const Groups groups = cut(hierarchy, threshold);
    const auto expected = canonical_labels(reference_groups(graph, threshold));
    RC_ASSERT(std::vector<int>(groups.group_of.begin(), groups.group_of.end()) == expected);
    RC_ASSERT(count_groups(hierarchy, threshold) == groups.n_groups());
  }
}

TEST(ComponentHierarchy, theta_is_a_place_between_the_smallest_and_the_largest_weight) {
  const auto hierarchy =
      build_component_hierarchy(graph_of(4, {{0, 1, 0.2}, {1, 2, -1.2}, {3, 0, 0}}));
  EXPECT_DOUBLE_EQ(hierarchy.min_weight, 0.2);
  EXPECT_DOUBLE_EQ(hierarchy.max_weight, 1.2);
  EXPECT_DOUBLE_EQ(weight_threshold(hierarchy, 0.5), 0.7);
  expect_error(ErrorCode::invalid_option, {"theta"}, [&] { (void)weight_threshold(hierarchy, 1); });
  expect_error(ErrorCode::invalid_option, {"theta"},
               [&] { (void)weight_threshold(hierarchy, std::nan("")); });
}

TEST(ComponentHierarchy, an_edge_with_exactly_the_threshold_does_not_join) {
  const auto hierarchy = build_component_hierarchy(graph_of(3, {{0, 1, 0.5}, {1, 2, 0.75}}));
  EXPECT_EQ(count_groups(hierarchy, 0.5), 2);
  EXPECT_EQ(count_groups(hierarchy, 0.4999), 1);
}

TEST(ComponentHierarchy, without_edges_every_feature_is_a_group) {
  const auto hierarchy = build_component_hierarchy(graph_of(3, {}));
  EXPECT_EQ(cut(hierarchy, weight_threshold(hierarchy, 0.5)).n_groups(), 3);
}

TEST(Groups, list_every_feature_once_in_ascending_order) {
  const auto groups = cut(build_component_hierarchy(random_graph(30, 3)), 0.4);
  std::set<Index> seen;
  for (Index g = 0; g < groups.n_groups(); ++g) {
    const auto members = groups.members_of(g);
    EXPECT_TRUE(std::ranges::is_sorted(members));
    for (const Index member : members) {
      EXPECT_TRUE(seen.insert(member).second);
      EXPECT_EQ(groups.group_of[member], g);
    }
  }
  EXPECT_EQ(seen.size(), 30U);
}

/// 0 and 1 use 2 (weakly), 3 uses 1 strongly; all one group. 2 has the longest representation.
class Representatives : public ::testing::Test {
 protected:
  FeatureGraph graph_ =
      graph_of(5, {{0, 2, 0.3}, {1, 2, 0.3}, {3, 1, 0.9}, {2, 0, 0.4}, {2, 1, 0.2}, {2, 3, 0.4}});
  Groups groups_ = cut(build_component_hierarchy(graph_), 0);

  [[nodiscard]] std::vector<Index> choose(RepresentativeOptions options) const {
    return choose_representatives(groups_, graph_, nullptr, options);
  }
};

TEST_F(Representatives, are_chosen_by_in_degree_with_ties_to_the_lowest_index) {
  EXPECT_EQ(choose({}), (std::vector<Index>{1, 4}));
}

TEST_F(Representatives, can_be_chosen_by_out_degree_and_by_weighted_in_degree) {
  EXPECT_EQ(choose({RepresentativeRule::out_degree, {}, {}}), (std::vector<Index>{2, 4}));
  EXPECT_EQ(choose({RepresentativeRule::weighted_in_degree, {}, {}}), (std::vector<Index>{1, 4}));
}

TEST_F(Representatives, do_not_count_failed_representations) {
  graph_.failed[3] = 1;
  graph_.failed[2] = 1;
  EXPECT_EQ(choose({})[0], 2);
  EXPECT_EQ(choose({RepresentativeRule::out_degree, {}, {}})[0], 0);
}

TEST_F(Representatives, follow_a_priority_list_and_fall_back_to_in_degree) {
  EXPECT_EQ(choose({RepresentativeRule::priority, {3, 0}, {}}), (std::vector<Index>{3, 4}));
  EXPECT_EQ(choose({RepresentativeRule::priority, {4}, {}}), (std::vector<Index>{1, 4}));
}

TEST_F(Representatives, are_protected_features_where_a_group_has_some) {
  EXPECT_EQ(choose({RepresentativeRule::in_degree, {}, {0, 3}}), (std::vector<Index>{0, 4}));
}

TEST_F(Representatives, by_medoid_need_the_data) {
  expect_error(ErrorCode::invalid_option, {"medoid", "data"}, [&] {
    (void)choose({RepresentativeRule::medoid, {}, {}});
  });
}

TEST_F(Representatives, by_medoid_are_closest_to_their_group) {
  DenseMatrix matrix = testing::random_matrix(50, 5, 1);
  for (const Index k : {0, 1, 3}) {
    for (Index i = 0; i < 50; ++i) matrix(i, k) = matrix(i, 2) + 0.5 * matrix(i, k);
  }
  const auto features = normalise(matrix, {});
  EXPECT_EQ(
      choose_representatives(groups_, graph_, &features, {RepresentativeRule::medoid, {}, {}})[0],
      2);
}

TEST(RepresentativeRules, have_names_that_read_back) {
  for (const char* name : {"in-degree", "out-degree", "weighted-in-degree", "medoid", "priority"}) {
    EXPECT_EQ(choice_name(choice_from_name<RepresentativeRule>(name, "representative")), name);
  }
  expect_error(ErrorCode::invalid_option, {"'best'", "in-degree"},
               [] { (void)choice_from_name<RepresentativeRule>("best", "representative"); });
}

}  // namespace
}  // namespace sfg
