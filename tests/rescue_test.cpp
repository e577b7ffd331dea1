// What comes back to the kept features, and what is said about those that do not.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "helpers.hpp"
#include "reference.hpp"
#include "sampling.hpp"
#include "sfg/reduce.hpp"

namespace sfg {
namespace {

using testing::centred;

using testing::random_matrix;

/// Groups [0, starts[1]), [starts[1], starts[2]), ... that their first members stand for.
Grouping grouping_from(const std::vector<Index>& starts, Index n_features) {
  Grouping grouping;
  for (Index i = 0; i < n_features; ++i) {
    const auto group = std::ranges::upper_bound(starts, i) - starts.begin() - 1;
    grouping.groups.group_of.push_back(static_cast<Index>(group));
    grouping.groups.members.push_back(i);
  }
  grouping.groups.starts.assign(starts.begin(), starts.end());
  grouping.groups.starts.push_back(n_features);
  grouping.representatives = starts;
  return grouping;
}

std::vector<Index> removed_features(const Reduction& reduction) {
  std::vector<Index> features;
  for (const RemovedFeature& removed : reduction.removed) features.push_back(removed.feature);
  return features;
}

Reduction rescued_below(double limit, const DenseMatrix& data, const std::vector<Index>& starts) {
  Grouping grouping = grouping_from(starts, data.n_features());
  grouping.rescue_below = limit;
  return remove_redundant(std::move(grouping), centred(data), {});
}

TEST(Rescue, leaves_a_feature_that_the_kept_ones_predict_together) {
  // 1 is noise in the group of 0. 5 is the sum of 2, 3 and 4, of which 4 explains a third.
  DenseMatrix data = random_matrix(100, 6, 3);
  for (Index i = 0; i < 100; ++i) data(i, 5) = data(i, 2) + data(i, 3) + data(i, 4);
  const Reduction reduction = rescued_below(0.5, data, {0, 2, 3, 4});
  ASSERT_EQ(removed_features(reduction), (std::vector<Index>{5}));
  EXPECT_LT(reduction.removed[0].r2, 0.5);
  EXPECT_GT(*reduction.removed[0].held_out_r2, 0.9);
  EXPECT_EQ(reduction.n_rescued, 1);
}

TEST(Rescue, leaves_a_feature_that_its_representative_explains_though_new_samples_would_not) {
  // One sample far out makes 0 and 1 alike; without it they have nothing in common.
  DenseMatrix data = random_matrix(60, 3, 5);
  data(7, 0) = 1000;
  data(7, 1) = 1000;
  const Reduction reduction = rescued_below(0.5, data, {0, 2});
  ASSERT_EQ(removed_features(reduction), (std::vector<Index>{1}));
  EXPECT_GT(reduction.removed[0].r2, 0.9);
  EXPECT_LT(*reduction.removed[0].held_out_r2, 0.5);
}

TEST(Rescue, is_left_out_where_samples_are_too_few_to_say_anything) {
  const DenseMatrix data = random_matrix(kFewestSamplesToCertify - 1, 6, 2);
  EXPECT_EQ(rescued_below(0.9, data, {0, 3}).n_rescued, 0);
  const DenseMatrix enough = random_matrix(kFewestSamplesToCertify, 6, 2);
  EXPECT_EQ(rescued_below(0.9, enough, {0, 3}).n_rescued, 4);
}

/// Twelve features of noise, the others between these and their sums: some are hard to predict.
DenseMatrix half_related(std::uint64_t seed) {
  DenseMatrix data = random_matrix(40, 40, seed);
  for (Index j = 12; j < 40; ++j) {
    const double noise = 0.1 * j / 4;
    for (Index i = 0; i < 40; ++i) {
      data(i, j) = noise * data(i, j) + data(i, j % 12) + data(i, (j + 5) % 12);
    }
  }
  return data;
}

TEST(Rescue, goes_on_until_every_removed_feature_is_explained_by_what_is_kept_then) {
  for (const double limit : {0.5, 0.7, 0.9}) {
    for (std::uint64_t seed = 1; seed <= testing::kDraws; ++seed) {
      const Reduction reduction = rescued_below(limit, half_related(seed), {0, 20});
      EXPECT_GT(reduction.n_rescued, 0);
      for (const RemovedFeature& removed : reduction.removed) {
        EXPECT_TRUE(removed.r2 >= limit || *removed.held_out_r2 >= limit)
            << "limit " << limit << ", seed " << seed << ", feature " << removed.feature;
      }
    }
  }
}

TEST(CertifyAt, goes_on_until_what_is_kept_then_predicts_every_removed_feature) {
  for (std::uint64_t seed = 1; seed <= testing::kDraws; ++seed) {
    ReduceOptions options;
    options.certify = 0.5;
    options.certificate.most_features = 1;  // a demand on all of them is not made on a sample
    const Reduction reduction =
        remove_redundant(grouping_from({0, 20}, 40), centred(half_related(seed)), options);
    EXPECT_EQ(static_cast<Index>(reduction.kept.size()),
              2 + reduction.n_rescued - reduction.n_given_up);
    double sum = 0;
    for (const RemovedFeature& removed : reduction.removed) {
      ASSERT_TRUE(removed.held_out_r2.has_value());
      EXPECT_GE(*removed.held_out_r2, 0.5) << "seed " << seed << ", feature " << removed.feature;
      EXPECT_GT(removed.r2, 0) << "the r2 of those that are left is found anew";
      sum += removed.r2;
    }
    EXPECT_NEAR(reduction.mean_r2 * static_cast<double>(reduction.removed.size()), sum, 1e-12);
  }
}

TEST(CertifyAt, gives_up_the_near_copy_of_a_family_and_keeps_its_centre) {
  // 1 stands for 2 to 9, which are noisier than it; 0 is near 1 and stands for itself alone.
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    DenseMatrix data = random_matrix(60, 12, seed);
    for (Index i = 0; i < 60; ++i) {
      data(i, 0) = data(i, 1) + 0.1 * data(i, 0);
      for (Index j = 2; j < 10; ++j) data(i, j) = data(i, 1) + 0.2 * data(i, j);
    }
    ReduceOptions options;
    options.certify = 0.9;
    const Reduction reduction =
        remove_redundant(grouping_from({0, 1, 10, 11}, 12), centred(data), options);
    EXPECT_EQ(reduction.kept, (std::vector<Index>{1, 10, 11})) << "seed " << seed;
    EXPECT_EQ(reduction.n_given_up, 1);
    for (const RemovedFeature& removed : reduction.removed) {
      EXPECT_GE(*removed.held_out_r2, 0.9) << "seed " << seed << ", feature " << removed.feature;
    }
  }
}

TEST(Combinations, have_the_terms_that_explain_a_hundredth_and_no_others) {
  // 3 = 0 + 0.15 * 1 + 0.06 * 2 and a little noise: the parts of 1 and 2 are 2.2 % and 0.35 %.
  DenseMatrix data = random_matrix(500, 4, 7);
  for (Index i = 0; i < 500; ++i) {
    data(i, 3) = 0.01 * data(i, 3) + data(i, 0) + 0.15 * data(i, 1) + 0.06 * data(i, 2);
  }
  Grouping grouping = grouping_from({0, 1, 2, 3}, 4);
  grouping.representatives[3] = 0;
  const Reduction reduction = remove_redundant(std::move(grouping), centred(data), {});
  ASSERT_EQ(reduction.removed.size(), 1U);
  const Combination& combination = reduction.removed[0].combination;
  ASSERT_EQ(combination.terms.size(), 2U);
  EXPECT_EQ(combination.terms[0].feature, 0);
  EXPECT_EQ(combination.terms[1].feature, 1);
}

TEST(Combinations, that_are_exact_have_all_their_terms_however_small) {
  DenseMatrix data = random_matrix(500, 4, 7);
  for (Index i = 0; i < 500; ++i) {
    data(i, 3) = data(i, 0) + 0.15 * data(i, 1) + 0.06 * data(i, 2) - 4;
  }
  Grouping grouping = grouping_from({0, 1, 2, 3}, 4);
  grouping.representatives[3] = 0;
  const Reduction reduction = remove_redundant(grouping, centred(data), {});
  ASSERT_EQ(reduction.removed.size(), 1U);
  EXPECT_EQ(reduction.removed[0].certificate, CertificateKind::exact);
  const Combination& combination = reduction.removed[0].combination;
  ASSERT_EQ(combination.terms.size(), 3U);
  EXPECT_NEAR(combination.terms[2].coefficient, 0.06, 1e-9);
  EXPECT_NEAR(combination.intercept, -4, 1e-9);
}

TEST(Weights, are_the_roots_of_how_many_features_a_kept_one_stands_for) {
  const DenseMatrix data = random_matrix(30, 6, 1);
  const Reduction reduction = remove_redundant(grouping_from({0, 4, 5}, 6), centred(data), {});
  EXPECT_EQ(weights(reduction), (std::vector<double>{std::sqrt(4.0), 1.0, 1.0}));
}

}  // namespace
}  // namespace sfg
