#include "select/lars.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/random.hpp"
#include "lars_path.hpp"
#include "reference.hpp"

namespace sfg {
namespace {

using detail::lars;
using detail::LarsOptions;
using detail::LarsPath;
using detail::LarsStatus;
using detail::LarsStep;
using detail::LarsTies;
using testing::dense_coefficients;
using testing::kCloseCoefficient;
using testing::one_path;
using testing::random_matrix;
using testing::tied_matrix;

/// By how much the conditions of optimality are missed:
///   c = X'(y - X b) - ridge b;  c_j = lambda sign(b_j) where b_j != 0, |c_j| <= lambda elsewhere.
double optimality_gap(const DenseMatrix& x, std::span<const double> y,
                      const std::vector<double>& coefficients, double lambda, double ridge) {
  std::vector<long double> residual(y.begin(), y.end());
  for (Index j = 0; j < x.n_features(); ++j) {
    const double b = coefficients[j];
    for (std::size_t i = 0; i < residual.size(); ++i) residual[i] -= x.column(j)[i] * b;
  }
  double gap = 0;
  for (Index j = 0; j < x.n_features(); ++j) {
    const double b = coefficients[j];
    long double correlation = -ridge * b;
    for (std::size_t i = 0; i < residual.size(); ++i) correlation += residual[i] * x.column(j)[i];
    const auto c = static_cast<double>(correlation);
    gap = std::max(gap, b != 0 ? std::fabs(c - std::copysign(lambda, b)) : std::fabs(c) - lambda);
  }
  return gap;
}

double largest_gap(const DenseMatrix& x, std::span<const double> y, const LarsPath& path,
                   double ridge) {
  double gap = 0;
  for (const LarsStep& step : path.steps) {
    gap = std::max(gap, optimality_gap(x, y, dense_coefficients(step, x.n_features()),
                                       step.correlation, ridge));
  }
  return gap;
}

/// Some columns of normal values, the rest copies, negatives, sums and constants.
DenseMatrix dependent_matrix(Index n, Index d, std::uint64_t seed) {
  detail::Random random(seed);
  DenseMatrix x = random_matrix(n, d, seed);
  for (Index j = 2; j < d; ++j) {
    const auto a = static_cast<Index>(random.below(static_cast<std::uint64_t>(j)));
    const auto b = static_cast<Index>(random.below(static_cast<std::uint64_t>(j)));
    const auto kind = random.below(6);
    for (Index i = 0; i < n; ++i) {
      if (kind == 0) x(i, j) = x(i, a);
      if (kind == 1) x(i, j) = -x(i, a);
      if (kind == 2) x(i, j) = (x(i, a) + x(i, b)) / 2;
      if (kind == 3) x(i, j) = 1;
    }
  }
  return x;
}

RC_GTEST_PROP(Lars, every_step_satisfies_the_conditions_of_optimality, ()) {
  const auto n = *rc::gen::inRange<Index>(2, 25);
  const auto d = *rc::gen::inRange<Index>(1, 50);
  const auto seed = *rc::gen::arbitrary<std::uint32_t>();
  const double ridge = *rc::gen::element(0.0, 0.001, 1.0);
  const DenseMatrix x = random_matrix(n, d, seed);
  const DenseMatrix y = random_matrix(n, 1, seed + 1ULL);
  const LarsPath path = one_path(x, y, {ridge, 0, 0, LarsTies::optimal});
  RC_ASSERT(path.status == LarsStatus::complete);
  RC_ASSERT(path.steps.back().correlation < kCloseCoefficient);
  RC_ASSERT(largest_gap(x, y.column(0), path, ridge) < kCloseCoefficient);
}

RC_GTEST_PROP(Lars, is_optimal_with_copies_negatives_sums_and_constants_among_the_columns, ()) {
  const auto n = *rc::gen::inRange<Index>(2, 20);
  const auto d = *rc::gen::inRange<Index>(2, 40);
  const auto seed = *rc::gen::arbitrary<std::uint32_t>();
  const double ridge = *rc::gen::element(0.0, 0.001, 1.0);
  const DenseMatrix x = dependent_matrix(n, d, seed);
  const DenseMatrix y = random_matrix(n, 1, seed + 1ULL);
  const LarsPath path = one_path(x, y, {ridge, 0, 0, LarsTies::optimal});
  RC_ASSERT(path.status == LarsStatus::complete);
  RC_ASSERT(largest_gap(x, y.column(0), path, ridge) < kCloseCoefficient);
}

RC_GTEST_PROP(Lars, is_optimal_on_values_minus_one_zero_and_one, ()) {
  const auto n = *rc::gen::inRange<Index>(2, 20);
  const auto d = *rc::gen::inRange<Index>(1, 40);
  const auto seed = *rc::gen::arbitrary<std::uint32_t>();
  const double ridge = *rc::gen::element(0.0, 0.001, 1.0);
  const DenseMatrix x = tied_matrix(n, d, seed);
  DenseMatrix y(n, 1);
  detail::Random random(seed);
  for (double& value : y.column(0)) value = static_cast<double>(random.below(3)) - 1;
  const LarsPath path = one_path(x, y, {ridge, 0, 0, LarsTies::optimal});
  RC_ASSERT(path.status == LarsStatus::complete || path.status == LarsStatus::no_correlation);
  RC_ASSERT(largest_gap(x, y.column(0), path, ridge) < kCloseCoefficient);
}

RC_GTEST_PROP(Lars, counts_the_ridge_as_rows_appended_to_the_data, ()) {
  const auto n = *rc::gen::inRange<Index>(2, 20);
  const auto d = *rc::gen::inRange<Index>(1, 40);
  const auto seed = *rc::gen::arbitrary<std::uint32_t>();
  constexpr double kRidge = 0.01;
  const DenseMatrix x = random_matrix(n, d, seed);
  const DenseMatrix y = random_matrix(n, 1, seed + 1ULL);
  DenseMatrix longer_x(n + d, d);
  DenseMatrix longer_y(n + d, 1);
  std::ranges::copy(y.column(0), longer_y.column(0).begin());
  for (Index j = 0; j < d; ++j) {
    std::ranges::copy(x.column(j), longer_x.column(j).begin());
    longer_x(n + j, j) = std::sqrt(kRidge);
  }
  const LarsPath path = one_path(x, y, {kRidge, 0, 0, LarsTies::optimal});
  const LarsPath longer = one_path(longer_x, longer_y, {});
  RC_ASSERT(path.steps.size() == longer.steps.size());
  for (std::size_t k = 0; k < path.steps.size(); ++k) {
    RC_ASSERT(path.steps[k].features == longer.steps[k].features);
    RC_ASSERT(std::fabs(path.steps[k].correlation - longer.steps[k].correlation) <
              kCloseCoefficient);
  }
}

RC_GTEST_PROP(Lars, gives_the_same_path_from_sparse_columns, ()) {
  const auto seed = *rc::gen::arbitrary<std::uint32_t>();
  DenseMatrix x = random_matrix(15, 25, seed);
  detail::Random random(seed);
  for (Index j = 0; j < x.n_features(); ++j) {
    for (double& value : x.column(j)) value = random.below(3) == 0 ? value : 0.0;
  }
  const DenseMatrix y = random_matrix(15, 1, seed + 1ULL);
  const LarsPath dense = one_path(x, y, {});
  const LarsPath sparse = one_path(to_sparse(x), y, {});
  RC_ASSERT(dense.steps.size() == sparse.steps.size());
  for (std::size_t k = 0; k < dense.steps.size(); ++k) {
    RC_ASSERT(dense.steps[k].features == sparse.steps[k].features);
    RC_ASSERT(std::fabs(dense.steps[k].correlation - sparse.steps[k].correlation) <
              kCloseCoefficient);
  }
}

/// One coefficient after the other to its best value, until nothing moves.
std::vector<double> coordinate_descent(const DenseMatrix& x, std::span<const double> y,
                                       double lambda, double ridge) {
  std::vector<double> b(static_cast<std::size_t>(x.n_features()), 0.0);
  std::vector<double> residual(y.begin(), y.end());
  for (int sweep = 0; sweep < 20'000; ++sweep) {
    for (std::size_t j = 0; j < b.size(); ++j) {
      const auto column = x.column(static_cast<Index>(j));
      double square = 0;
      double product = 0;
      for (std::size_t i = 0; i < column.size(); ++i) {
        square += column[i] * column[i];
        product += column[i] * (residual[i] + column[i] * b[j]);
      }
      const double shrunk = std::copysign(std::max(std::fabs(product) - lambda, 0.0), product);
      const double better = shrunk / (square + ridge);
      for (std::size_t i = 0; i < column.size(); ++i) residual[i] += column[i] * (b[j] - better);
      b[j] = better;
    }
  }
  return b;
}

TEST(Lars, ends_at_the_lasso_solution_of_a_given_lambda) {
  const DenseMatrix x = random_matrix(12, 20, 7);
  const DenseMatrix y = random_matrix(12, 1, 8);
  for (const double ridge : {0.0, 0.1}) {
    const LarsPath path = one_path(x, y, {ridge, 0, 0.5, LarsTies::optimal});
    EXPECT_EQ(path.status, LarsStatus::reached_min_correlation);
    EXPECT_EQ(path.steps.back().correlation, 0.5);
    const auto found = dense_coefficients(path.steps.back(), 20);
    const auto expected = coordinate_descent(x, y.column(0), 0.5, ridge);
    for (std::size_t j = 0; j < found.size(); ++j)
      EXPECT_NEAR(found[j], expected[j], kCloseCoefficient);
  }
}

/// A problem with drops, solved by another program (scikit-learn 1.2, lars_path, method lasso).
TEST(Lars, follows_a_path_that_another_program_found) {
  const std::vector<std::vector<double>> rows{{1, -2, 3, 3, -3}, {-2, -2, -2, 1, -1},
                                              {0, -2, 3, 1, 1},  {-3, -2, 3, -1, 3},
                                              {2, -3, 0, 0, 0},  {-3, 2, -2, -1, -1}};
  const std::vector<double> response{-1, 0, 2, 0, 2, 3};
  const std::vector<double> lambdas{3.3,
                                    2.783269961977186,
                                    2.3502538071065993,
                                    1.248814589665653,
                                    1.0173431734317342,
                                    0.5733000623830316,
                                    0};
  const std::vector<std::vector<double>> expected{
      {-0.1, 0, 0, 0, 0},
      {-0.11026615969581752, 0, 0, -0.03422053231939162, 0},
      {-0.11675126903553301, -0.03553299492385786, 0, -0.09137055837563449, 0},
      {-0.13356838905775079, -0.15648632218844993, -0.05884498480243166, -0.21934346504559274, 0},
      {-0.1397785977859779, -0.23239852398523994, 0, -0.48405904059040594, -0.17859778597785986},
      {-0.14959451029320028, -0.3592014971927636, 0, -0.7665626949469745, -0.36306924516531514},
      {-0.16707317073170735, -0.5660412757973734, 0.25863039399624776, -1.6475140712945593,
       -0.9635553470919327}};
  DenseMatrix x(6, 5);
  DenseMatrix y(6, 1);
  for (Index i = 0; i < 6; ++i) {
    y(i, 0) = response[i];
    for (Index j = 0; j < 5; ++j) {
      x(i, j) = rows[i][j];
    }
  }
  const LarsPath path = one_path(x, y, {});
  ASSERT_EQ(path.steps.size(), lambdas.size());
  for (std::size_t k = 0; k < lambdas.size(); ++k) {
    EXPECT_NEAR(path.steps[k].correlation, lambdas[k], 1e-12);
    const auto found = dense_coefficients(path.steps[k], 5);
    for (std::size_t j = 0; j < 5; ++j) EXPECT_NEAR(found[j], expected[k][j], 1e-12);
  }
}

TEST(Lars, stops_at_the_step_that_ends_with_the_features_asked_for) {
  const DenseMatrix x = random_matrix(40, 60, 3);
  const DenseMatrix y = random_matrix(40, 1, 4);
  const LarsPath path = one_path(x, y, {0, 10, 0, LarsTies::optimal});
  EXPECT_EQ(path.status, LarsStatus::reached_max_active);
  EXPECT_EQ(path.steps.back().features.size(), 10U);
  EXPECT_EQ(path.of_size(10), &path.steps.back());
  EXPECT_EQ(path.of_size(99), &path.steps.back());
  EXPECT_EQ(path.of_size(4)->features.size(), 4U);
}

TEST(Lars, takes_the_last_of_several_steps_with_as_many_features) {
  LarsPath path;
  for (const std::size_t size : {2, 3, 2, 5}) {
    path.steps.push_back({1.0, std::vector<Index>(size), std::vector<double>(size)});
  }
  EXPECT_EQ(path.of_size(2), &path.steps[2]);
  EXPECT_EQ(path.of_size(4), &path.steps[1]);
  EXPECT_EQ(path.of_size(1), &path.steps[0]);
  EXPECT_EQ(LarsPath{}.of_size(1), nullptr);
}

TEST(Lars, finds_no_step_where_nothing_correlates) {
  DenseMatrix x(3, 2);
  x(0, 0) = 1;
  DenseMatrix y(3, 2);
  y(1, 1) = 5;
  for (const LarsPath& path : lars(x, y, {}, {})) {
    EXPECT_EQ(path.status, LarsStatus::no_correlation);
    EXPECT_TRUE(path.steps.empty());
  }
}

TEST(Lars, of_two_equal_columns_takes_the_first_and_with_a_ridge_both) {
  DenseMatrix x = random_matrix(10, 4, 5);
  std::ranges::copy(x.column(1), x.column(3).begin());
  DenseMatrix y(10, 1);
  std::ranges::copy(x.column(1), y.column(0).begin());
  const LarsPath lasso = one_path(x, y, {});
  EXPECT_EQ(lasso.steps.back().features, (std::vector<Index>{1}));
  const LarsPath net = one_path(x, y, {0.001, 0, 0, LarsTies::optimal});
  EXPECT_EQ(net.steps.front().features, (std::vector<Index>{1, 3}));
  EXPECT_NEAR(net.steps.front().coefficients[0], net.steps.front().coefficients[1], 1e-12);
}

TEST(Lars, gives_the_same_bits_for_any_number_of_threads_and_beside_other_responses) {
  const DenseMatrix x = random_matrix(30, 300, 1);
  const DenseMatrix y = random_matrix(30, 5, 2);
  sfg::RunContext run;
  run.threads = 1;
  const auto expected = lars(x, y, {0.001, 20, 0, LarsTies::optimal}, run);
  run.threads = 3;
  const auto paths = lars(x, y, {0.001, 20, 0, LarsTies::optimal}, run);
  DenseMatrix last(30, 1);
  std::ranges::copy(y.column(4), last.column(0).begin());
  const auto alone = lars(x, last, {0.001, 20, 0, LarsTies::optimal}, run);
  const auto same = [](const LarsPath& a, const LarsPath& b) {
    return std::ranges::equal(a.steps, b.steps, [](const LarsStep& one, const LarsStep& other) {
      return one.correlation == other.correlation && one.features == other.features &&
             one.coefficients == other.coefficients;
    });
  };
  for (std::size_t r = 0; r < 5; ++r) EXPECT_TRUE(same(paths[r], expected[r]));
  EXPECT_TRUE(same(alone[0], expected[4]));
}

}  // namespace
}  // namespace sfg
