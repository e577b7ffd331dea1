// Paths on which several things happen at one place: features that leave together, one that enters
// where another leaves.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "reference.hpp"
#include "select/lars.hpp"

namespace sfg {
namespace {

using detail::lars;
using detail::LarsPath;
using detail::LarsStatus;
using detail::LarsStep;
using testing::random_matrix;

constexpr Index kProblemSamples = 8;
constexpr Index kProblemFeatures = 6;
/// Far above the rounding of these small problems, far below their coefficients.
constexpr double kOptimal = 1e-8;

LarsPath lasso_path(const DenseMatrix& x, const DenseMatrix& y) {
  return lars(x, y, {}, {}).front();
}

/// By how much the conditions of optimality of the lasso are missed at the worst step.
double worst_gap(const DenseMatrix& x, const DenseMatrix& y, const LarsPath& path) {
  double gap = 0;
  for (const LarsStep& step : path.steps) {
    std::vector<double> b(static_cast<std::size_t>(x.n_features()), 0.0);
    for (std::size_t k = 0; k < step.features.size(); ++k) {
      b[static_cast<std::size_t>(step.features[k])] = step.coefficients[k];
    }
    for (Index j = 0; j < x.n_features(); ++j) {
      double correlation = 0;
      for (Index i = 0; i < x.n_samples(); ++i) {
        double residual = y(i, 0);
        for (Index k = 0; k < x.n_features(); ++k) {
          residual -= x(i, k) * b[static_cast<std::size_t>(k)];
        }
        correlation += x(i, j) * residual;
      }
      const double own = b[static_cast<std::size_t>(j)];
      const double missed = own != 0 ? std::fabs(correlation - std::copysign(step.correlation, own))
                                     : std::fabs(correlation) - step.correlation;
      gap = std::max(gap, missed);
    }
  }
  return gap;
}

/// The number of the first step that ends with a feature that left; none: as many as there are.
std::size_t first_drop(const LarsPath& path) {
  for (std::size_t k = 1; k < path.steps.size(); ++k) {
    for (const Index feature : path.steps[k - 1].features) {
      if (std::ranges::count(path.steps[k].features, feature) == 0) return k;
    }
  }
  return path.steps.size();
}

/// A regression on columns with much in common: coefficients often turn back to zero.
struct Regression {
  explicit Regression(std::uint64_t seed)
      : x(random_matrix(kProblemSamples, kProblemFeatures, seed)),
        y(random_matrix(kProblemSamples, 1, seed + 1000)) {
    for (Index j = 1; j < kProblemFeatures; ++j) {
      for (Index i = 0; i < kProblemSamples; ++i) x(i, j) += 1.5 * x(i, j - 1);
    }
  }
  DenseMatrix x;
  DenseMatrix y;
};

std::vector<Regression> regressions_with_drops() {
  std::vector<Regression> found;
  for (std::uint64_t seed = 1; seed <= 300 && found.size() < 40; ++seed) {
    Regression problem(seed);
    const LarsPath path = lasso_path(problem.x, problem.y);
    if (first_drop(path) < path.steps.size()) found.push_back(std::move(problem));
  }
  return found;
}

/// Both problems in one, each on samples of its own: neither knows of the other.
Regression side_by_side(const Regression& left, const Regression& right) {
  Regression both(1);
  const Index n_left = left.x.n_samples();
  const Index d_left = left.x.n_features();
  both.x = DenseMatrix(n_left + right.x.n_samples(), d_left + right.x.n_features());
  both.y = DenseMatrix(n_left + right.x.n_samples(), 1);
  for (Index i = 0; i < n_left; ++i) {
    both.y(i, 0) = left.y(i, 0);
    for (Index j = 0; j < d_left; ++j) both.x(i, j) = left.x(i, j);
  }
  for (Index i = 0; i < right.x.n_samples(); ++i) {
    both.y(n_left + i, 0) = right.y(i, 0);
    for (Index j = 0; j < right.x.n_features(); ++j) both.x(n_left + i, d_left + j) = right.x(i, j);
  }
  return both;
}

TEST(LarsTies, features_that_reach_zero_together_leave_together) {
  const auto problems = regressions_with_drops();
  ASSERT_GE(problems.size(), 20U);
  for (const Regression& problem : problems) {
    const Regression twice = side_by_side(problem, problem);
    const LarsPath path = lasso_path(twice.x, twice.y);
    EXPECT_EQ(path.status, LarsStatus::complete);
    EXPECT_LT(worst_gap(twice.x, twice.y, path), kOptimal);
    for (const LarsStep& step : path.steps) {
      for (const Index feature : step.features) {
        const Index twin = (feature + kProblemFeatures) % (2 * kProblemFeatures);
        EXPECT_EQ(std::ranges::count(step.features, twin), 1) << feature;
      }
    }
    EXPECT_EQ(path.steps.size(), lasso_path(problem.x, problem.y).steps.size());
  }
}

TEST(LarsTies, a_feature_enters_at_the_very_place_where_another_leaves) {
  for (const Regression& problem : regressions_with_drops()) {
    const LarsPath alone = lasso_path(problem.x, problem.y);
    const std::size_t drop = first_drop(alone);
    // One more feature and sample: its correlation is what the largest one is at the drop.
    Regression single = problem;
    single.x = DenseMatrix(1, 1);
    single.y = DenseMatrix(1, 1);
    single.x(0, 0) = 1;
    single.y(0, 0) = alone.steps[drop].correlation;
    const Regression both = side_by_side(problem, single);
    const LarsPath path = lasso_path(both.x, both.y);
    EXPECT_EQ(path.status, LarsStatus::complete);
    EXPECT_LT(worst_gap(both.x, both.y, path), kOptimal);
    ASSERT_EQ(path.steps.size(), alone.steps.size()) << "one place, one step";
    for (std::size_t k = 0; k < path.steps.size(); ++k) {
      EXPECT_EQ(std::ranges::count(path.steps[k].features, kProblemFeatures), k > drop ? 1 : 0);
      EXPECT_EQ(path.steps[k].features.size(), alone.steps[k].features.size() + (k > drop ? 1 : 0));
    }
  }
}

}  // namespace
}  // namespace sfg
