#include <algorithm>
#include <cmath>

#include "core/line.hpp"
#include "core/threads.hpp"
#include "groups/nearest_picks.hpp"
#include "normalise/observed_products.hpp"
#include "pursuit/omp/tolerances.hpp"
#include "sfg/grouping.hpp"
#include "sfg/pursuit.hpp"

namespace sfg {

namespace {

/// Features that are compared with so many kept ones at once.
constexpr std::size_t kKeptTile = 256;
/// Squared correlations this close are a tie: BLAS may sum in another order.
constexpr double kTie = 1e-12;

std::vector<Index> ascending(std::span<const Index> features) {
  std::vector<Index> sorted(features.begin(), features.end());
  std::ranges::sort(sorted);
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  return sorted;
}

/// With gaps every pair has samples of its own, and no engine knows them: all pairs.
void find_by_observed(const UnitFeatures& centred, std::span<const Index> chosen,
                      std::span<const Index> others, const RunContext& run,
                      std::vector<NearestKept>& nearest) {
  const detail::SingleThreadedBlas single_threaded;
  const std::size_t n_tiles = (others.size() + kKeptTile - 1) / kKeptTile;
  detail::parallel_for(run, {}, static_cast<std::int64_t>(n_tiles), [&](std::int64_t item) {
    const std::size_t first = static_cast<std::size_t>(item) * kKeptTile;
    const auto tile = others.subspan(first, std::min(kKeptTile, others.size() - first));
    detail::ObservedProducts correlations(centred);
    std::vector<double> block(kKeptTile * kKeptTile);
    for (const Index feature : tile) nearest[feature] = {chosen.front(), 0.0};
    for (std::size_t start = 0; start < chosen.size(); start += kKeptTile) {
      const auto columns = chosen.subspan(start, std::min(kKeptTile, chosen.size() - start));
      correlations(columns, tile, block.data());
      for (std::size_t t = 0; t < tile.size(); ++t) {
        NearestKept& best = nearest[tile[t]];
        for (std::size_t k = 0; k < columns.size(); ++k) {
          const double r = block[t * columns.size() + k];
          if (r * r > best.r2 + kTie) best = {columns[k], r * r};
        }
      }
    }
  });
}

}  // namespace

std::vector<NearestKept> nearest_kept(const UnitFeatures& centred, std::span<const Index> kept,
                                      const RunContext& run) {
  const auto d = static_cast<std::size_t>(centred.n_features());
  std::vector<NearestKept> nearest(d);
  const std::vector<Index> chosen = ascending(kept);
  for (const Index feature : chosen) nearest[feature] = {feature, 1.0};
  std::vector<Index> others;
  for (const Index feature : regular_features(centred)) {
    if (nearest[feature].feature < 0) others.push_back(feature);
  }
  if (chosen.empty() || others.empty()) return nearest;
  if (centred.gaps != nullptr) {
    find_by_observed(centred, chosen, others, run, nearest);
    return nearest;
  }
  // The first atom of a description is the nearest feature: the pursuit's engines find it.
  UnitFeatures dictionary = select_features(centred, chosen);
  for (FeatureKind& kind : dictionary.kind) {
    if (kind == FeatureKind::apart) kind = FeatureKind::regular;
  }
  PursuitOptions first_atom;
  first_atom.max_atoms = 1;
  RunContext quiet = run;
  quiet.progress = nullptr;
  const Representations found = pursue_some(centred, others, dictionary, first_atom,
                                            detail::while_holding(dictionary.matrix, quiet));
  detail::parallel_for(quiet, {}, static_cast<std::int64_t>(others.size()), [&](std::int64_t item) {
    const Index feature = others[item];
    const auto atoms = found.atoms_of(static_cast<Index>(item));
    // Without an atom nothing correlates with it: one is as near as the other.
    const Index best = chosen[atoms.empty() ? 0 : atoms.front()];
    const double r = inner_product(centred, feature, best);
    nearest[feature] = {best, std::min(1.0, r * r)};
  });
  return nearest;
}

namespace {

/// The nearest of `kept` to each of a few targets in the order of the line.
void find_nearest(const UnitFeatures& centred, const detail::Line& kept,
                  std::span<const Index> targets, std::vector<NearestKept>& nearest) {
  const detail::Run all = kept.near_any(targets);
  if (all.size() == 0) return;
  const std::size_t n = all.size();
  detail::ObservedProducts products(centred);
  std::vector<double> block(std::min(kKeptTile, n) * targets.size());
  std::vector<double> r(n * targets.size());
  for (std::size_t start = 0; start < n; start += kKeptTile) {
    const std::size_t count = std::min(kKeptTile, n - start);
    products(kept.features().subspan(all.first + start, count), targets, block.data());
    for (std::size_t t = 0; t < targets.size(); ++t) {
      std::copy_n(block.data() + t * count, count, r.data() + t * n + start);
    }
  }
  for (std::size_t t = 0; t < targets.size(); ++t) {
    const detail::Run near = kept.near(targets[t]);
    const double* own = r.data() + t * n - all.first;
    double largest = 0;
    for (std::size_t k = near.first; k < near.end; ++k) {
      largest = std::max(largest, std::fabs(own[k]));
    }
    for (std::size_t k = near.first; k < near.end; ++k) {
      if (std::fabs(own[k]) < largest - detail::kScoreTie) continue;
      const Index best = kept.features()[k];
      const double exact = observed_correlation(centred, targets[t], best);
      nearest[targets[t]] = {best, std::min(1.0, exact * exact)};
      break;
    }
  }
}

}  // namespace

std::vector<NearestKept> nearest_kept(const UnitFeatures& centred, std::span<const Index> kept,
                                      const Window* window, const RunContext& run) {
  if (window == nullptr) return nearest_kept(centred, kept, run);
  std::vector<NearestKept> nearest(static_cast<std::size_t>(centred.n_features()));
  const detail::Line line(ascending(kept), window);
  for (const Index feature : kept) nearest[feature] = {feature, 1.0};
  std::vector<Index> others;
  for (const Index feature : window->along_line(regular_features(centred))) {
    if (nearest[feature].feature < 0) others.push_back(feature);
  }
  const detail::SingleThreadedBlas single_threaded;
  const std::size_t n_tiles = (others.size() + kKeptTile - 1) / kKeptTile;
  detail::parallel_for(run, {}, static_cast<std::int64_t>(n_tiles), [&](std::int64_t item) {
    const std::size_t first = static_cast<std::size_t>(item) * kKeptTile;
    const auto targets =
        std::span<const Index>(others).subspan(first, std::min(kKeptTile, others.size() - first));
    find_nearest(centred, line, targets, nearest);
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
