#include "sfg/equations.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "core/random.hpp"
#include "core/symmetric_eigen.hpp"
#include "equation_checks.hpp"
#include "helpers.hpp"
#include "reference.hpp"

namespace sfg {
namespace {

using testing::centred;
using testing::equations_of;
using testing::expect_true;
using testing::random_matrix;
using testing::removed_by;
using testing::texts;
using testing::with_threads;

/// Eigenvalues of the correlation matrix, which are squared singular values: exact dependencies are
/// at 1e-16 and everything else in these tables is far above.
Index rank_of(const Matrix& matrix) {
  const UnitFeatures unit = centred(matrix);
  const Index d = unit.n_features();
  DenseMatrix products(d, d);
  for (Index a = 0; a < d; ++a) {
    for (Index b = 0; b < d; ++b) products(a, b) = inner_product(unit, a, b);
  }
  const auto eigen = detail::symmetric_eigen(std::move(products), detail::Eigenvalues::largest, d);
  return static_cast<Index>(
      std::ranges::count_if(eigen->values, [](double value) { return value > 1e-12; }));
}

/// 24 columns, 10 of them sums, copies or sums of sums, in random order; integers if asked for.
DenseMatrix planted_sums(std::uint64_t seed, bool integers) {
  constexpr Index kSamples = 120;
  constexpr Index kParts = 14;
  constexpr Index kFeatures = 24;
  detail::Random random(seed);
  DenseMatrix matrix(kSamples, kFeatures);
  std::vector<Index> order(kFeatures);
  std::iota(order.begin(), order.end(), 0);
  detail::shuffle(order, random);
  for (Index k = 0; k < kFeatures; ++k) {
    const auto column = matrix.column(order[k]);
    if (k < kParts) {
      for (double& value : column) {
        value = integers ? static_cast<double>(random.below(1000)) : random.normal();
      }
      continue;
    }
    // From what is there already, so that sums of sums and copies of sums come up.
    const auto n_parts = 1 + random.below(4);
    for (std::uint64_t p = 0; p < n_parts; ++p) {
      const auto part = matrix.column(order[random.below(static_cast<std::uint64_t>(k))]);
      const double weight = static_cast<double>(1 + random.below(3));
      for (std::size_t i = 0; i < column.size(); ++i) column[i] += weight * part[i];
    }
    for (double& value : column) value += 7;
  }
  return matrix;
}

TEST(Equations, as_many_features_stay_as_the_table_has_rank) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    for (const bool integers : {false, true}) {
      const DenseMatrix matrix = planted_sums(seed, integers);
      const auto found = equations_of(matrix);
      EXPECT_EQ(matrix.n_features() - static_cast<Index>(found.size()), rank_of(matrix)) << seed;
      EXPECT_EQ(rank_of(matrix), 14) << seed;
      expect_true(matrix, found);
    }
  }
}

TEST(Equations, the_total_goes_and_its_parts_stay) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    DenseMatrix matrix = random_matrix(60, 5, seed);
    for (Index i = 0; i < 60; ++i) matrix(i, 0) = matrix(i, 1) + matrix(i, 2) + matrix(i, 4) + 3;
    const auto found = equations_of(matrix);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].feature, 0);
    EXPECT_EQ(found[0].combination.terms.size(), 3U);
    EXPECT_EQ(found[0].combination.intercept, 3);
    for (const Term& term : found[0].combination.terms) EXPECT_EQ(term.coefficient, 1);
    EXPECT_LE(found[0].residual, 1e-14);
    EXPECT_EQ(found[0].combination.r2, 1);
  }
}

TEST(Equations, sums_of_sums_are_written_in_parts_that_stay) {
  DenseMatrix matrix = random_matrix(80, 7, 3);
  for (Index i = 0; i < 80; ++i) {
    matrix(i, 2) = matrix(i, 0) + matrix(i, 1);
    matrix(i, 5) = matrix(i, 3) + 2 * matrix(i, 4);
    matrix(i, 6) = matrix(i, 2) - matrix(i, 5);
  }
  const auto found = equations_of(matrix);
  EXPECT_EQ(removed_by(found), (std::vector<Index>{2, 5, 6}));
  expect_true(matrix, found);
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[2].combination.terms.size(), 4U);
}

TEST(Equations, one_column_of_a_one_hot_group_and_one_share_of_a_composition_go) {
  detail::Random random(5);
  DenseMatrix matrix(200, 9);
  for (Index i = 0; i < 200; ++i) {
    matrix(i, static_cast<Index>(random.below(4))) = 1;
    double rest = 100;
    for (Index k = 4; k < 8; ++k) {
      matrix(i, k) = std::round(rest * random.uniform(0.1, 0.5) * 10) / 10;
      rest -= matrix(i, k);
    }
    matrix(i, 8) = rest;
  }
  const auto found = equations_of(matrix);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_LT(found[0].feature, 4);
  EXPECT_EQ(found[0].combination.terms.size(), 3U);
  EXPECT_EQ(found[0].combination.intercept, 1);
  EXPECT_GE(found[1].feature, 4);
  EXPECT_EQ(found[1].combination.terms.size(), 4U);
  EXPECT_NEAR(found[1].combination.intercept, 100, 1e-9);
  for (const Term& term : found[1].combination.terms) EXPECT_EQ(term.coefficient, -1);
}

TEST(Equations, what_is_nearly_a_sum_is_none) {
  // 0.1: totals that were rounded; 1e-6: six digits; 3e-4: r2 = 0.9999999.
  for (const double noise : {0.1, 3e-4, 1e-6}) {
    DenseMatrix matrix = random_matrix(100, 4, 7);
    detail::Random random(9);
    for (Index i = 0; i < 100; ++i) {
      matrix(i, 3) = matrix(i, 0) + matrix(i, 1) + noise * random.normal();
    }
    EXPECT_TRUE(equations_of(matrix).empty()) << noise;
  }
  DenseMatrix rounded = random_matrix(100, 3, 7);
  for (Index i = 0; i < 100; ++i) {
    rounded(i, 2) = std::round((rounded(i, 0) + rounded(i, 1)) * 1000) / 1000;
  }
  EXPECT_TRUE(equations_of(rounded).empty());
}

TEST(Equations, nearly_equal_parts_do_not_blur_a_sum) {
  DenseMatrix matrix = random_matrix(100, 5, 7);
  for (Index i = 0; i < 100; ++i) {
    matrix(i, 1) = matrix(i, 0) + 1e-6 * matrix(i, 1);
    matrix(i, 4) = matrix(i, 2) + matrix(i, 3);
  }
  const auto found = equations_of(matrix);
  EXPECT_EQ(removed_by(found), (std::vector<Index>{4}));
  EXPECT_EQ(found[0].combination.terms.size(), 2U);
}

TEST(Equations, large_means_and_units_far_apart_do_not_hide_a_sum) {
  DenseMatrix matrix = random_matrix(2000, 4, 7);
  for (Index i = 0; i < 2000; ++i) {
    matrix(i, 0) = 1.7e9 + std::round(1000 * matrix(i, 0));
    matrix(i, 1) = std::round(500 * matrix(i, 1));
    matrix(i, 2) = (matrix(i, 0) + matrix(i, 1)) * 1e-9;
    matrix(i, 3) *= 1e200;
  }
  const auto found = equations_of(matrix);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].feature, 2);
  EXPECT_EQ(texts(found, 4)[0], "x2 = 1e-09*x0 + 1e-09*x1");
}

TEST(Equations, features_to_keep_stay_and_preferred_ones_rather_than_others) {
  DenseMatrix matrix = random_matrix(60, 5, 1);
  for (Index i = 0; i < 60; ++i) matrix(i, 4) = matrix(i, 0) + matrix(i, 1) - 2 * matrix(i, 2);
  EXPECT_EQ(removed_by(equations_of(matrix)), (std::vector<Index>{4}));
  EXPECT_EQ(removed_by(equations_of(matrix, {.keep = {4}})), (std::vector<Index>{2}));
  EXPECT_EQ(removed_by(equations_of(matrix, {.keep = {4}, .priority = {2}})).size(), 1U);
  EXPECT_NE(removed_by(equations_of(matrix, {.keep = {4}, .priority = {2}}))[0], 2);
  EXPECT_EQ(removed_by(equations_of(matrix, {.priority = {4, 2, 1}})), (std::vector<Index>{0}));
  // All of them are preferred: the last one goes.
  EXPECT_EQ(removed_by(equations_of(matrix, {.priority = {4, 2, 1, 0}})), (std::vector<Index>{0}));
  EXPECT_TRUE(equations_of(matrix, {.keep = {0, 1, 2, 4}}).empty());
}

TEST(Equations, a_feature_to_keep_is_no_reason_to_keep_its_copy) {
  DenseMatrix matrix = random_matrix(60, 4, 1);
  for (Index i = 0; i < 60; ++i) {
    matrix(i, 2) = matrix(i, 0) + matrix(i, 1);
    matrix(i, 3) = -2 * matrix(i, 2) + 1;
  }
  EXPECT_EQ(texts(equations_of(matrix), 4),
            (std::vector<std::string>{"x2 = x0 + x1", "x3 = -2*x0 - 2*x1 + 1"}));
  const auto found = equations_of(matrix, {.keep = {3}});
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(removed_by(found)[1], 2);
  EXPECT_EQ(texts(found, 4)[1], "x2 = -0.5*x3 + 0.5");
}

TEST(Equations, neither_units_nor_threads_matter) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const DenseMatrix matrix = planted_sums(seed, false);
    const Index d = matrix.n_features();
    detail::Random random(seed);
    DenseMatrix scaled(matrix.n_samples(), d);
    for (Index k = 0; k < d; ++k) {
      const double factor = std::exp(random.uniform(-9, 9)) * (random.below(2) == 0 ? 1 : -1);
      for (Index i = 0; i < matrix.n_samples(); ++i) scaled(i, k) = factor * matrix(i, k);
    }
    const auto plain = equations_of(matrix, {}, {}, with_threads(1));
    EXPECT_EQ(texts(equations_of(matrix, {}, {}, with_threads(3)), d), texts(plain, d));
    EXPECT_EQ(removed_by(equations_of(scaled)), removed_by(plain)) << seed;
  }
}

TEST(Equations, columns_in_another_order_have_the_same_equations) {
  DenseMatrix matrix = random_matrix(100, 9, 3);
  for (Index i = 0; i < 100; ++i) {
    matrix(i, 2) = matrix(i, 0) + matrix(i, 1);
    matrix(i, 5) = matrix(i, 3) + 2 * matrix(i, 4) + matrix(i, 0);
    matrix(i, 6) = matrix(i, 2) - matrix(i, 5);
  }
  detail::Random random(1);
  for (int trial = 0; trial < 20; ++trial) {
    std::vector<Index> order(9);
    std::iota(order.begin(), order.end(), 0);
    detail::shuffle(order, random);
    std::set<Index> removed;
    for (const Equation& one : equations_of(select_features(Matrix(matrix), order))) {
      removed.insert(order[one.feature]);
    }
    EXPECT_EQ(removed, (std::set<Index>{2, 5, 6}));
  }
}

TEST(Equations, constant_columns_and_tables_of_nothing_else_have_none) {
  DenseMatrix matrix = random_matrix(40, 4, 1);
  std::ranges::fill(matrix.column(1), 5.0);
  std::ranges::fill(matrix.column(2), 0.0);
  EXPECT_TRUE(equations_of(matrix).empty());
  EXPECT_TRUE(equations_of(DenseMatrix(40, 3)).empty());
  EXPECT_TRUE(equations_of(random_matrix(3, 4, 1)).empty());
}

TEST(Equations, sparse_tables_have_the_same_ones) {
  DenseMatrix matrix = random_matrix(100, 6, 2);
  detail::Random random(2);
  for (Index i = 0; i < 100; ++i) {
    for (Index k = 0; k < 5; ++k) {
      if (random.below(4) != 0) matrix(i, k) = 0;
    }
    matrix(i, 5) = matrix(i, 0) + matrix(i, 3);
  }
  EXPECT_EQ(texts(equations_of(to_sparse(matrix)), 6), texts(equations_of(matrix), 6));
  EXPECT_EQ(removed_by(equations_of(to_sparse(matrix))), (std::vector<Index>{5}));
}

}  // namespace
}  // namespace sfg
