#pragma once

#include "sfg/normalise.hpp"
#include "sfg/run_context.hpp"

namespace sfg::detail {

/// What is known of the features beside the matrix and its shift.
[[nodiscard]] UnitFeatures without_matrix(const UnitFeatures& features);

/// Whether a search through all features gets cheaper by fewer_samples().
[[nodiscard]] bool fewer_samples_pay(const UnitFeatures& features);

/// The same inner products with as many samples as features: F = Q R with orthonormal columns of Q,
/// so that F'F = R'R, and R stands for F. Rounding apart (a few n u, far below every tolerance of
/// the pursuit) nothing changes. The rows are cut into pieces of fixed size: the same R for any
/// number of threads.
[[nodiscard]] UnitFeatures fewer_samples(const UnitFeatures& features, const RunContext& run);

}  // namespace sfg::detail
