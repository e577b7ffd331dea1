#pragma once

#include <vector>

#include "sfg/matrix.hpp"
#include "sfg/run_context.hpp"

namespace sfg::detail {

/// What happens to features whose correlations reach the largest one together (copies do).
enum class LarsTies {
  optimal,     ///< those enter that must, at once: the conditions of optimality hold throughout
  one_by_one,  ///< one per step, the others when their turn comes: the original MCFS code
};

struct LarsOptions {
  /// Weight of the squared coefficients (elastic net); 0 is the lasso.
  double ridge = 0;
  /// The path ends with the step that ends with this many features; 0: no such end.
  Index max_active = 0;
  /// The path ends where the largest correlation has fallen to this; 0: at least squares.
  double min_correlation = 0;
  LarsTies ties = LarsTies::optimal;
};

/// Why a path ended.
enum class LarsStatus {
  reached_max_active,
  reached_min_correlation,
  complete,           ///< least squares on the features at hand: nothing correlates any more
  no_correlation,     ///< the response correlates with no feature: there is no step at all
  reached_max_steps,  ///< features went in and out without getting anywhere
  degenerate,         ///< so many ties at one place that no direction was found
};

/// Where a step ended.
struct LarsStep {
  double correlation = 0;            ///< lambda
  std::vector<Index> features;       ///< active ones, in the order in which they entered
  std::vector<double> coefficients;  ///< one per active feature
};

struct LarsPath {
  LarsStatus status = LarsStatus::complete;
  std::vector<LarsStep> steps;

  /// The last step with exactly this many features; where ties or the end of the path leave that
  /// number out, the last one with the next smaller number, else the first step. Null without
  /// steps.
  [[nodiscard]] const LarsStep* of_size(Index n_active) const noexcept;
};

/// All minimisers b(lambda) of
///   |y - X b|^2 / 2 + ridge |b|^2 / 2 + lambda |b|_1
/// from the largest lambda down, for every response y (a column of `responses`): least angle
/// regression with the lasso's drops (Efron, Hastie, Johnstone, Tibshirani 2004). No centring, no
/// intercept. b is linear between two steps. The ridge counts as if sqrt(ridge) I were appended to
/// X and zeros to y, without a copy of the data.
///
/// Each step costs one product of the data with a vector per response, responses side by side, and
/// O(k^2 + n k) with k active features; memory 2 d per response and the path. Ties are settled by
/// the least-index rule, so that the conditions of optimality hold at duplicate columns too (but
/// see LarsTies); a column in the span of the active ones waits until one of these leaves. The
/// answer depends neither on the number of threads nor on the other responses.
[[nodiscard]] std::vector<LarsPath> lars(const Matrix& features, const DenseMatrix& responses,
                                         const LarsOptions& options, const RunContext& run);

}  // namespace sfg::detail
