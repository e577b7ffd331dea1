#pragma once

#include <cstddef>

// Plain loops on plain arrays. Sums run in 16 interleaved lanes that are added in a fixed order,
// and products are never fused: the same bits on every processor, whichever instructions it has.
namespace sfg::detail {

/// sum_i a_i b_i
[[nodiscard]] double dot(const double* a, const double* b, std::size_t n) noexcept;
/// out[c] = sum_i columns[c]_i v_i for four columns at once
void dot_four(const double* const* columns, const double* v, std::size_t n, double* out) noexcept;
/// Vectors that multiply_by_eight() takes at once.
inline constexpr std::size_t kEight = 8;
/// out[j * 8 + v] = sum_i column_j[i] vectors[i * 8 + v] for `count` columns of n values, one after
/// the other, and eight vectors, interleaved.
void multiply_by_eight(const double* columns, std::size_t n, std::size_t count,
                       const double* vectors, double* out) noexcept;
/// The same with the first four of the eight vectors; the other four places of `out` stay.
inline constexpr std::size_t kFour = 4;
void multiply_by_four(const double* columns, std::size_t n, std::size_t count,
                      const double* vectors, double* out) noexcept;
/// Squared Euclidean distances of a from b and from -b.
struct SquaredDistances {
  double to;
  double to_negated;
};
/// sum_i (a_i - b_i)^2 and sum_i (a_i + b_i)^2; the same if a and b change places.
[[nodiscard]] SquaredDistances squared_distances(const double* a, const double* b,
                                                 std::size_t n) noexcept;
/// max_i |a_i|, 0 for n = 0
[[nodiscard]] double max_abs(const double* a, std::size_t n) noexcept;
[[nodiscard]] float max_abs(const float* a, std::size_t n) noexcept;
/// y_i += factor * x_i
void add_multiple(double factor, const double* x, double* y, std::size_t n) noexcept;
/// y_i += sum_c factors[c] columns[c]_i for four columns at once
void add_four_multiples(const double* factors, const double* const* columns, double* y,
                        std::size_t n) noexcept;
void add_multiple(float factor, const float* x, float* y, std::size_t n) noexcept;

}  // namespace sfg::detail
