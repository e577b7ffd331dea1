#include "sfg/pairwise.hpp"

#include <cblas.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/random.hpp"
#include "groups/close_pairs.hpp"
#include "helpers.hpp"
#include "reference.hpp"
#include "sfg/pipeline.hpp"
#include "sfg/reduce.hpp"

namespace sfg {
namespace {

using testing::centred;
using testing::random_matrix;
using testing::reference_pairwise;
using testing::textbook_r2;
using testing::tied_matrix;
using testing::with_threads;

/// What a check in other software may differ by.
constexpr double kRounding = 1e-12;

std::vector<Index> picks_of(const Matrix& data, const PairwiseRequest& request,
                            const RunContext& run = {}) {
  return pairwise(centred(data), request, run).picks;
}

std::vector<Index> ascending(std::vector<Index> features) {
  std::ranges::sort(features);
  return features;
}

/// Every feature less its mean, of length 1; one that does not vary is zero.
DenseMatrix standardised(const DenseMatrix& data) {
  DenseMatrix scores = data;
  for (Index j = 0; j < data.n_features(); ++j) {
    const auto column = scores.column(j);
    const double mean =
        std::accumulate(column.begin(), column.end(), 0.0) / static_cast<double>(column.size());
    for (double& value : column) value -= mean;
    const double squares = std::inner_product(column.begin(), column.end(), column.begin(), 0.0);
    const auto [low, high] = std::ranges::minmax(data.column(j));
    for (double& value : column) value = low < high ? value / std::sqrt(squares) : 0.0;
  }
  return scores;
}

/// Both halves of the promise, over all pairs.
void expect_promise(const DenseMatrix& data, const std::vector<Index>& kept, double max_r2) {
  const DenseMatrix scores = standardised(data);
  std::vector<char> is_kept(static_cast<std::size_t>(data.n_features()), 0);
  for (const Index feature : kept) is_kept[feature] = 1;
  for (Index i = 0; i < data.n_features(); ++i) {
    const auto column = scores.column(i);
    double largest = 0;
    for (const Index k : kept) {
      const double r = cblas_ddot(data.n_samples(), column.data(), 1, scores.column(k).data(), 1);
      if (k != i) largest = std::max(largest, r * r);
    }
    const bool varies = std::ranges::any_of(column, [](double value) { return value != 0; });
    if (is_kept[i] != 0) {
      EXPECT_LE(largest, max_r2) << "kept feature " << i;
    } else if (varies) {
      EXPECT_GE(largest, max_r2 - kRounding) << "removed feature " << i;
    }
  }
}

/// Correlated blocks of all widths and noise, in several units: what a table of genes is like.
DenseMatrix blocks_and_noise(Index n_samples, Index n_features, std::uint64_t seed) {
  DenseMatrix data = random_matrix(n_samples, n_features, seed);
  detail::Random random(seed + 1);
  Index begin = 0;
  while (begin < n_features * 3 / 4) {
    const auto width = static_cast<Index>(2 + random.bits() % 40);
    for (Index j = begin + 1; j < std::min(begin + width, n_features); ++j) {
      const double noise = 0.05 * static_cast<double>(1 + random.bits() % 30);
      for (Index i = 0; i < n_samples; ++i) {
        data(i, j) = 3 * (data(i, begin) + noise * data(i, j)) - 7;
      }
    }
    begin += width;
  }
  return data;
}

RC_GTEST_PROP(Pairwise, picks_what_the_rule_written_out_would_pick, ()) {
  const auto d = *rc::gen::inRange<Index>(2, 14);
  const auto n = *rc::gen::inRange<Index>(3, 10);
  const auto seed = *rc::gen::arbitrary<std::uint32_t>();
  const DenseMatrix data =
      *rc::gen::arbitrary<bool>() ? random_matrix(n, d, seed) : blocks_and_noise(n, d, seed);
  const double max_r2 = *rc::gen::element(0.05, 0.3, 0.6, 0.9, 1.0);
  RC_ASSERT(picks_of(data, {max_r2, {}, {}}) == reference_pairwise(data, max_r2));
}

TEST(Pairwise, holds_its_promise_over_all_pairs) {
  for (const double max_r2 : {0.1, 0.5, 0.8, 0.95}) {
    const DenseMatrix random = random_matrix(25, 300, 3);
    expect_promise(random, picks_of(random, {max_r2, {}, {}}), max_r2);
    const DenseMatrix ties = tied_matrix(12, 300, 5);
    expect_promise(ties, picks_of(ties, {max_r2, {}, {}}), max_r2);
  }
  // As wide as a table of genes: more tiles than one.
  const DenseMatrix genes = blocks_and_noise(200, 2000, 7);
  std::size_t last = 0;
  for (const double max_r2 : {0.5, 0.8, 0.95}) {
    const auto kept = picks_of(genes, {max_r2, {}, {}});
    expect_promise(genes, kept, max_r2);
    EXPECT_GT(kept.size(), last);
    EXPECT_LT(kept.size(), 2000U);
    last = kept.size();
  }
}

TEST(Pairwise, an_r2_of_exactly_the_limit_is_close_on_every_machine) {
  // r2 is 1/4 between the first two and 1/2 between the last two, whatever their units.
  DenseMatrix data(6, 3);
  const double values[3][6] = {{1, -1, 1, -1, 0, 0}, {1, -1, 0, 0, 1, -1}, {0, 0, 0, 0, 1, -1}};
  for (Index j = 0; j < 3; ++j) {
    for (Index i = 0; i < 6; ++i) data(i, j) = values[j][i] * (1 + 0.37 * j) + 11.1 * j;
  }
  ASSERT_NEAR(textbook_r2(data.column(0), data.column(1)), 0.25, 1e-15);
  EXPECT_EQ(picks_of(data, {0.25, {}, {}}), (std::vector<Index>{1}));
  EXPECT_EQ(picks_of(data, {0.2500001, {}, {}}), (std::vector<Index>{1, 0}));
}

TEST(Pairwise, keeps_one_of_every_family_of_copies_even_at_one) {
  const DenseMatrix base = random_matrix(20, 30, 2);
  DenseMatrix data(20, 90);
  for (Index j = 0; j < 90; ++j) {
    for (Index i = 0; i < 20; ++i) {
      data(i, j) = (j % 2 == 0 ? 1.7 : -0.3) * (1 + j) * base(i, j % 30) + 100 * j;
    }
  }
  for (const double max_r2 : {0.9, 1.0}) {
    const auto kept = ascending(picks_of(data, {max_r2, {}, {}}));
    std::vector<Index> first(30);
    std::iota(first.begin(), first.end(), Index{0});
    EXPECT_EQ(kept, first);
  }
}

TEST(Pairwise, constant_features_are_neither_picked_nor_close_to_anything) {
  DenseMatrix data = random_matrix(10, 6, 4);
  std::ranges::fill(data.column(0), 3.0);
  std::ranges::fill(data.column(4), 0.0);
  EXPECT_EQ(ascending(picks_of(data, {0.999, {0, 4, 4}, {0}})), (std::vector<Index>{1, 2, 3, 5}));
  PairwiseOptions options;
  options.max_r2 = 0.999;
  MethodOptions method;
  method.grouping = options;
  Dataset dataset;
  dataset.matrix = data;
  for (Index j = 0; j < 6; ++j) dataset.feature_names.push_back("f" + std::to_string(j));
  EXPECT_EQ(reduce(dataset, method).reduction.kept, (std::vector<Index>{1, 2, 3, 5}));
  options.keep_empty = true;
  method.grouping = options;
  EXPECT_EQ(reduce(dataset, method).reduction.kept.size(), 6U);
}

TEST(Pairwise, protected_features_stay_even_if_they_are_close_to_each_other) {
  DenseMatrix data = blocks_and_noise(60, 100, 9);
  std::ranges::copy(data.column(10), data.column(11).begin());
  std::ranges::copy(data.column(10), data.column(12).begin());
  const auto kept = picks_of(data, {0.8, {12, 11, 12}, {}});
  EXPECT_EQ(kept[0], 12);
  EXPECT_EQ(kept[1], 11);
  EXPECT_EQ(std::ranges::count(kept, 10), 0);
  EXPECT_EQ(std::ranges::count(kept, 12), 1);
  // All the rest is as promised: nothing that is kept beside them is close to them.
  std::vector<Index> others = kept;
  std::erase(others, 11);
  expect_promise(data, others, 0.8);
}

TEST(Pairwise, preferred_features_come_first_in_their_order) {
  DenseMatrix data = random_matrix(30, 20, 6);
  for (const Index copy : {5, 9}) std::ranges::copy(data.column(2), data.column(copy).begin());
  const auto kept = picks_of(data, {0.9, {7}, {9, 2, 17}});
  EXPECT_EQ((std::vector<Index>(kept.begin(), kept.begin() + 3)), (std::vector<Index>{7, 9, 17}));
  EXPECT_EQ(std::ranges::count(kept, 2) + std::ranges::count(kept, 5), 0);
  expect_promise(data, kept, 0.9);
}

TEST(Pairwise, features_that_nothing_is_close_to_come_last) {
  DenseMatrix data = random_matrix(40, 8, 1);
  std::ranges::copy(data.column(6), data.column(7).begin());
  EXPECT_EQ(picks_of(data, {0.9, {}, {}}), (std::vector<Index>{6, 0, 1, 2, 3, 4, 5}));
}

/// The run with little more memory than it takes at least: nothing is left for lists of pairs.
RunContext without_lists(const UnitFeatures& features, RunContext run) {
  constexpr std::size_t kStep = 20'000;
  for (run.memory_limit = kStep;; run.memory_limit += kStep) {
    try {
      const detail::ClosePairs pairs(features, 1.0, nullptr, run);
      return run;
    } catch (const Error& error) {
      if (error.code() != ErrorCode::over_memory) throw;
    }
  }
}

TEST(Pairwise, is_the_same_for_every_number_of_threads_with_lists_of_pairs_and_without) {
  const DenseMatrix data = blocks_and_noise(40, 900, 8);
  const UnitFeatures features = centred(data);
  for (const double max_r2 : {0.05, 0.5}) {
    const PairwiseRequest request{max_r2, {3}, {700, 20}};
    const auto expected = pairwise(features, request, with_threads(1));
    expect_promise(data, expected.picks, max_r2);
    for (const int threads : {1, 3}) {
      const RunContext much = with_threads(threads);
      const RunContext little = without_lists(features, much);
      EXPECT_TRUE(detail::ClosePairs(features, max_r2, nullptr, much).are_held());
      EXPECT_FALSE(detail::ClosePairs(features, max_r2, nullptr, little).are_held());
      for (const RunContext& run : {much, little}) {
        const auto found = pairwise(features, request, run);
        EXPECT_EQ(found.picks, expected.picks) << threads << " threads";
        EXPECT_EQ(found.mean_r2, expected.mean_r2);
      }
    }
  }
}

TEST(Pairwise, dense_and_sparse_data_give_the_same_picks) {
  const DenseMatrix ties = tied_matrix(25, 400, 2);
  const DenseMatrix blocks = blocks_and_noise(25, 400, 2);
  for (const double max_r2 : {0.2, 0.7, 1.0}) {
    EXPECT_EQ(picks_of(to_sparse(ties), {max_r2, {}, {}}), picks_of(ties, {max_r2, {}, {}}));
    EXPECT_EQ(picks_of(to_sparse(blocks), {max_r2, {}, {}}), picks_of(blocks, {max_r2, {}, {}}));
  }
}

TEST(Pairwise, permuted_and_rescaled_columns_give_the_same_features) {
  const DenseMatrix data = blocks_and_noise(50, 700, 4);
  std::vector<Index> order(700);
  std::iota(order.begin(), order.end(), Index{0});
  detail::Random random(5);
  detail::shuffle(order, random);
  DenseMatrix other(50, 700);
  for (Index j = 0; j < 700; ++j) {
    for (Index i = 0; i < 50; ++i) other(i, j) = (j % 3 - 1.5) * 1e3 * data(i, order[j]) + j;
  }
  for (const double max_r2 : {0.3, 0.8}) {
    std::vector<Index> found;
    for (const Index pick : picks_of(other, {max_r2, {}, {}})) found.push_back(order[pick]);
    EXPECT_EQ(ascending(found), ascending(picks_of(data, {max_r2, {}, {}})));
  }
}

TEST(Pairwise, mean_r2_is_of_the_features_that_are_not_picked_yet) {
  const UnitFeatures features = centred(blocks_and_noise(30, 400, 6));
  const auto sequence = pairwise(features, {0.6, {}, {}});
  ASSERT_EQ(sequence.mean_r2.size(), sequence.picks.size());
  for (const std::size_t n_picks : {std::size_t{1}, std::size_t{17}, sequence.picks.size()}) {
    const std::vector<Index> kept(sequence.picks.begin(),
                                  sequence.picks.begin() + static_cast<std::ptrdiff_t>(n_picks));
    double sum = 0;
    for (const NearestKept& nearest : nearest_kept(features, ascending(kept))) sum += nearest.r2;
    const auto count = static_cast<double>(n_picks);
    EXPECT_NEAR(sequence.mean_r2[n_picks - 1], (sum - count) / (400 - count), 1e-9);
  }
}

TEST(Pairwise, groups_every_removed_feature_with_the_kept_one_that_is_nearest) {
  Dataset dataset;
  dataset.matrix = blocks_and_noise(60, 300, 3);
  for (Index j = 0; j < 300; ++j) dataset.feature_names.push_back("f" + std::to_string(j));
  PairwiseOptions options;
  options.max_r2 = 0.7;
  MethodOptions method;
  method.grouping = options;
  const MethodResult result = reduce(dataset, method);
  const auto nearest = nearest_kept(centred(dataset.matrix), result.reduction.kept);
  ASSERT_FALSE(result.reduction.removed.empty());
  for (const RemovedFeature& removed : result.reduction.removed) {
    EXPECT_EQ(removed.representative, nearest[removed.feature].feature);
    EXPECT_GE(removed.r2, 0.7 - kRounding);
  }
  EXPECT_EQ(result.reduction.n_rescued, 0);
}

TEST(Pairwise, refuses_more_memory_than_allowed_with_the_number) {
  const UnitFeatures features = centred(random_matrix(300, 400, 1));
  RunContext run;
  run.memory_limit = 1'000'000;
  testing::expect_error(ErrorCode::over_memory, {"MB", "400 features"}, [&] {
    static_cast<void>(pairwise(features, {0.5, {}, {}}, run));
  });
}

TEST(Pairwise, does_not_go_with_an_option_that_brings_features_back) {
  MethodOptions method;
  method.grouping = PairwiseOptions{};
  method.reduce.certify = 0.9;
  testing::expect_error(ErrorCode::invalid_option, {"certify", "max_r2"}, [&] { check(method); });
}

}  // namespace
}  // namespace sfg
