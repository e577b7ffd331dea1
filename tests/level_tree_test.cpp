#include "report/level_tree.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <list>

#include "reference.hpp"
#include "sfg/pipeline.hpp"
#include "sfg/reduce.hpp"

namespace sfg {
namespace {

using detail::level_tree;
using detail::LevelTree;
using testing::tied_matrix;

/// The list holds r2 in steps of 1/65535.
constexpr double kStep = 1.0 / 65535;

/// Replays the merges as the page does: the slow, obvious way.
class Replayed {
 public:
  explicit Replayed(const LevelTree& tree, std::size_t n_features)
      : tree_(tree), r2(n_features, 1) {
    for (std::size_t i = 0; i < n_features; ++i) {
      members.push_back({static_cast<Index>(i)});
      representative.push_back(static_cast<Index>(i));
    }
  }

  void merge(std::size_t m) {
    const auto chosen = static_cast<Index>(tree_.representative[m]);
    for (const auto group : {tree_.a[m], tree_.b[m]}) {
      if (representative[group] == chosen) continue;
      for (const Index member : members[group]) {
        r2[member] = member == chosen ? 1 : tree_.r2.at(at_++) * kStep;
      }
    }
    members[tree_.a[m]].splice(members[tree_.a[m]].end(), members[tree_.b[m]]);
    representative[tree_.a[m]] = chosen;
  }

  [[nodiscard]] bool used_all() const { return at_ == tree_.r2.size(); }

 private:
  const LevelTree& tree_;
  std::size_t at_ = 0;

 public:
  std::vector<std::list<Index>> members;  ///< by lowest member
  std::vector<Index> representative;      ///< likewise
  std::vector<double> r2;
};

/// The replayed groups, representatives and r2 are those of a cut that the program makes.
void expect_same(const Replayed& replayed, const Groups& groups,
                 const std::vector<Index>& representatives, const UnitFeatures& centred) {
  for (Index g = 0; g < groups.n_groups(); ++g) {
    const auto members = groups.members_of(g);
    const auto lowest = static_cast<std::size_t>(members.front());
    std::list<Index> sorted = replayed.members[lowest];
    sorted.sort();
    RC_ASSERT(std::ranges::equal(sorted, members));
    const Index representative = representatives[g];
    RC_ASSERT(replayed.representative[lowest] == representative);
    for (const Index member : members) {
      const double r2 =
          member == representative ? 1 : squared_correlation(centred, member, representative);
      RC_ASSERT(std::fabs(replayed.r2[member] - r2) <= kStep);
    }
  }
}

Dataset tied_dataset(std::uint32_t seed) {
  Dataset dataset;
  dataset.matrix = tied_matrix(12, 15, seed);
  dataset.feature_names = generated_names(15);
  return dataset;
}

RC_GTEST_PROP(LevelTree, replays_compact_groups_at_every_level, ()) {
  const Dataset dataset = tied_dataset(*rc::gen::arbitrary<std::uint32_t>());
  MethodOptions options;
  options.keep = {3, 8};
  const MethodResult result = reduce(dataset, options);
  const UnitFeatures centred = normalise(dataset.matrix, {Centering::mean});
  const LevelTree tree = level_tree(result.hierarchy, result.graph, {}, centred, {});
  const auto& compact = std::get<CompactHierarchy>(result.hierarchy);
  Replayed replayed(tree, 15);
  for (std::size_t m = 0; m <= tree.a.size(); ++m) {
    const auto level = static_cast<Index>(m);
    const Groups groups = cut(compact, level);
    expect_same(replayed, groups, representatives(compact, groups, level), centred);
    if (m < tree.a.size()) replayed.merge(m);
  }
  RC_ASSERT(replayed.used_all());
  RC_ASSERT(tree.n_measured == tree.a.size());
}

RC_GTEST_PROP(LevelTree, replays_the_papers_groups_at_every_level, ()) {
  const Dataset dataset = tied_dataset(*rc::gen::arbitrary<std::uint32_t>());
  MethodOptions options;
  ComponentOptions components;
  components.representative =
      *rc::gen::element(RepresentativeRule::in_degree, RepresentativeRule::out_degree,
                        RepresentativeRule::weighted_in_degree, RepresentativeRule::priority);
  components.priority = {7, 2};
  options.grouping = components;
  options.keep = {3, 8};
  const MethodResult result = reduce(dataset, options);
  const UnitFeatures centred = normalise(dataset.matrix, {Centering::mean});
  const auto how = representative_of(options.grouping, options.keep);
  const LevelTree tree = level_tree(result.hierarchy, result.graph, how, centred, {});
  Replayed replayed(tree, 15);
  for (std::size_t m = 0; m <= tree.a.size(); ++m) {
    const Groups groups =
        cut_after(std::get<ComponentHierarchy>(result.hierarchy), static_cast<Index>(m));
    const auto chosen = choose_representatives(groups, result.graph, nullptr, how);
    expect_same(replayed, groups, chosen, centred);
    if (m < tree.a.size()) replayed.merge(m);
  }
  RC_ASSERT(replayed.used_all());
}

TEST(LevelTree, is_the_same_for_any_number_of_threads) {
  const Dataset dataset = tied_dataset(5);
  const MethodResult result = reduce(dataset, {});
  const UnitFeatures centred = normalise(dataset.matrix, {Centering::mean});
  const LevelTree expected = level_tree(result.hierarchy, result.graph, {}, centred, {});
  sfg::RunContext run;
  run.threads = 3;
  EXPECT_EQ(level_tree(result.hierarchy, result.graph, {}, centred, run).r2, expected.r2);
}

}  // namespace
}  // namespace sfg
