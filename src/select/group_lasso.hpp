#pragma once

#include <span>
#include <vector>

#include "select/columns.hpp"

namespace sfg::detail {

/// The minimiser W of |Y - X W|^2 / 2 + lambda sum_j |w_j| at one lambda; X has the features,
/// centred and of unit length, w_j is the row of feature j.
struct GroupLassoStep {
  double lambda = 0;
  std::vector<Index> features;       ///< with a row that is not zero, ascending
  std::vector<double> coefficients;  ///< their rows, one after the other
  std::vector<double> row_norm;      ///< one per such feature
};

struct GroupLassoPath {
  std::vector<GroupLassoStep> steps;  ///< one per count
  bool exact = true;                  ///< every minimiser was found to the tolerance
};

/// For every count (rising) the first of the lambdas lambda_max 0.95^k at which so many rows are
/// not zero; the last lambda tried where that is never so. Block coordinate descent on the rows
/// that may change, in ascending order, until no row outside violates |x_j'R| <= lambda, with
/// R = Y - X W. O(n d k) for each look at all features; d k numbers. Features without a spread take
/// no part. Y is centred.
[[nodiscard]] GroupLassoPath group_lasso(const Columns& columns, const std::vector<Spread>& spreads,
                                         const DenseMatrix& responses,
                                         const std::vector<Index>& counts, const RunContext& run);

}  // namespace sfg::detail
