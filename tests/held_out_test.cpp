// When the held-out R2 may trust a fit, and what it is made from.
#include <gtest/gtest.h>

#include <numeric>

#include "helpers.hpp"
#include "reference.hpp"
#include "sfg/certificate.hpp"
#include "sfg/statistics.hpp"

namespace sfg {
namespace {

using testing::centred;

using testing::random_matrix;

std::vector<Index> first_features(Index count) {
  std::vector<Index> features(static_cast<std::size_t>(count));
  std::iota(features.begin(), features.end(), Index{0});
  return features;
}

TEST(HeldOut, of_an_exact_sum_is_1_beside_noise) {
  DenseMatrix data = random_matrix(80, 41, 21);
  for (Index i = 0; i < 80; ++i) data(i, 40) = data(i, 0) - data(i, 1) + data(i, 2);
  const std::vector<HeldOutTarget> targets{{40, {}}};
  EXPECT_GT(held_out_r2(centred(data), first_features(40), targets, {})[0], 0.9999);
}

TEST(HeldOut, of_permuted_features_is_at_most_chance) {
  // The nearest are chosen on the training samples: chosen on all, permuted features would reach
  // 0.05 to 0.2.
  DenseMatrix data = random_matrix(120, 400, 22);
  for (Index j = 100; j < 200; ++j) {
    for (Index i = 0; i < 120; ++i) data(i, j) += 2 * data(i, j - 100);
  }
  std::vector<HeldOutTarget> targets;
  for (Index j = 100; j < 200; ++j) targets.push_back({j, {}});
  for (Index j = 100; j < 200; ++j) targets.push_back({j, 1000 + static_cast<std::uint64_t>(j)});
  std::vector<Index> kept = first_features(100);
  for (Index j = 200; j < 400; ++j) kept.push_back(j);
  std::vector<double> r2 = held_out_r2(centred(data), kept, targets, {});
  const std::vector<double> real(r2.begin(), r2.begin() + 100);
  r2.erase(r2.begin(), r2.begin() + 100);
  EXPECT_GT(mean(real), 0.4);
  EXPECT_LT(quantile(r2, 0.95), 0.05);
}

TEST(HeldOut, is_not_ruined_by_as_many_predictors_of_noise_as_there_are_samples) {
  CertificateOptions options;
  options.n_nearest = 32;
  const std::vector<HeldOutTarget> targets{{40, {}}};
  const double r2 =
      held_out_r2(centred(random_matrix(40, 41, 8)), first_features(40), targets, options)[0];
  EXPECT_LT(r2, 0.3);
  EXPECT_GT(r2, -3);
}

TEST(HeldOut, uses_no_kept_feature_that_varies_in_one_held_out_sample_only) {
  // 30 features that are 1 in one sample each: constant over the training samples of its fold.
  DenseMatrix data = random_matrix(30, 31, 4);
  for (Index j = 0; j < 30; ++j) {
    for (Index i = 0; i < 30; ++i) data(i, j) = i == j ? 1 : 0;
  }
  const std::vector<HeldOutTarget> targets{{30, {}}};
  const double r2 = held_out_r2(centred(data), first_features(30), targets, {})[0];
  EXPECT_LE(r2, 0.1);
  EXPECT_GT(r2, -1);
}

TEST(HeldOutTests, of_one_set_after_another_are_those_of_each_alone) {
  DenseMatrix data = random_matrix(60, 30, 12);
  for (Index i = 0; i < 60; ++i) data(i, 29) = data(i, 2) + 0.2 * data(i, 29);
  const UnitFeatures features = centred(data);
  const std::vector<HeldOutTarget> some{{29, {}}};
  const std::vector<HeldOutTarget> others{{28, {}}, {29, 17}};
  const CertificateOptions options;
  const RunContext run;
  HeldOutTests tests(features, options, run);
  for (const Index n_kept : {20, 20, 2, 20, 0, 20}) {
    const auto kept = first_features(n_kept);
    for (const auto& targets : {some, others}) {
      EXPECT_EQ(tests.r2(kept, targets), held_out_r2(features, kept, targets, options));
    }
  }
  EXPECT_TRUE(tests.r2(first_features(20), {}).empty());
}

TEST(HeldOut, is_0_where_there_is_not_a_sample_for_every_fold) {
  DenseMatrix data = random_matrix(4, 3, 4);
  std::ranges::copy(data.column(0), data.column(2).begin());
  const std::vector<HeldOutTarget> targets{{2, {}}};
  EXPECT_EQ(held_out_r2(centred(data), first_features(2), targets, {})[0], 0);
}

TEST(Certificate, of_some_features_says_so_and_leaves_out_constant_ones) {
  DenseMatrix data = random_matrix(30, 20, 6);
  std::ranges::fill(data.column(12), 3.0);
  const UnitFeatures features = centred(data);
  std::vector<Index> removed = first_features(20);
  removed.erase(removed.begin(), removed.begin() + 10);
  CertificateOptions options;
  const Certificate all = certify(features, first_features(10), removed, {}, options);
  EXPECT_TRUE(all.all);
  EXPECT_EQ(all.features, (std::vector<Index>{10, 11, 13, 14, 15, 16, 17, 18, 19}));
  options.most_features = 4;
  const Certificate some = certify(features, first_features(10), removed, {}, options);
  EXPECT_FALSE(some.all);
  EXPECT_EQ(some.features.size(), 4U);
  EXPECT_EQ(some.removed.n_features, 4);
}

}  // namespace
}  // namespace sfg
