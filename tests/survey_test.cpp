#include "sfg/survey.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace sfg {
namespace {

TEST(Survey, counts_what_is_missing_infinite_constant_and_all_zero) {
  constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  DenseMatrix matrix(2, 4);
  matrix(0, 0) = -3;
  matrix(1, 0) = 8;
  matrix(0, 1) = 5;
  matrix(1, 1) = 5;
  matrix(0, 2) = 0;
  matrix(1, 2) = 0;
  matrix(0, 3) = kMissing;
  matrix(1, 3) = kInfinite;
  const Survey found = survey(matrix);
  EXPECT_EQ(found.missing, 1);
  EXPECT_EQ(found.infinite, 1);
  EXPECT_EQ(found.constant, 1);
  EXPECT_EQ(found.empty, 1);
  EXPECT_EQ(found.lowest, -3);
  EXPECT_EQ(found.highest, 8);
}

TEST(Survey, takes_the_zeros_that_a_sparse_matrix_leaves_out_for_values) {
  SparseMatrix matrix;
  matrix.n_samples = 3;
  matrix.n_features = 2;
  matrix.starts = {0, 1, 1};
  matrix.rows = {1};
  matrix.values = {4};
  const Survey found = survey(matrix);
  EXPECT_EQ(found.lowest, 0);
  EXPECT_EQ(found.highest, 4);
  EXPECT_EQ(found.constant, 0);
  EXPECT_EQ(found.empty, 1);
}

}  // namespace
}  // namespace sfg
