// What a weight of the nearest few does to the errors: products instead of passes over samples.
#include "predict/nearest_terms.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "helpers.hpp"
#include "reference.hpp"

namespace sfg::detail {
namespace {

using testing::random_matrix;

double product(const DenseMatrix& data, Index a, Index b) {
  double sum = 0;
  for (Index i = 0; i < data.n_samples(); ++i) sum += data(i, a) * data(i, b);
  return sum;
}

/// Columns 0 to 4 are the nearest, 5 the target, 6 to 10 the columns D, 11 the error e.
NearestTerms terms_of(const DenseMatrix& data, std::size_t count) {
  NearestTerms terms;
  terms.start(count);
  for (std::size_t j = 0; j < count; ++j) {
    const auto own = static_cast<Index>(j);
    terms.right(j) = product(data, own, 5);
    terms.along_error(j) = product(data, own + 6, 11);
    for (std::size_t k = 0; k <= j; ++k) {
      terms.gram(j, k) = product(data, own, static_cast<Index>(k));
      terms.overlap(j, k) = product(data, own + 6, static_cast<Index>(k) + 6);
    }
  }
  return terms;
}

TEST(NearestTerms, solve_the_normal_equations_for_every_ridge) {
  const DenseMatrix data = random_matrix(30, 12, 4);
  for (const std::size_t count : {1U, 3U, 5U}) {
    NearestTerms terms = terms_of(data, count);
    std::vector<double> x;
    for (const double ridge : {1e-6, 0.1, 1000.0}) {
      terms.solve(ridge, x);
      ASSERT_EQ(x.size(), count);
      for (std::size_t j = 0; j < count; ++j) {
        double left = ridge * x[j];
        for (std::size_t k = 0; k < count; ++k) {
          left += product(data, static_cast<Index>(j), static_cast<Index>(k)) * x[k];
        }
        EXPECT_NEAR(left, product(data, static_cast<Index>(j), 5), 1e-10);
      }
    }
  }
}

TEST(NearestTerms, change_the_error_as_much_as_the_columns_themselves_do) {
  const DenseMatrix data = random_matrix(30, 12, 5);
  NearestTerms terms = terms_of(data, 5);
  std::vector<double> x;
  terms.solve(0.5, x);
  double error = 0;
  double right = 0;
  double square = 0;
  for (Index i = 0; i < 30; ++i) {
    double left = data(i, 11);
    double fit = 0;
    for (Index j = 0; j < 5; ++j) {
      left -= data(i, j + 6) * x[j];
      fit += data(i, j) * x[j];
    }
    error += left * left;
    right += fit * data(i, 5);
    square += fit * fit;
  }
  EXPECT_NEAR(product(data, 11, 11) + terms.change_of_error(x), error, 1e-10);
  EXPECT_NEAR(terms.along_right(x), right, 1e-10);
  EXPECT_NEAR(terms.square_of(x), square, 1e-10);
}

TEST(NearestTerms, that_depend_on_each_other_give_the_plain_prediction) {
  NearestTerms terms;
  terms.start(2);
  for (std::size_t j = 0; j < 2; ++j) {
    terms.right(j) = 1;
    for (std::size_t k = 0; k <= j; ++k) terms.gram(j, k) = 1;
  }
  std::vector<double> x{5, 5};
  terms.solve(0, x);
  EXPECT_EQ(x, (std::vector<double>{0, 0}));
}

}  // namespace
}  // namespace sfg::detail
