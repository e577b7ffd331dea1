#pragma once

#include <cstddef>

// What becomes of products of one sample with others: keys whose lowest are its neighbours. Plain
// loops on plain arrays, of the same shape as core/kernels.hpp; sums run in eight lanes that are
// added in a fixed order.
namespace sfg::detail {

/// Squared distances below this share of the two squared lengths are rounding: sums of d products
/// in float64 are off by about sqrt(d) units of 1e-16.
inline constexpr double kDistanceRounding = 1e-13;

/// keys[j] = |x - x_j|^2 out of keys[j] = <x, x_j>, with |x|^2 and all |x_j|^2; exactly 0 where
/// only rounding is left. Returns sum_j |x - x_j|.
double to_squared_distances(double squared_length, const double* squared_lengths, double* keys,
                            std::size_t n) noexcept;

/// keys[j] = -<x, x_j> / (|x| |x_j|) out of keys[j] = <x, x_j>, infinity where that is not
/// positive. Returns 0: there is nothing to add up.
double to_minus_cosines(double squared_length, const double* squared_lengths, double* keys,
                        std::size_t n) noexcept;

/// Keys that are looked at together.
inline constexpr std::size_t kKeysAtOnce = 32;
/// The first j from `from` on, less than kKeysAtOnce places early, with keys[j] <= limit or keys[j]
/// <= limits[j]; n if there is none.
[[nodiscard]] std::size_t first_within(const double* keys, double limit, const double* limits,
                                       std::size_t from, std::size_t n) noexcept;

}  // namespace sfg::detail
