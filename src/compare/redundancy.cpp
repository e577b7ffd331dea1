#include "compare/redundancy.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "core/kernels.hpp"
#include "core/threads.hpp"
#include "normalise/products.hpp"

namespace sfg::detail {

namespace {

/// Features whose products with as many others are found together.
constexpr std::size_t kTile = 256;

struct Workspace {
  explicit Workspace(const UnitFeatures& features) : products(features) {}
  FeatureProducts products;
  std::vector<double> tile;
};

}  // namespace

double redundancy(const UnitFeatures& centred, std::span<const Index> kept, const RunContext& run) {
  if (kept.size() < 2) return 0;
  const auto tile_at = [&](std::size_t first) {
    return kept.subspan(first, std::min(kTile, kept.size() - first));
  };
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (std::size_t a = 0; a < kept.size(); a += kTile) {
    for (std::size_t b = 0; b <= a; b += kTile) pairs.emplace_back(a, b);
  }
  const SingleThreadedBlas single_threaded;
  std::vector<Workspace> spaces(static_cast<std::size_t>(worker_count(run)), Workspace(centred));
  std::vector<double> sums(pairs.size());
  parallel_for_workers(run, {}, std::ssize(pairs), [&](std::int64_t item, int worker) {
    const auto [a, b] = pairs[item];
    const auto left = tile_at(a);
    const auto right = tile_at(b);
    Workspace& space = spaces[worker];
    space.tile.resize(left.size() * right.size());
    space.products(left, right, space.tile.data());
    // Both triangles: a tile beside the diagonal counts twice.
    sums[item] = (a == b ? 1 : 2) * dot(space.tile.data(), space.tile.data(), space.tile.size());
  });
  const auto n = static_cast<double>(kept.size());
  // Each feature with itself is no pair.
  return std::max(0.0, std::accumulate(sums.begin(), sums.end(), 0.0) - n) / (n * (n - 1));
}

}  // namespace sfg::detail
