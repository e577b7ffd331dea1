#pragma once

#include "sfg/matrix.hpp"

namespace sfg::detail {

/// An equation leaves at most this share of a feature's spread. Integers and decimals leave 1e-16
/// times the condition of the parts; what is measured or rounded to a few digits leaves 1e-6 and
/// more (r2 = 0.9999999 leaves 3e-4), and so do sums that were made in single precision (1e-7).
inline constexpr double kExactRest = 1e-9;

/// Weights (of unit features) up to this are rounding: such a term moves the sum by no more than
/// kExactRest.
inline constexpr double kNoWeight = 1e-9;

/// Weights this small are tried without: nearly equal parts share rounding between them that is
/// larger than that of one part alone.
inline constexpr double kDoubtfulWeight = 1e-6;

/// Weights of equal size up to this share are a tie: the lowest index stays.
inline constexpr double kWeightTie = 1e-9;

/// Samples that one term of an equation takes, so that it is no accident.
inline constexpr Index kSamplesPerTerm = 4;

}  // namespace sfg::detail
