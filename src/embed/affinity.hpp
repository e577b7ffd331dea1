#pragma once

#include "embed/sample_products.hpp"
#include "sfg/embed.hpp"

namespace sfg::detail {

/// All pairs by their distance.
[[nodiscard]] Affinity gauss_affinity(const SampleProducts& products,
                                      const AffinityOptions& options, const RunContext& run);
/// Nearest neighbours by distance or by cosine.
[[nodiscard]] Affinity heat_knn_affinity(const SampleProducts& products,
                                         const AffinityOptions& options, const RunContext& run);
[[nodiscard]] Affinity cosine_knn_affinity(const SampleProducts& products,
                                           const AffinityOptions& options, const RunContext& run);

/// exp(-d^2 / (2 sigma^2)) or exp(-d / (2 sigma^2)); 1 for d = 0, whatever sigma is.
[[nodiscard]] double gauss_weight(double squared_distance, double sigma,
                                  GaussExponent exponent) noexcept;

}  // namespace sfg::detail
