#pragma once

#include <span>

#include "sfg/matrix.hpp"
#include "sfg/run_context.hpp"

namespace sfg::detail {

/// K = sum over the features of weight_j x_j x_j', samples x samples; weights are not negative.
/// O(n^2 d), memory of the result and of some hundred columns. The bits do not depend on the
/// threads.
[[nodiscard]] DenseMatrix sample_gram(const Matrix& features, std::span<const double> weights,
                                      const RunContext& run);

}  // namespace sfg::detail
