#pragma once

#include <span>
#include <vector>

#include "sfg/normalise.hpp"
#include "sfg/run_context.hpp"

namespace sfg::detail {

/// <x_a, x_b> of all pairs of some samples over some features, both triangles. The digits depend
/// on neither threads nor memory.
[[nodiscard]] DenseMatrix products_of_samples(const UnitFeatures& features,
                                              std::span<const Index> chosen,
                                              std::span<const Index> samples,
                                              const RunContext& run);

/// The samples' values, samples x features.
[[nodiscard]] DenseMatrix values_of_samples(const UnitFeatures& features,
                                            std::span<const Index> chosen,
                                            std::span<const Index> samples);

/// The same points in as few dimensions as there are samples: from their products, by Cholesky's
/// factorisation with pivoting. Distances stay as they are, rounding aside.
[[nodiscard]] DenseMatrix coordinates_of(const DenseMatrix& products);

}  // namespace sfg::detail
