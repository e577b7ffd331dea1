#include <algorithm>
#include <numeric>

#include "core/threads.hpp"
#include "groups/nearest_picks.hpp"
#include "normalise/products.hpp"
#include "sfg/grouping.hpp"

namespace sfg {

namespace {

/// Features that are compared with so many kept ones at once.
constexpr std::size_t kKeptTile = 256;
/// Squared correlations this close are a tie: BLAS may sum in another order.
constexpr double kTie = 1e-12;

}  // namespace

std::vector<NearestKept> nearest_kept(const UnitFeatures& centred, std::span<const Index> kept,
                                      const RunContext& run) {
  const detail::SingleThreadedBlas single_threaded;
  const auto d = static_cast<std::size_t>(centred.n_features());
  std::vector<NearestKept> nearest(d);
  std::vector<char> is_kept(d, 0);
  for (const Index feature : kept) is_kept[feature] = 1;
  std::vector<Index> others;
  for (std::size_t i = 0; i < d; ++i) {
    const auto feature = static_cast<Index>(i);
    if (is_kept[i] != 0) {
      nearest[i] = {feature, 1.0};
    } else if (centred.kind[i] == FeatureKind::regular) {
      others.push_back(feature);
    }
  }
  if (kept.empty()) return nearest;
  const std::size_t n_tiles = (others.size() + kKeptTile - 1) / kKeptTile;
  detail::parallel_for(run, {}, static_cast<std::int64_t>(n_tiles), [&](std::int64_t item) {
    const std::size_t first = static_cast<std::size_t>(item) * kKeptTile;
    const auto tile = std::span(others).subspan(first, std::min(kKeptTile, others.size() - first));
    detail::FeatureProducts products(centred);
    std::vector<double> block(kKeptTile * kKeptTile);
    for (const Index feature : tile) nearest[feature].r2 = -1;
    for (std::size_t start = 0; start < kept.size(); start += kKeptTile) {
      const auto columns = kept.subspan(start, std::min(kKeptTile, kept.size() - start));
      products(columns, tile, block.data());
      for (std::size_t t = 0; t < tile.size(); ++t) {
        NearestKept& best = nearest[tile[t]];
        for (std::size_t k = 0; k < columns.size(); ++k) {
          const double r = block[t * columns.size() + k];
          const double r2 = std::min(1.0, r * r);
          const bool lower = r2 >= best.r2 - kTie && columns[k] < best.feature;
          if (r2 > best.r2 + kTie || lower) best = {columns[k], std::max(r2, best.r2)};
        }
      }
    }
  });
  return nearest;
}

namespace detail {

std::vector<std::vector<NearerPick>> nearer_picks(const UnitFeatures& centred,
                                                  std::span<const Index> picks,
                                                  std::span<const Index> features,
                                                  const RunContext& run) {
  const SingleThreadedBlas single_threaded;
  std::vector<std::vector<NearerPick>> nearer(features.size());
  const std::size_t n_tiles = (features.size() + kKeptTile - 1) / kKeptTile;
  parallel_for(run, {}, static_cast<std::int64_t>(n_tiles), [&](std::int64_t item) {
    const std::size_t first = static_cast<std::size_t>(item) * kKeptTile;
    const auto tile = features.subspan(first, std::min(kKeptTile, features.size() - first));
    FeatureProducts products(centred);
    std::vector<double> block(kKeptTile * kKeptTile);
    for (std::size_t start = 0; start < picks.size(); start += kKeptTile) {
      const auto columns = picks.subspan(start, std::min(kKeptTile, picks.size() - start));
      products(columns, tile, block.data());
      for (std::size_t t = 0; t < tile.size(); ++t) {
        auto& list = nearer[first + t];
        for (std::size_t k = 0; k < columns.size(); ++k) {
          const Index nearest = list.empty() ? -1 : picks[list.back().place];
          if (nearest == tile[t]) break;
          const double r = block[t * columns.size() + k];
          const bool is_itself = columns[k] == tile[t];
          const double r2 = is_itself ? 1.0 : std::min(1.0, r * r);
          const double before = list.empty() ? -1.0 : list.back().r2;
          const bool lower = r2 >= before - kTie && columns[k] < nearest;
          if (!is_itself && !lower && r2 <= before + kTie) continue;
          list.push_back({static_cast<Index>(start + k), r2});
        }
      }
    }
  });
  return nearer;
}

}  // namespace detail

}  // namespace sfg
