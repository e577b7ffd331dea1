#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/kernels.hpp"
#include "core/threads.hpp"
#include "groups/cover_ceilings.hpp"
#include "groups/cover_lists.hpp"
#include "groups/joint_bounds.hpp"
#include "helpers.hpp"
#include "reference.hpp"

namespace sfg {
namespace {

using detail::CoverCeilings;
using detail::CoverLists;
using detail::FloatFeatures;
using detail::JointBounds;
using detail::JointGain;

constexpr Index kSamples = 37;
constexpr Index kFeatures = 900;

UnitFeatures unit_features_for_bounds() {
  return normalise(testing::random_matrix(kSamples, kFeatures, 11), {Centering::mean});
}

/// c_j, one product after the other.
double plain_cover_gain(const UnitFeatures& features, Index j, const std::vector<double>& b) {
  double sum = 0;
  for (Index i = 0; i < kFeatures; ++i) {
    sum += std::max(0.0, std::pow(inner_product(features, i, j), 2) - b[i]);
  }
  return sum;
}

/// b with one more pick.
void cover_by(const UnitFeatures& features, Index pick, std::vector<double>& b) {
  for (Index i = 0; i < kFeatures; ++i) {
    b[i] = std::max(b[i], std::min(1.0, std::pow(inner_product(features, i, pick), 2)));
  }
}

TEST(CoverBounds, ceilings_are_hardly_above_the_cover_gains_and_never_below) {
  const UnitFeatures features = unit_features_for_bounds();
  const sfg::RunContext run;
  const detail::SingleThreadedBlas single_threaded;
  const FloatFeatures rounded(features, run);
  std::vector<double> b(kFeatures, 0.0);
  std::vector<double> c;
  for (Index j = 0; j < kFeatures; ++j) c.push_back(plain_cover_gain(features, j, b));
  CoverCeilings ceilings(rounded, c, run);
  for (const Index pick : {3, 500, 899}) {
    cover_by(features, pick, b);
    EXPECT_GT(ceilings.n_risen(b), 0U);
    ceilings.lower(b);
    EXPECT_EQ(ceilings.n_risen(b), 0U);
    for (Index j = 0; j < kFeatures; ++j) {
      const double exact = plain_cover_gain(features, j, b);
      EXPECT_GE(ceilings[static_cast<std::size_t>(j)], exact - 1e-12);
      EXPECT_LE(ceilings[static_cast<std::size_t>(j)], exact + 0.01);
    }
  }
}

TEST(CoverBounds, lists_give_the_cover_gains_also_after_more_picks) {
  const UnitFeatures features = unit_features_for_bounds();
  const sfg::RunContext run;
  const detail::SingleThreadedBlas single_threaded;
  const FloatFeatures rounded(features, run);
  std::vector<double> b(kFeatures, 0.0);
  cover_by(features, 7, b);
  std::vector<char> is_open(kFeatures, 1);
  is_open[7] = 0;
  auto lists = CoverLists::make(features, rounded, b, is_open, kFeatures * kFeatures, run);
  ASSERT_TRUE(lists.has_value());
  for (const Index pick : {0, 450, 898}) {
    for (Index j = 0; j < kFeatures; j += 9) {
      if (is_open[j] == 0) continue;
      EXPECT_NEAR(lists->gain(j, b), plain_cover_gain(features, j, b), 1e-11);
    }
    std::vector<double> expected = b;
    cover_by(features, pick, expected);
    static_cast<void>(lists->gain(pick, b));
    lists->cover(pick, b);
    is_open[pick] = 0;
    for (Index i = 0; i < kFeatures; ++i) {
      if (is_open[i] == 0) continue;
      EXPECT_NEAR(b[i], expected[i], 1e-14);
    }
  }
  EXPECT_FALSE(CoverLists::make(features, rounded, b, is_open, 10, run).has_value());
}

TEST(CoverBounds, joint_bounds_are_hardly_above_the_gains_and_settled_ones_are_the_gains) {
  const UnitFeatures features = unit_features_for_bounds();
  const auto& dense = std::get<DenseMatrix>(features.matrix);
  const sfg::RunContext run;
  const detail::SingleThreadedBlas single_threaded;
  const FloatFeatures rounded(features, run);
  constexpr std::size_t kRefresh = 7;
  JointGain joint(features, run, kRefresh);
  JointBounds bounds(features, rounded, joint, run);
  for (Index pick = 0; pick < 200; pick += 10) {
    bounds.settle({&pick, 1});
    const std::vector<double> column(dense.column(pick).begin(), dense.column(pick).end());
    auto step = joint.start(pick, column);
    joint.finish(step);
    bounds.pick(std::move(step));
    for (Index j = pick % 3; j < kFeatures; j += 3) {
      const double before = bounds.bound(static_cast<std::size_t>(j));
      bounds.settle({&j, 1});
      ASSERT_TRUE(bounds.is_settled(j));
      const double exact = joint.gains()[static_cast<std::size_t>(j)];
      EXPECT_EQ(bounds.bound(static_cast<std::size_t>(j)), exact);
      EXPECT_GE(before, exact * (1 - 1e-12));
      EXPECT_LE(before, exact * 1.001 + 1e-4);
    }
  }
}

}  // namespace
}  // namespace sfg
