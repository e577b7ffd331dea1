// The order of cover's picks where rounding could decide, and what ends it.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "core/random.hpp"
#include "helpers.hpp"
#include "reference.hpp"
#include "sfg/cover.hpp"

namespace sfg {
namespace {

using testing::centred;

using testing::random_matrix;

/// One feature in so many units.
DenseMatrix copies_in_units(Index n_samples, Index n_features) {
  DenseMatrix data = random_matrix(n_samples, n_features, 5);
  for (Index j = 1; j < n_features; ++j) {
    for (Index i = 0; i < n_samples; ++i) data(i, j) = (1 + 0.037 * j) * data(i, 0) + 0.1 * j;
  }
  return data;
}

/// Columns 0, 4, 8, ... are one feature, 2, 6, 10, ... another; each is followed by itself with the
/// samples in reverse order. The set is its own mirror image, so a feature and its mirror image are
/// worth the same as long as the picks are one too; only the order of sums differs. The values have
/// no mean and the length 8: copies correlate by exactly 1.
DenseMatrix mirrored_copies(Index n_features, std::uint64_t seed) {
  std::vector<std::vector<double>> kinds{{7, -3, -2, -1, -1, 0}, {5, -5, 3, -2, -1, 0}};
  detail::Random random(seed);
  for (auto& kind : kinds) detail::shuffle(kind, random);
  DenseMatrix data(6, n_features);
  for (Index j = 0; j < n_features; ++j) {
    const auto& kind = kinds[static_cast<std::size_t>(j % 4 / 2)];
    if (j % 2 == 0) {
      std::ranges::copy(kind, data.column(j).begin());
    } else {
      std::ranges::reverse_copy(kind, data.column(j).begin());
    }
  }
  return data;
}

TEST(Cover, takes_features_that_are_worth_the_same_by_index_after_hundreds_of_picks) {
  // Five hundred picks take the gain from hundreds to hundredths: what differences lose on the way
  // is more than what counts as a tie, unless it is found anew.
  constexpr Index kFeatures = 1600;
  constexpr Index kPicks = 500;
  CoverStop options;
  for (Index kind = 0; kind < 4; ++kind) {
    for (Index j = kFeatures - kPicks + kind; j < kFeatures; j += 4) options.keep.push_back(j);
  }
  options.most_features = kPicks + 1;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto sequence = cover(centred(mirrored_copies(kFeatures, seed)), options);
    ASSERT_EQ(sequence.picks.size(), 501U);
    EXPECT_TRUE(sequence.picks.back() == 0 || sequence.picks.back() == 2)
        << "seed " << seed << ": " << sequence.picks.back();
  }
}

TEST(Cover, explains_at_most_everything) {
  CoverStop options;
  options.most_features = 3;
  for (const double mean : cover(centred(copies_in_units(7, 300)), options).mean_r2) {
    EXPECT_LE(mean, 1);
    EXPECT_NEAR(mean, 1, 1e-12);
  }
}

TEST(Cover, picks_a_feature_that_must_be_kept_once_and_all_of_them_before_it_stops) {
  CoverStop options;
  options.keep = {7, 2, 7, 5};
  options.most_features = 1;
  EXPECT_EQ(cover(centred(random_matrix(20, 12, 3)), options).picks, (std::vector<Index>{7, 2, 5}));
}

TEST(Cover, of_all_features_leaves_nothing_to_explain) {
  const auto sequence = cover(centred(random_matrix(20, 12, 3)), {});
  ASSERT_EQ(sequence.picks.size(), 12U);
  EXPECT_EQ(sequence.mean_r2.back(), 1);
  EXPECT_LT(sequence.mean_r2[10], 1);
}

TEST(Cover, stops_where_the_mean_is_exactly_what_is_enough) {
  // Columns of +-1: their correlations with each other are exactly 1.
  DenseMatrix data(16, 5);
  for (Index j = 0; j < 5; ++j) {
    for (Index i = 0; i < 16; ++i) data(i, j) = i % 2 == 0 ? 1 : -1;
  }
  CoverStop options;
  options.enough_mean_r2 = 1;
  EXPECT_EQ(cover(centred(data), options).picks, std::vector<Index>{0});
}

}  // namespace
}  // namespace sfg
