#include "sfg/cluster.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/random.hpp"
#include "helpers.hpp"
#include "reference.hpp"

namespace sfg {
namespace {

using testing::expect_error;
using testing::random_matrix;
using testing::with_threads;

/// Small whole numbers, about half of them zero: distances are exact and full of ties.
DenseMatrix counts_matrix(Index n, Index d, std::uint64_t seed) {
  detail::Random random(seed);
  DenseMatrix matrix(n, d);
  for (Index k = 0; k < d; ++k) {
    for (double& value : matrix.column(k)) {
      value = std::max(0.0, static_cast<double>(random.below(5)) - 2);
    }
  }
  return matrix;
}

double reference_squared_distance(const DenseMatrix& data, Index i, Index j) {
  double sum = 0;
  for (Index k = 0; k < data.n_features(); ++k) {
    sum += (data(i, k) - data(j, k)) * (data(i, k) - data(j, k));
  }
  return sum;
}

double reference_sigma(const DenseMatrix& data) {
  const Index n = data.n_samples();
  double sum = 0;
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) sum += std::sqrt(reference_squared_distance(data, i, j));
  }
  return sum / (static_cast<double>(n) * n);
}

/// The matrix written out, constant and all.
DenseMatrix written_out(const Affinity& affinity) {
  DenseMatrix result = std::holds_alternative<DenseMatrix>(affinity.weights)
                           ? std::get<DenseMatrix>(affinity.weights)
                           : to_dense(std::get<SparseMatrix>(affinity.weights));
  for (Index j = 0; j < result.n_features(); ++j) {
    for (double& weight : result.column(j)) weight += affinity.constant;
  }
  return result;
}

RC_GTEST_PROP(GaussAffinity, is_the_formula_for_dense_and_sparse_data, ()) {
  const auto n = *rc::gen::inRange<Index>(1, 150);
  const DenseMatrix data = counts_matrix(n, 6, *rc::gen::arbitrary<std::uint32_t>());
  const auto exponent = *rc::gen::element(GaussExponent::squared_distance, GaussExponent::distance);
  const auto diagonal = *rc::gen::element(Diagonal::zero, Diagonal::keep);
  const AffinityOptions options{AffinityKind::gauss, exponent, diagonal};
  const double sigma = reference_sigma(data);
  for (const Matrix& matrix : {Matrix(data), Matrix(to_sparse(data))}) {
    const Affinity result = affinity(matrix, options, with_threads(3));
    RC_ASSERT(std::fabs(result.sigma - sigma) <= 1e-12 * sigma);
    const DenseMatrix weights = written_out(result);
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < n; ++j) {
        const double squared = reference_squared_distance(data, i, j);
        const double above = exponent == GaussExponent::distance ? std::sqrt(squared) : squared;
        double expected = above == 0 ? 1 : std::exp(-above / (2 * sigma * sigma));
        if (i == j && diagonal == Diagonal::zero) expected = 0;
        RC_ASSERT(std::fabs(weights(i, j) - expected) < 1e-12);
        RC_ASSERT(weights(i, j) == weights(j, i));
      }
    }
  }
}

/// The k nearest by (key, index), the slow way.
std::vector<Index> reference_nearest(const std::vector<double>& keys, Index k) {
  std::vector<Index> order(keys.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::ranges::stable_sort(order, [&](Index a, Index b) { return keys[a] < keys[b]; });
  order.resize(std::min(order.size(), static_cast<std::size_t>(k)));
  return order;
}

RC_GTEST_PROP(HeatKnnAffinity, joins_the_nearest_in_either_direction_with_ties_to_the_lowest_index,
              ()) {
  const auto n = *rc::gen::inRange<Index>(1, 150);
  const auto k = *rc::gen::inRange<Index>(1, 9);
  const DenseMatrix data = counts_matrix(n, 5, *rc::gen::arbitrary<std::uint32_t>());
  AffinityOptions options{AffinityKind::heat_knn};
  options.n_neighbors = k;
  const double sigma = reference_sigma(data);
  DenseMatrix expected(n, n);
  for (Index i = 0; i < n; ++i) {
    std::vector<double> keys;
    for (Index j = 0; j < n; ++j) keys.push_back(reference_squared_distance(data, i, j));
    for (const Index j : reference_nearest(keys, k + 1)) {
      const double squared = keys[j];
      if (i == j) continue;
      expected(i, j) = expected(j, i) = squared == 0 ? 1 : std::exp(-squared / (2 * sigma * sigma));
    }
  }
  for (const Matrix& matrix : {Matrix(data), Matrix(to_sparse(data))}) {
    const Affinity result = affinity(matrix, options, with_threads(2));
    const DenseMatrix weights = written_out(result);
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < n; ++j) {
        RC_ASSERT(std::fabs(weights(i, j) - expected(i, j)) < 1e-12);
      }
    }
  }
}

RC_GTEST_PROP(CosineKnnAffinity, joins_the_most_alike_and_adds_a_tenth_of_the_mean_weight, ()) {
  const auto n = *rc::gen::inRange<Index>(1, 120);
  const DenseMatrix data = counts_matrix(n, 5, *rc::gen::arbitrary<std::uint32_t>());
  AffinityOptions options{AffinityKind::cosine_knn};
  options.n_neighbors = 4;
  DenseMatrix expected(n, n);
  for (Index i = 0; i < n; ++i) {
    std::vector<double> keys(static_cast<std::size_t>(n));
    for (Index j = 0; j < n; ++j) {
      double product = 0;
      double length_i = 0;
      double length_j = 0;
      for (Index f = 0; f < data.n_features(); ++f) {
        product += data(i, f) * data(j, f);
        length_i += data(i, f) * data(i, f);
        length_j += data(j, f) * data(j, f);
      }
      // Rounded, so that equal cosines are equal here too.
      const double cosine = product > 0 && i != j ? product / std::sqrt(length_i * length_j) : 0;
      keys[j] = -std::round(cosine * 1e9) / 1e9;
    }
    for (const Index j : reference_nearest(keys, 4)) {
      const double cosine = -keys[j];
      if (cosine > 0) expected(i, j) = expected(j, i) = cosine;
    }
  }
  double sum = 0;
  for (Index j = 0; j < n; ++j) {
    for (const double weight : expected.column(j)) sum += weight;
  }
  const double constant = 0.1 * sum / (static_cast<double>(n) * n);
  for (const Matrix& matrix : {Matrix(data), Matrix(to_sparse(data))}) {
    const DenseMatrix weights = written_out(affinity(matrix, options, with_threads(2)));
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < n; ++j) {
        RC_ASSERT(std::fabs(weights(i, j) - expected(i, j) - constant) < 1e-8);
      }
    }
  }
}

TEST(Affinity, is_bit_equal_for_any_number_of_threads) {
  const Matrix data = random_matrix(700, 20, 4);
  for (const auto kind : {AffinityKind::gauss, AffinityKind::heat_knn, AffinityKind::cosine_knn}) {
    AffinityOptions options;
    options.kind = kind;
    const DenseMatrix expected = written_out(affinity(data, options, with_threads(1)));
    for (const int threads : {2, 5}) {
      const DenseMatrix weights = written_out(affinity(data, options, with_threads(threads)));
      EXPECT_TRUE(std::equal(expected.data(), expected.data() + 700 * 700, weights.data()));
    }
  }
}

TEST(Affinity, counts_empty_and_isolated_samples) {
  DenseMatrix data = counts_matrix(30, 4, 1);
  for (Index k = 0; k < 4; ++k) {
    for (Index i = 0; i < 30; ++i) data(i, k) += 1;
    data(7, k) = 0;
    data(9, k) = 0;
  }
  const Affinity by_cosine = affinity(data, {AffinityKind::cosine_knn});
  EXPECT_EQ(by_cosine.n_empty, 2);
  EXPECT_EQ(by_cosine.n_isolated, 2);
  EXPECT_EQ(affinity(data, {}).n_isolated, 0);
}

TEST(Affinity, refuses_what_does_not_fit_into_memory_with_the_number_needed) {
  sfg::RunContext run;
  run.memory_limit = 4'000'000;
  run.threads = 1;
  const Matrix data = random_matrix(1000, 3, 1);
  expect_error(ErrorCode::over_memory, {"8.", "MB", "4.0 MB", "heat-knn"},
               [&] { (void)affinity(data, {}, run); });
  EXPECT_NO_THROW((void)affinity(data, {AffinityKind::heat_knn}, run));
}

TEST(Affinity, refuses_values_that_cannot_be_squared_and_options_out_of_range) {
  DenseMatrix data = random_matrix(4, 2, 1);
  data(2, 1) = 1e200;
  expect_error(ErrorCode::degenerate_data, {"sample 3"}, [&] { (void)affinity(data, {}); });
  data(2, 1) = std::nan("");
  expect_error(ErrorCode::degenerate_data, {"sample 3"}, [&] { (void)affinity(data, {}); });
  AffinityOptions options;
  options.n_neighbors = -1;
  expect_error(ErrorCode::invalid_option, {"n_neighbors"},
               [&] { (void)affinity(random_matrix(4, 2, 1), options); });
}

RC_GTEST_PROP(Tfidf, is_the_formula_for_dense_and_sparse_counts, ()) {
  const auto n = *rc::gen::inRange<Index>(1, 30);
  const DenseMatrix data = counts_matrix(n, 7, *rc::gen::arbitrary<std::uint32_t>());
  DenseMatrix expected(n, 7);
  for (Index k = 0; k < 7; ++k) {
    const auto column = data.column(k);
    const auto df = std::ranges::count_if(column, [](double value) { return value > 0; });
    for (Index i = 0; i < n; ++i) {
      expected(i, k) =
          std::log(1 + data(i, k)) * (std::log((1.0 + n) / (1.0 + static_cast<double>(df))) + 1);
    }
  }
  const Matrix dense = tfidf(data);
  const Matrix sparse = tfidf(to_sparse(data), with_threads(2));
  for (Index i = 0; i < n; ++i) {
    double squares = 0;
    for (Index k = 0; k < 7; ++k) squares += expected(i, k) * expected(i, k);
    for (Index k = 0; k < 7; ++k) {
      const double value = squares > 0 ? expected(i, k) / std::sqrt(squares) : 0;
      RC_ASSERT(std::fabs(std::get<DenseMatrix>(dense)(i, k) - value) < 1e-13);
      RC_ASSERT(std::fabs(to_dense(std::get<SparseMatrix>(sparse))(i, k) - value) < 1e-13);
    }
  }
}

TEST(Tfidf, refuses_negative_values) {
  DenseMatrix data(3, 2);
  data(1, 1) = -2;
  expect_error(ErrorCode::degenerate_data, {"-2", "sample 2", "feature 2"},
               [&] { (void)tfidf(data); });
}

TEST(AffinityNames, read_back) {
  for (const char* name : {"gauss", "heat-knn", "cosine-knn"}) {
    EXPECT_EQ(choice_name(choice_from_name<AffinityKind>(name, "affinity")), name);
  }
  expect_error(ErrorCode::invalid_option, {"'best'", "gauss"},
               [] { (void)choice_from_name<AffinityKind>("best", "affinity"); });
}

}  // namespace
}  // namespace sfg
