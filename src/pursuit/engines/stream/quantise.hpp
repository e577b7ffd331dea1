#pragma once

#include <cstddef>
#include <cstdint>

// Vectors in few bits. Plain loops; the same numbers on every processor.
namespace sfg::detail {

/// Rounds value / unit to whole numbers. Returns sum (value - integer * unit)^2, what that leaves
/// out.
double quantise_to_integers(const double* values, std::size_t n, double unit,
                            std::int8_t* integers) noexcept;

/// A vector is cut into segments of `segment` entries (a multiple of four), each of them into two
/// halves: entries 0 and 1, or 2 and 3, of every four. Returns the largest length of a half.
[[nodiscard]] double largest_half_length(const double* values, std::size_t n,
                                         std::size_t segment) noexcept;

/// Sums of the two halves of a segment in whole numbers; n is a multiple of four.
struct HalfSums {
  int first;
  int second;
};
[[nodiscard]] HalfSums half_sums(const std::int8_t* integers, std::size_t n) noexcept;

/// As bfloat16, two to a word, rounded to nearest; returns the squared length of what is left out.
double pack_bf16(const double* values, std::size_t n, std::uint32_t* words) noexcept;
/// As float, one to a word.
double pack_f32(const double* values, std::size_t n, std::uint32_t* words) noexcept;

}  // namespace sfg::detail
