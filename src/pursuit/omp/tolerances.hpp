#pragma once

// Every number that decides, with its reason. All features have unit length, so these are absolute.
namespace sfg::detail {

/// Scores closer than this are a tie, and the lowest index wins. Far above the rounding of a
/// float64 product (n * 1e-16), far below differences that mean anything.
inline constexpr double kScoreTie = 1e-9;

/// A score at or below this is rounding: no atom correlates with the residual any more.
inline constexpr double kScoreFloor = 1e-9;

/// A squared residual at or below this is rounding: the representation is exact.
inline constexpr double kExactResidual = 1e-18;

/// An atom whose part outside the span of the chosen ones is shorter than this (square root of the
/// rounding unit) depends on them: its coefficient would be noise.
inline constexpr double kDependent = 1e-8;

/// The stop rule ends a pursuit at a gain below epsilon. A gain that is below it only by this much
/// counts as epsilon: data of few distinct values give gains of exactly 1/100, and rounding must
/// not decide. (How two gains compare is another matter: kRelativeGainTie of the cover.)
inline constexpr double kEpsilonSlack = 1e-9;

/// Orthogonalise a second time if the first pass left less than this share of the length ("twice is
/// enough", Kahan and Parlett).
inline constexpr double kReorthogonaliseBelow = 0.7;

/// Rounding unit of float64.
inline constexpr double kUnitRoundoff = 1.1102230246251565e-16;
/// Rounding unit of float.
inline constexpr double kFloatRoundoff = 0x1p-24;

}  // namespace sfg::detail
