// Which samples a repeat sees.
#include <algorithm>
#include <cstdint>
#include <numeric>

#include "core/fingerprint.hpp"
#include "core/random.hpp"
#include "sfg/stability.hpp"

namespace sfg {

namespace {

/// A sequence of its own for each draw of each seed.
detail::Random random_of_draw(std::uint64_t seed, int draw) {
  return detail::Random(detail::mix(detail::mix(0, seed), static_cast<std::uint64_t>(draw)));
}

std::vector<Index> half_of(Index n_samples, int repeat, std::uint64_t seed) {
  std::vector<Index> order(static_cast<std::size_t>(n_samples));
  std::iota(order.begin(), order.end(), Index{0});
  detail::Random random = random_of_draw(seed, repeat / 2);
  detail::shuffle(order, random);
  const Index n_half = n_samples / 2;
  const auto begin = order.begin() + (repeat % 2) * n_half;
  std::vector<Index> half(begin, begin + n_half);
  std::ranges::sort(half);
  return half;
}

std::vector<Index> drawn_with_replacement(Index n_samples, int repeat, std::uint64_t seed) {
  detail::Random random = random_of_draw(seed, repeat);
  std::vector<Index> drawn(static_cast<std::size_t>(n_samples));
  for (Index& sample : drawn) {
    sample = static_cast<Index>(random.below(static_cast<std::uint64_t>(n_samples)));
  }
  std::ranges::sort(drawn);
  return drawn;
}

}  // namespace

std::vector<Index> resampled(Resample how, Index n_samples, int repeat, std::uint64_t seed) {
  return how == Resample::halves ? half_of(n_samples, repeat, seed)
                                 : drawn_with_replacement(n_samples, repeat, seed);
}

}  // namespace sfg
