// Units do not decide: columns multiplied by anything above zero give the same groups.
#include <gtest/gtest.h>

#include <cmath>

#include "helpers.hpp"
#include "reference.hpp"
#include "sfg/pipeline.hpp"

namespace sfg {
namespace {

using testing::random_matrix;
using testing::table_of;

/// Blocks of correlated features and noise.
DenseMatrix in_blocks(std::uint64_t seed) {
  DenseMatrix data = random_matrix(30, 24, seed);
  for (Index j = 4; j < 18; ++j) {
    for (Index i = 0; i < 30; ++i) data(i, j) = data(i, j % 4) + 0.2 * data(i, j);
  }
  return data;
}

class ScalePromise : public ::testing::TestWithParam<GroupingKind> {
 protected:
  [[nodiscard]] static MethodResult reduced(const DenseMatrix& data) {
    MethodOptions options;
    options.grouping = usual_grouping(GetParam());
    return reduce(table_of(data), options);
  }
};

TEST_P(ScalePromise, any_positive_factor_per_column_gives_the_same_groups) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const DenseMatrix plain = in_blocks(seed);
    DenseMatrix other = plain;
    for (Index j = 0; j < other.n_features(); ++j) {
      for (double& value : other.column(j)) value *= std::pow(7.3, (j * 5) % 11 - 5);
    }
    const auto before = reduced(plain).reduction;
    const auto after = reduced(other).reduction;
    EXPECT_EQ(after.groups.group_of, before.groups.group_of);
    EXPECT_GT(before.removed.size(), 5U);
    EXPECT_LT(before.removed.size(), 24U);
    // Of two that stand for each other equally well, compact keeps the one of larger variance.
    if (GetParam() == GroupingKind::compact) continue;
    EXPECT_EQ(after.kept, before.kept);
    EXPECT_NEAR(after.mean_r2, before.mean_r2, 1e-12);
  }
}

TEST_P(ScalePromise, powers_of_two_give_the_same_bits) {
  const DenseMatrix plain = in_blocks(4);
  DenseMatrix other = plain;
  for (Index j = 0; j < other.n_features(); ++j) {
    for (double& value : other.column(j)) value = std::ldexp(value, (j * 37) % 101 - 50);
  }
  const auto before = reduced(plain).reduction;
  const auto after = reduced(other).reduction;
  EXPECT_EQ(after.groups.group_of, before.groups.group_of);
  if (GetParam() == GroupingKind::compact) return;
  EXPECT_EQ(after.kept, before.kept);
  EXPECT_EQ(after.mean_r2, before.mean_r2);
}

INSTANTIATE_TEST_SUITE_P(Groupings, ScalePromise,
                         ::testing::Values(GroupingKind::compact, GroupingKind::components,
                                           GroupingKind::cover, GroupingKind::pairwise),
                         [](const auto& info) { return std::string(choice_name(info.param)); });

}  // namespace
}  // namespace sfg
