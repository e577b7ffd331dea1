#include "pursuit/engines/stream/quantise.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/simd.hpp"

namespace sfg::detail {

namespace {

/// Independent sums, so that the compiler may work on several entries at once.
constexpr std::size_t kLanes = 8;

/// Adding and taking away 1.5 * 2^52 rounds a double to the nearest whole number (ties to even)
/// without a call or a branch.
constexpr double kRounder = 6755399441055744.0;

double total(const double* lanes, std::size_t n) noexcept {
  double sum = 0;
  for (std::size_t lane = 0; lane < n; ++lane) sum += lanes[lane];
  return sum;
}

/// The nearest bfloat16 (ties to even), as the upper half of a float's bits.
std::uint32_t to_bf16(double value) noexcept {
  const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
  return (bits + 0x7FFFU + ((bits >> 16U) & 1U)) >> 16U;
}

}  // namespace

SFG_SIMD double quantise_to_integers(const double* values, std::size_t n, double unit,
                                     std::int8_t* integers) noexcept {
  const double inverse = 1 / unit;
  double squares[kLanes] = {};
  std::size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const double integer = (values[i + lane] * inverse + kRounder) - kRounder;
      const double left = values[i + lane] - integer * unit;
      squares[lane] += left * left;
      integers[i + lane] = static_cast<std::int8_t>(static_cast<int>(integer));
    }
  }
  for (; i < n; ++i) {
    const double integer = (values[i] * inverse + kRounder) - kRounder;
    const double left = values[i] - integer * unit;
    squares[0] += left * left;
    integers[i] = static_cast<std::int8_t>(static_cast<int>(integer));
  }
  return total(squares, kLanes);
}

SFG_SIMD double largest_half_length(const double* values, std::size_t n,
                                    std::size_t segment) noexcept {
  double largest = 0;
  for (std::size_t start = 0; start < n; start += segment) {
    const std::size_t end = std::min(start + segment, n);
    double squares[kLanes] = {};
    std::size_t i = start;
    for (; i + kLanes <= end; i += kLanes) {
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        squares[lane] += values[i + lane] * values[i + lane];
      }
    }
    for (; i < end; ++i) squares[i % 4] += values[i] * values[i];
    const double first = squares[0] + squares[1] + squares[4] + squares[5];
    const double second = squares[2] + squares[3] + squares[6] + squares[7];
    largest = std::max({largest, first, second});
  }
  return std::sqrt(largest);
}

SFG_SIMD HalfSums half_sums(const std::int8_t* integers, std::size_t n) noexcept {
  int sums[kLanes] = {};
  std::size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) sums[lane] += integers[i + lane];
  }
  for (; i < n; ++i) sums[i % 4] += integers[i];
  return {sums[0] + sums[1] + sums[4] + sums[5], sums[2] + sums[3] + sums[6] + sums[7]};
}

double pack_bf16(const double* values, std::size_t n, std::uint32_t* words) noexcept {
  double squares = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t bits = to_bf16(values[i]);
    const double left = values[i] - static_cast<double>(std::bit_cast<float>(bits << 16U));
    squares += left * left;
    words[i / 2] = i % 2 == 0 ? bits : words[i / 2] | bits << 16U;
  }
  return squares;
}

SFG_SIMD double pack_f32(const double* values, std::size_t n, std::uint32_t* words) noexcept {
  double squares = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const auto value = static_cast<float>(values[i]);
    const double left = values[i] - static_cast<double>(value);
    squares += left * left;
    words[i] = std::bit_cast<std::uint32_t>(value);
  }
  return squares;
}

}  // namespace sfg::detail
