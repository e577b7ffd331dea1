#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <numeric>
#include <vector>

namespace sfg::detail {

/// Random numbers that are the same on every machine and compiler, unlike the distributions of the
/// standard library: splitmix64, a counter passed through a mixing function.
class Random {
 public:
  explicit Random(std::uint64_t seed) noexcept : state_(seed) {}

  [[nodiscard]] std::uint64_t bits() noexcept {
    state_ += 0x9E3779B97F4A7C15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31);
  }
  /// In [0, 1), 53 random bits.
  [[nodiscard]] double uniform() noexcept { return static_cast<double>(bits() >> 11) * 0x1p-53; }
  [[nodiscard]] double uniform(double low, double high) noexcept {
    return low + (high - low) * uniform();
  }
  /// In [0, n), n > 0; the bias is below n / 2^64.
  [[nodiscard]] std::uint64_t below(std::uint64_t n) noexcept {
    return static_cast<std::uint64_t>((static_cast<unsigned __int128>(bits()) * n) >> 64);
  }
  /// Standard normal, by Box and Muller's sum of logarithm and angle.
  [[nodiscard]] double normal() noexcept {
    const double radius = std::sqrt(-2 * std::log(1 - uniform()));
    return radius * std::cos(2 * std::numbers::pi * uniform());
  }

 private:
  std::uint64_t state_;
};

/// Brings a range into random order (Fisher and Yates).
template <typename Range>
void shuffle(Range& range, Random& random) {
  for (std::size_t i = range.size(); i > 1; --i) {
    using std::swap;
    swap(range[i - 1], range[random.below(i)]);
  }
}

/// So many of the values, or all if there are no more: a random choice, in the order given.
template <typename Value>
std::vector<Value> random_choice(const std::vector<Value>& from, std::size_t count,
                                 Random& random) {
  if (count >= from.size()) return from;
  std::vector<std::size_t> places(from.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  shuffle(places, random);
  places.resize(count);
  std::sort(places.begin(), places.end());
  std::vector<Value> chosen;
  for (const std::size_t place : places) chosen.push_back(from[place]);
  return chosen;
}

}  // namespace sfg::detail
