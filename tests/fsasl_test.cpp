#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/random.hpp"
#include "reference.hpp"
#include "select/fsasl_steps.hpp"
#include "select/sample_gram.hpp"
#include "sfg/select.hpp"

namespace sfg {
namespace {

using detail::Projection;
using detail::SparseRow;
using detail::SparseRows;
using testing::random_matrix;

RC_GTEST_PROP(Fsasl, never_lets_its_objective_rise, ()) {
  const auto n = *rc::gen::inRange<Index>(4, 30);
  const auto d = *rc::gen::inRange<Index>(2, 60);
  const auto seed = *rc::gen::arbitrary<std::uint32_t>();
  SelectOptions options;
  options.method = SelectMethod::fsasl;
  options.sizes = {1};
  options.n_responses = *rc::gen::inRange<Index>(1, 6);
  options.fsasl.alpha = *rc::gen::element(0.01, 0.1, 0.5);
  options.fsasl.beta = *rc::gen::element(0.0, 0.1, 1.0, 10.0);
  options.fsasl.gamma = *rc::gen::element(0.01, 0.1, 1.0);
  options.fsasl.tol = 1e-5;
  const bool tied = *rc::gen::arbitrary<bool>();
  DenseMatrix x = tied ? testing::tied_matrix(n, d, seed) : random_matrix(n, d, seed);
  x(0, 0) += 1;  // not all of them empty
  const auto result = select_best(normalise(x, {}), options);
  RC_ASSERT(!result.objective.empty());
  for (std::size_t k = 1; k < result.objective.size(); ++k) {
    RC_ASSERT(result.objective[k] <= result.objective[k - 1]);
  }
  RC_ASSERT(result.status != SelectStatus::stalled);
}

/// Samples of a graph for the structure term: some rows of S and P.
SparseRows random_rows(Index n, std::uint64_t seed) {
  detail::Random random(seed);
  SparseRows rows(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i) {
    const auto j = static_cast<Index>(
        (i + 1 + static_cast<Index>(random.below(static_cast<std::uint64_t>(n - 1)))) % n);
    rows[i] = {{j}, {random.uniform()}};
  }
  return rows;
}

/// sum_i |z_i - sum_j s_ij z_j|^2 + beta sum_ij |z_i - z_j|^2 p_ij, written out; samples as
/// columns.
double structure_cost(const DenseMatrix& z, const SparseRows& s, const SparseRows& p, double beta) {
  double sum = 0;
  for (Index i = 0; i < z.n_features(); ++i) {
    sum += detail::representation_cost(z, i, s[i], 0);
    const SparseRow& near = p[i];
    for (std::size_t k = 0; k < near.places.size(); ++k) {
      for (Index c = 0; c < z.n_samples(); ++c) {
        const double difference = z(c, i) - z(c, near.places[k]);
        sum += beta * near.values[k] * difference * difference;
      }
    }
  }
  return sum;
}

RC_GTEST_PROP(FsaslSteps, the_structure_matrix_is_the_quadratic_form_of_its_terms, ()) {
  const auto n = *rc::gen::inRange<Index>(2, 12);
  const auto seed = *rc::gen::arbitrary<std::uint32_t>();
  const SparseRows s = random_rows(n, seed);
  const SparseRows p = random_rows(n, seed + 1ULL);
  const DenseMatrix z = random_matrix(3, n, seed + 2ULL);
  const DenseMatrix m = detail::structure_matrix(s, p, 0.7);
  double trace = 0;
  for (Index c = 0; c < 3; ++c) {
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < n; ++j) trace += z(c, i) * m(i, j) * z(c, j);
    }
  }
  RC_ASSERT(std::fabs(trace - structure_cost(z, s, p, 0.7)) < 1e-9);
}

/// What the W step lowers: tr(Z'M Z) + gamma sum_j |w_j|^2 / (2 weight_j).
double projection_cost(const DenseMatrix& z, const std::vector<double>& row_norm,
                       const SparseRows& s, const SparseRows& p, const std::vector<double>& weights,
                       double gamma) {
  double sum = structure_cost(z, s, p, 1);
  for (std::size_t j = 0; j < weights.size(); ++j) {
    sum += gamma * row_norm[j] * row_norm[j] / (2 * weights[j]);
  }
  return sum;
}

/// W made random, then Z = X W orthonormal by Gram and Schmidt, W changed alike.
Projection random_projection(const DenseMatrix& x, Index dimension, std::uint64_t seed) {
  DenseMatrix w = random_matrix(x.n_features(), dimension, seed);
  DenseMatrix z(x.n_samples(), dimension);
  for (Index c = 0; c < dimension; ++c) {
    for (Index j = 0; j < x.n_features(); ++j) {
      for (Index i = 0; i < x.n_samples(); ++i) z(i, c) += x(i, j) * w(j, c);
    }
    for (Index before = 0; before <= c; ++before) {
      double product = 0;
      for (Index i = 0; i < x.n_samples(); ++i) product += z(i, c) * z(i, before);
      const bool own = before == c;
      const double length = std::sqrt(product);
      for (Index i = 0; i < x.n_samples(); ++i) {
        z(i, c) = own ? z(i, c) / length : z(i, c) - product * z(i, before);
      }
      for (Index j = 0; j < x.n_features(); ++j) {
        w(j, c) = own ? w(j, c) / length : w(j, c) - product * w(j, before);
      }
    }
  }
  Projection projection;
  projection.projected = std::get<DenseMatrix>(transpose(z));
  for (Index j = 0; j < x.n_features(); ++j) {
    double squares = 0;
    for (Index c = 0; c < dimension; ++c) squares += w(j, c) * w(j, c);
    projection.row_norm.push_back(std::sqrt(squares));
  }
  return projection;
}

RC_GTEST_PROP(FsaslSteps, no_random_projection_is_cheaper_than_the_one_found, ()) {
  const auto n = *rc::gen::inRange<Index>(4, 10);
  const auto d = *rc::gen::inRange<Index>(3, 25);
  const auto seed = *rc::gen::arbitrary<std::uint32_t>();
  constexpr Index kDimension = 2;
  constexpr double kGamma = 0.3;
  const DenseMatrix x = random_matrix(n, d, seed);
  const SparseRows s = random_rows(n, seed + 1ULL);
  const SparseRows p = random_rows(n, seed + 2ULL);
  std::vector<double> weights;
  detail::Random random(seed);
  for (Index j = 0; j < d; ++j) weights.push_back(0.1 + random.uniform());
  const Projection found =
      detail::project(x, detail::structure_matrix(s, p, 1), weights, kGamma, kDimension, {});
  const DenseMatrix& z = found.projected;
  for (Index a = 0; a < kDimension; ++a) {
    for (Index b = 0; b < kDimension; ++b) {
      double product = 0;
      for (Index i = 0; i < n; ++i) product += z(a, i) * z(b, i);
      RC_ASSERT(std::fabs(product - (a == b ? 1 : 0)) < 1e-9);
    }
  }
  const double cost = projection_cost(z, found.row_norm, s, p, weights, kGamma);
  for (std::uint64_t other = 0; other < 50; ++other) {
    const Projection candidate = random_projection(x, kDimension, seed + other);
    RC_ASSERT(cost <=
              projection_cost(candidate.projected, candidate.row_norm, s, p, weights, kGamma) *
                  (1 + 1e-9));
  }
}

TEST(FsaslSteps, the_projection_of_as_many_features_as_samples_is_that_of_the_inverse) {
  // X = diagonal: W = X^-1 Z, row j is z_j / x_jj.
  DenseMatrix x(5, 5);
  for (Index i = 0; i < 5; ++i) x(i, i) = i + 1;
  const SparseRows s = random_rows(5, 1);
  const SparseRows p = random_rows(5, 2);
  const std::vector<double> weights{0.5, 0.1, 2, 1, 0.3};
  const Projection found =
      detail::project(x, detail::structure_matrix(s, p, 1), weights, 0.1, 2, {});
  for (Index j = 0; j < 5; ++j) {
    const double norm = std::hypot(found.projected(0, j), found.projected(1, j)) / (j + 1);
    EXPECT_NEAR(found.row_norm[j], norm, 1e-12);
  }
}

RC_GTEST_PROP(FsaslSteps, shares_of_neighbours_are_the_best_point_of_the_simplex, ()) {
  const auto n = *rc::gen::inRange<Index>(3, 12);
  detail::Random random(*rc::gen::arbitrary<std::uint32_t>());
  std::vector<double> distances;
  for (Index j = 0; j < n; ++j) distances.push_back(static_cast<double>(random.below(6)));
  const double mu = 0.1 + random.uniform();
  const SparseRow row = detail::share_neighbours(distances, 0, mu);
  std::vector<double> p(static_cast<std::size_t>(n), 0.0);
  double sum = 0;
  for (std::size_t k = 0; k < row.places.size(); ++k) {
    RC_ASSERT(row.places[k] != 0);
    RC_ASSERT(row.values[k] >= 0);
    p[row.places[k]] = row.values[k];
    sum += row.values[k];
  }
  RC_ASSERT(std::fabs(sum - 1) < 1e-12);
  // Optimal exactly if D_j + 2 mu p_j is the same where p_j > 0 and not smaller elsewhere.
  double level = 0;
  for (std::size_t j = 1; j < p.size(); ++j) {
    if (p[j] > 0) level = std::max(level, distances[j] + 2 * mu * p[j]);
  }
  for (std::size_t j = 1; j < p.size(); ++j) {
    const double value = distances[j] + 2 * mu * p[j];
    const bool optimal = p[j] > 0 ? std::fabs(value - level) < 1e-9 : value >= level - 1e-9;
    RC_ASSERT(optimal);
  }
}

TEST(FsaslSteps, mu_gives_as_many_neighbours_as_asked_for) {
  const std::vector<double> distances{0, 5, 1, 2, 9, 4};
  for (const Index k : {1, 2, 3, 4}) {
    const double mu = detail::neighbourhood_weight(distances, 0, k);
    const SparseRow row = detail::share_neighbours(distances, 0, mu);
    const auto positive = std::ranges::count_if(row.values, [](double v) { return v > 1e-12; });
    EXPECT_EQ(positive, k);
  }
  // Equal distances: any share is right, and none is a division by zero.
  const std::vector<double> equal{0, 0, 0, 0};
  const double mu = detail::neighbourhood_weight(equal, 0, 2);
  EXPECT_EQ(detail::share_neighbours(equal, 0, mu).values, std::vector<double>{1});
}

TEST(FsaslSteps, a_sample_is_represented_by_others_only_and_its_copy_first) {
  DenseMatrix z = random_matrix(3, 8, 4);
  std::ranges::copy(z.column(2), z.column(5).begin());
  SparseRows rows(8);
  detail::represent_samples(z, 0.01, rows, {});
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(std::ranges::count(rows[i].places, static_cast<Index>(i)), 0);
  }
  const SparseRow copy{{5}, {1.0}};
  EXPECT_LE(detail::representation_cost(z, 2, rows[2], 0.01),
            detail::representation_cost(z, 2, copy, 0.01));
}

TEST(SampleGram, is_the_weighted_sum_of_outer_products_dense_and_sparse) {
  const DenseMatrix x = random_matrix(7, 600, 3);
  std::vector<double> weights;
  detail::Random random(1);
  for (Index j = 0; j < 600; ++j) weights.push_back(random.uniform());
  const DenseMatrix gram = detail::sample_gram(x, weights, {});
  const DenseMatrix of_sparse = detail::sample_gram(to_sparse(x), weights, {});
  for (Index a = 0; a < 7; ++a) {
    for (Index b = 0; b < 7; ++b) {
      double expected = 0;
      for (Index j = 0; j < 600; ++j) {
        expected += weights[j] * x(a, j) * x(b, j);
      }
      EXPECT_NEAR(gram(a, b), expected, 1e-9);
      EXPECT_EQ(gram(a, b), of_sparse(a, b));
    }
  }
}

}  // namespace
}  // namespace sfg
