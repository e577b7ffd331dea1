#pragma once

// Numbers that decide in several selectors, with their reasons.
namespace sfg::detail {

/// A feature whose spread is no more than this share of its power is constant: the mean is right to
/// some 1e-16 of the values, its square to 1e-32, and a sum of many of them needs room.
inline constexpr double kConstantShare = 1e-24;

/// Eigenvectors with a smaller absolute eigenvalue carry nothing (the original's number).
inline constexpr double kSmallestEigenvalue = 1e-6;

}  // namespace sfg::detail
