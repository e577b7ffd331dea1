// Neighbours along a line: only near features stand for each other.
#include "sfg/window.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/random.hpp"
#include "helpers.hpp"
#include "pursuit/near_pursuit.hpp"
#include "reference.hpp"
#include "sfg/pipeline.hpp"
#include "sfg/verdict.hpp"

namespace sfg {
namespace {

using testing::centred;
using testing::expect_error;
using testing::random_matrix;
using testing::reference_pairwise;
using testing::table_of;
using testing::textbook_r2;
using testing::tied_matrix;
using testing::with_threads;

constexpr double kRoundedR2 = 1e-12;

/// Each column is much like the one before it, as along a spectrum or a chromosome.
DenseMatrix drifting_matrix(Index n, Index d, std::uint64_t seed) {
  DenseMatrix data = random_matrix(n, d, seed);
  detail::Random random(seed + 1);
  for (Index j = 1; j < d; ++j) {
    const double share = random.uniform() < 0.1 ? 0.0 : random.uniform(0.7, 0.999);
    for (Index i = 0; i < n; ++i) {
      data(i, j) = share * data(i, j - 1) + std::sqrt(1 - share * share) * data(i, j);
    }
  }
  return data;
}

/// Positions that repeat, on a few chromosomes, in no order.
FeaturePositions any_positions(Index d, std::uint64_t seed) {
  detail::Random random(seed);
  FeaturePositions positions;
  for (Index i = 0; i < d; ++i) {
    positions.chromosome.push_back(static_cast<Index>(random.below(3)));
    positions.position.push_back(static_cast<double>(random.below(30)) / 2);
  }
  return positions;
}

WindowOptions near_within(double width, FeaturePositions positions = {}) {
  return {width, std::move(positions)};
}

MethodOptions compact_within(WindowOptions along) {
  CompactOptions compact;
  compact.along = std::move(along);
  compact.equations.equations = false;
  compact.level.min_mean_r2 = 0.8;
  compact.level.rescue = false;
  MethodOptions options;
  options.grouping = compact;
  return options;
}

MethodOptions pairwise_within(double max_r2, WindowOptions along) {
  PairwiseOptions pairwise;
  pairwise.max_r2 = max_r2;
  pairwise.along = std::move(along);
  MethodOptions options;
  options.grouping = pairwise;
  return options;
}

RC_GTEST_PROP(Window, near_are_those_of_the_chromosome_that_are_no_farther_than_the_window, ()) {
  const auto d = *rc::gen::inRange<Index>(1, 40);
  const WindowOptions options = near_within(*rc::gen::element(0.5, 1.0, 3.0, 100.0),
                                            any_positions(d, *rc::gen::arbitrary<std::uint32_t>()));
  const Window window(options, d);
  const FeaturePositions& at = options.positions;
  for (Index i = 0; i < d; ++i) {
    RC_ASSERT(window.order()[window.place_of(i)] == i);
    for (Index j = 0; j < d; ++j) {
      const bool near = at.chromosome[i] == at.chromosome[j] &&
                        std::fabs(at.position[i] - at.position[j]) <= *options.window;
      RC_ASSERT(window.near(i, j) == near);
    }
  }
}

TEST(Window, without_positions_it_counts_columns) {
  const Window window(near_within(2), 6);
  EXPECT_TRUE(window.near(1, 3));
  EXPECT_FALSE(window.near(1, 4));
  EXPECT_EQ(window.widest(), 5);
}

RC_GTEST_PROP(WindowPairwise, picks_what_the_rule_written_out_would_pick, ()) {
  const auto d = *rc::gen::inRange<Index>(2, 16);
  const auto seed = *rc::gen::arbitrary<std::uint32_t>();
  const DenseMatrix data =
      *rc::gen::arbitrary<bool>() ? random_matrix(8, d, seed) : drifting_matrix(12, d, seed);
  const bool has_positions = *rc::gen::arbitrary<bool>();
  const Window window(near_within(*rc::gen::element(1.0, 2.0, 5.0),
                                  has_positions ? any_positions(d, seed) : FeaturePositions{}),
                      d);
  const double max_r2 = *rc::gen::element(0.05, 0.3, 0.6, 0.9);
  RC_ASSERT(pairwise(centred(data), {max_r2, {}, {}, &window}).picks ==
            reference_pairwise(data, max_r2, &window));
}

/// Both halves of the promise over all pairs that are near, and nothing said of the others.
void expect_promise_within(const DenseMatrix& data, const Reduction& reduction, double max_r2,
                           const Window& window) {
  std::vector<char> is_kept(static_cast<std::size_t>(data.n_features()), 0);
  for (const Index feature : reduction.kept) is_kept[feature] = 1;
  for (Index i = 0; i < data.n_features(); ++i) {
    double largest = 0;
    for (const Index k : reduction.kept) {
      if (k == i || !window.near(i, k)) continue;
      largest = std::max(largest, textbook_r2(data.column(i), data.column(k)));
    }
    const auto [low, high] = std::ranges::minmax(data.column(i));
    if (is_kept[i] != 0) {
      EXPECT_LE(largest, max_r2) << "kept feature " << i;
    } else if (low < high) {
      EXPECT_GE(largest, max_r2 - kRoundedR2) << "removed feature " << i;
    }
  }
  for (const RemovedFeature& removed : reduction.removed) {
    if (removed.reason != RemovalReason::redundant) continue;
    EXPECT_TRUE(window.near(removed.feature, removed.representative));
    EXPECT_TRUE(window.near(removed.feature, removed.best_kept));
    for (const Term& term : removed.combination.terms) {
      EXPECT_TRUE(window.near(removed.feature, term.feature));
    }
  }
}

TEST(WindowPairwise, holds_its_promise_in_both_directions) {
  for (const double max_r2 : {0.2, 0.8}) {
    const DenseMatrix drifting = drifting_matrix(40, 700, 3);
    const WindowOptions counted = near_within(30);
    expect_promise_within(drifting,
                          reduce(table_of(drifting), pairwise_within(max_r2, counted)).reduction,
                          max_r2, Window(counted, 700));
    const DenseMatrix ties = tied_matrix(12, 300, 5);
    const WindowOptions placed = near_within(2.5, any_positions(300, 8));
    expect_promise_within(ties, reduce(table_of(ties), pairwise_within(max_r2, placed)).reduction,
                          max_r2, Window(placed, 300));
  }
}

TEST(WindowPairwise, the_mean_r2_is_with_the_near_picks_so_far) {
  const DenseMatrix data = drifting_matrix(20, 300, 4);
  const UnitFeatures features = centred(data);
  const Window window(near_within(12), 300);
  const auto sequence = pairwise(features, {0.5, {}, {}, &window});
  for (const std::size_t n_picks : {std::size_t{1}, std::size_t{25}, sequence.picks.size()}) {
    const auto end = sequence.picks.begin() + static_cast<std::ptrdiff_t>(n_picks);
    const std::vector<Index> kept(sequence.picks.begin(), end);
    double sum = 0;
    for (const NearestKept& one : nearest_kept(features, kept, &window, {})) sum += one.r2;
    const auto count = static_cast<double>(n_picks);
    EXPECT_NEAR(sequence.mean_r2[n_picks - 1], (sum - count) / (300 - count), 1e-9);
  }
}

TEST(WindowPairwise, is_the_same_for_every_number_of_threads_with_lists_of_pairs_and_without) {
  const UnitFeatures features = centred(drifting_matrix(30, 900, 8));
  const Window window(near_within(100), 900);
  const PairwiseRequest request{0.3, {3}, {700, 20}, &window};
  const auto expected = pairwise(features, request, with_threads(1));
  RunContext little = with_threads(3);
  for (little.memory_limit = 20'000;; little.memory_limit += 20'000) {
    try {
      EXPECT_EQ(pairwise(features, request, little).picks, expected.picks);
      break;
    } catch (const Error& error) {
      ASSERT_EQ(error.code(), ErrorCode::over_memory);
    }
  }
  const auto many = pairwise(features, request, with_threads(3));
  EXPECT_EQ(many.picks, expected.picks);
  EXPECT_EQ(many.mean_r2, expected.mean_r2);
}

/// What a user sees of two results is the same, to the last bit.
void expect_same_answer(const MethodResult& a, const MethodResult& b) {
  EXPECT_EQ(a.reduction.kept, b.reduction.kept);
  EXPECT_EQ(a.reduction.groups.group_of, b.reduction.groups.group_of);
  EXPECT_EQ(a.reduction.representatives, b.reduction.representatives);
  EXPECT_EQ(a.graph.neighbours, b.graph.neighbours);
  EXPECT_EQ(a.graph.weights, b.graph.weights);
  ASSERT_EQ(a.reduction.removed.size(), b.reduction.removed.size());
  for (std::size_t k = 0; k < a.reduction.removed.size(); ++k) {
    const RemovedFeature& one = a.reduction.removed[k];
    const RemovedFeature& other = b.reduction.removed[k];
    EXPECT_EQ(one.r2, other.r2);
    EXPECT_EQ(one.best_kept, other.best_kept);
    EXPECT_EQ(one.combination.terms.size(), other.combination.terms.size());
  }
}

TEST(Window, one_as_wide_as_the_table_changes_nothing) {
  for (const bool ties : {false, true}) {
    // More features than samples, and fewer.
    for (const Index n : {25, 150}) {
      const Dataset data = table_of(ties ? tied_matrix(n, 100, 2) : drifting_matrix(n, 100, n));
      expect_same_answer(reduce(data, compact_within({})),
                         reduce(data, compact_within(near_within(100))));
      expect_same_answer(reduce(data, pairwise_within(0.5, {})),
                         reduce(data, pairwise_within(0.5, near_within(100))));
    }
  }
}

TEST(Window, no_threads_change_the_answer) {
  const Dataset data = table_of(drifting_matrix(40, 600, 6));
  const MethodOptions options = compact_within(near_within(25));
  expect_same_answer(reduce(data, options, with_threads(1)),
                     reduce(data, options, with_threads(3)));
}

TEST(Window, features_of_two_chromosomes_never_stand_for_each_other) {
  const DenseMatrix base = drifting_matrix(40, 60, 9);
  DenseMatrix twice(40, 120);
  FeaturePositions positions;
  for (Index j = 0; j < 120; ++j) {
    std::ranges::copy(base.column(j % 60), twice.column(j).begin());
    positions.chromosome.push_back(j / 60);
    positions.position.push_back(j % 60);
  }
  const Dataset data = table_of(twice);
  for (const MethodOptions& options : {compact_within(near_within(10, positions)),
                                       pairwise_within(0.7, near_within(10, positions))}) {
    const Reduction reduction = reduce(data, options).reduction;
    std::vector<Index> first;
    std::vector<Index> second;
    for (const Index kept : reduction.kept) {
      (kept < 60 ? first : second).push_back(kept % 60);
    }
    EXPECT_EQ(first, second);
    EXPECT_LT(first.size(), 60U);
    for (const RemovedFeature& removed : reduction.removed) {
      EXPECT_EQ(removed.feature / 60, removed.representative / 60);
    }
  }
}

TEST(Window, permuted_columns_with_their_positions_give_the_same_features) {
  const DenseMatrix base = drifting_matrix(40, 400, 12);
  std::vector<Index> order(400);
  std::iota(order.begin(), order.end(), Index{0});
  detail::Random random(5);
  detail::shuffle(order, random);
  DenseMatrix other(40, 400);
  FeaturePositions positions;
  for (Index j = 0; j < 400; ++j) {
    std::ranges::copy(base.column(order[j]), other.column(j).begin());
    positions.chromosome.push_back(0);
    positions.position.push_back(order[j]);
  }
  const auto kept_of = [&](const MethodOptions& plain, const MethodOptions& permuted) {
    std::vector<Index> found;
    for (const Index kept : reduce(table_of(other), permuted).reduction.kept) {
      found.push_back(order[kept]);
    }
    std::ranges::sort(found);
    EXPECT_EQ(found, reduce(table_of(base), plain).reduction.kept);
  };
  kept_of(compact_within(near_within(20)), compact_within(near_within(20, positions)));
  kept_of(pairwise_within(0.5, near_within(20)), pairwise_within(0.5, near_within(20, positions)));
}

/// The pursuit of each target on a table of nothing but the features near it.
RC_GTEST_PROP(WindowPursuit, describes_by_near_features_as_a_pursuit_of_these_alone, ()) {
  const auto d = *rc::gen::inRange<Index>(2, 30);
  const auto seed = *rc::gen::arbitrary<std::uint32_t>();
  const UnitFeatures features = centred(drifting_matrix(15, d, seed));
  const Window window(near_within(*rc::gen::element(1.0, 3.0), any_positions(d, seed)), d);
  PursuitOptions options;
  options.method = *rc::gen::element(PursuitMethod::omp, PursuitMethod::ols);
  const auto found = detail::pursue_near(features, window, options, {}, {});
  for (Index target = 0; target < d; ++target) {
    std::vector<Index> near;
    for (const Index feature : window.order()) {
      if (window.near(target, feature)) near.push_back(feature);
    }
    const auto own = std::ranges::find(near, target) - near.begin();
    const auto alone =
        pursue_some(select_features(features, near), {static_cast<Index>(own)}, options);
    std::vector<Index> atoms;
    for (const Index atom : alone.atoms_of(0)) atoms.push_back(near[atom]);
    const auto got = found.atoms_of(target);
    RC_ASSERT(std::vector<Index>(got.begin(), got.end()) == atoms);
  }
}

TEST(WindowCompact, whole_groups_fit_into_the_window) {
  const Index d = 500;
  const FeaturePositions positions = any_positions(d, 4);
  const WindowOptions along = near_within(2, positions);
  const Window window(along, d);
  const MethodResult result = reduce(table_of(drifting_matrix(60, d, 1)), compact_within(along));
  const Groups& groups = result.reduction.groups;
  EXPECT_GT(groups.largest(), 1);
  for (Index g = 0; g < groups.n_groups(); ++g) {
    for (const Index a : groups.members_of(g)) {
      for (const Index b : groups.members_of(g)) EXPECT_TRUE(window.near(a, b));
    }
  }
  for (Index i = 0; i < d; ++i) {
    for (const Index j : result.graph.neighbours_of(i)) EXPECT_TRUE(window.near(i, j));
  }
}

TEST(WindowCompact, sparse_data_give_the_same_groups_as_dense_ones) {
  const DenseMatrix ties = tied_matrix(40, 150, 3);
  Dataset dense = table_of(ties);
  Dataset sparse = dense;
  sparse.matrix = to_sparse(ties);
  const MethodOptions options = compact_within(near_within(15));
  EXPECT_EQ(reduce(dense, options).reduction.groups.group_of,
            reduce(sparse, options).reduction.groups.group_of);
}

TEST(Window, what_it_does_not_go_with_is_refused) {
  const Dataset data = table_of(drifting_matrix(30, 60, 2));
  const auto refused = [&](const MethodOptions& options,
                           std::initializer_list<std::string_view> words) {
    expect_error(ErrorCode::invalid_option, words,
                 [&] { static_cast<void>(reduce(data, options)); });
  };
  MethodOptions options = compact_within({{}, any_positions(60, 1)});
  refused(options, {"positions", "add window"});
  options = compact_within(near_within(5));
  options.reduce.certify = 0.8;
  refused(options, {"certify", "window"});
  options = compact_within(near_within(5));
  std::get<CompactOptions>(options.grouping).edges = EdgeSource::knn;
  refused(options, {"window", "edges"});
  options = compact_within(near_within(5));
  std::get<CompactOptions>(options.grouping).level = {};
  std::get<CompactOptions>(options.grouping).level.n_features = 2;
  refused(options, {"2 features are asked for", "window"});
  expect_error(ErrorCode::inconsistent_input, {"30 positions of 60 features"}, [&] {
    static_cast<void>(reduce(data, compact_within(near_within(5, any_positions(30, 1)))));
  });
}

TEST(Window, the_verdict_claims_nothing_beyond_it) {
  const Dataset data = table_of(drifting_matrix(30, 60, 2));
  for (const MethodOptions& options :
       {compact_within(near_within(5)), pairwise_within(0.8, near_within(5))}) {
    const std::string text = verdict(options, reduce(data, options));
    EXPECT_NE(text.find(", among neighbours within 5 features."), std::string::npos) << text;
  }
}

TEST(Window, refuses_more_memory_than_allowed_with_the_number) {
  const UnitFeatures features = centred(random_matrix(100, 2000, 1));
  RunContext run = with_threads(1);
  run.memory_limit = 8'000'000;
  const Window narrow(near_within(50), 2000);
  EXPECT_EQ(detail::pursue_near(features, narrow, {}, run, {}).n_targets(), 2000);
  const Window wide(near_within(2000), 2000);
  expect_error(ErrorCode::over_memory, {"MB", "window"},
               [&] { static_cast<void>(detail::pursue_near(features, wide, {}, run, {})); });
}

}  // namespace
}  // namespace sfg
