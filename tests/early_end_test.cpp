// Descriptions that end early because they describe noise.
#include <gtest/gtest.h>

#include "helpers.hpp"
#include "reference.hpp"
#include "sfg/checkpoint.hpp"
#include "sfg/pursuit.hpp"

namespace sfg {
namespace {

using testing::random_matrix;

/// 40 independent columns, then the sum of the first three, small parts included.
UnitFeatures with_a_sum(Index n_samples) {
  const DenseMatrix parts = random_matrix(n_samples, 40, 11);
  DenseMatrix data(n_samples, 41);
  std::copy_n(parts.data(), parts.n_samples() * parts.n_features(), data.data());
  for (Index i = 0; i < n_samples; ++i) {
    data(i, 40) = parts(i, 0) + 0.3 * parts(i, 1) + 0.01 * parts(i, 2);
  }
  return normalise(data, {Centering::mean});
}

PursuitOptions to_the_end() {
  PursuitOptions options;
  options.epsilon = 1e-15;
  options.max_atoms = 12;
  return options;
}

EarlyEnd all_doubtful(double least_share) {
  EarlyEnd early{std::vector<char>(41, 1)};
  early.least_share = least_share;
  return early;
}

TEST(EarlyEnd, of_small_shares_leaves_sums_alone_and_cuts_noise_after_two_weak_atoms) {
  const UnitFeatures features = with_a_sum(400);
  const auto full = pursue(features, to_the_end());
  const auto cut = pursue(features, to_the_end(), {}, PursuitCheckpoint{}, all_doubtful(0.0625));
  // Each of the three parts, the one of a ten-thousandth too, takes nearly all that is left of it.
  EXPECT_EQ(cut.atoms_of(40).size(), 3U);
  EXPECT_LT(cut.residual[40], 1e-15);
  for (Index noise = 3; noise < 40; ++noise) {
    EXPECT_EQ(full.atoms_of(noise).size(), 12U) << noise;
    ASSERT_EQ(cut.atoms_of(noise).size(), 2U) << noise;
    EXPECT_EQ(cut.atoms_of(noise)[0], full.atoms_of(noise)[0]);
    EXPECT_EQ(cut.atoms_of(noise)[1], full.atoms_of(noise)[1]);
    EXPECT_EQ(cut.status[noise], PursuitStatus::small_gain);
  }
}

TEST(EarlyEnd, concerns_doubtful_targets_only_and_no_share_ends_nothing) {
  const UnitFeatures features = with_a_sum(400);
  const auto full = pursue(features, to_the_end());
  EarlyEnd some = all_doubtful(0.0625);
  some.doubtful[7] = 0;
  const auto cut = pursue(features, to_the_end(), {}, PursuitCheckpoint{}, some);
  EXPECT_EQ(cut.atoms_of(7).size(), full.atoms_of(7).size());
  EXPECT_EQ(cut.atoms_of(8).size(), 2U);
  EarlyEnd none = all_doubtful(0);
  none.most_atoms = 12;
  EXPECT_EQ(pursue(features, to_the_end(), {}, PursuitCheckpoint{}, none).atoms, full.atoms);
}

TEST(EarlyEnd, holds_for_targets_of_another_set_too) {
  const UnitFeatures features = with_a_sum(400);
  const UnitFeatures targets = select_features(features, std::vector<Index>{5, 40});
  std::vector<Index> others(40);
  for (Index j = 0; j < 40; ++j) others[j] = j == 5 ? 39 : j;
  const UnitFeatures dictionary = select_features(features, others);
  EarlyEnd early{std::vector<char>(2, 1)};
  early.least_share = 0.0625;
  const auto found = pursue(targets, dictionary, to_the_end(), {}, early);
  EXPECT_EQ(found.atoms_of(0).size(), 2U);
  EXPECT_EQ(found.atoms_of(1).size(), 3U);
}

}  // namespace
}  // namespace sfg
