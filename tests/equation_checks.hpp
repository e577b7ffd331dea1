#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "reference.hpp"
#include "sfg/equations.hpp"

namespace sfg::testing {

inline std::vector<Equation> equations_of(const Matrix& matrix, const EquationInput& input = {},
                                          const EquationOptions& options = {},
                                          const RunContext& run = {}) {
  return find_equations(centred(matrix), input, options, run);
}

/// "x2 = x0 + x1 - x3", ascending by feature.
inline std::vector<std::string> texts(const std::vector<Equation>& equations, Index n_features) {
  std::vector<std::string> names;
  for (Index i = 0; i < n_features; ++i) names.push_back("x" + std::to_string(i));
  std::vector<std::string> result;
  for (const Equation& one : equations) {
    result.push_back(names[one.feature] + " = " + exact_text(one.combination, names));
  }
  return result;
}

inline std::vector<Index> removed_by(const std::vector<Equation>& equations) {
  std::vector<Index> removed;
  for (const Equation& one : equations) removed.push_back(one.feature);
  return removed;
}

/// Every equation holds in every sample, and is written in features that stay.
inline void expect_true(const DenseMatrix& matrix, const std::vector<Equation>& equations) {
  const auto removed = removed_by(equations);
  for (const Equation& one : equations) {
    double largest = 0;
    double worst = 0;
    for (Index i = 0; i < matrix.n_samples(); ++i) {
      double sum = one.combination.intercept;
      for (const Term& term : one.combination.terms) {
        sum += term.coefficient * matrix(i, term.feature);
      }
      largest = std::max(largest, std::fabs(matrix(i, one.feature)));
      worst = std::max(worst, std::fabs(sum - matrix(i, one.feature)));
    }
    EXPECT_LE(worst, 1e-8 * largest) << "x" << one.feature;
    for (const Term& term : one.combination.terms) {
      EXPECT_EQ(std::ranges::count(removed, term.feature), 0) << "x" << term.feature;
    }
  }
}

}  // namespace sfg::testing
