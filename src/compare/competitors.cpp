#include "compare/competitors.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "core/memory.hpp"
#include "core/threads.hpp"
#include "normalise/products.hpp"
#include "sfg/compact.hpp"
#include "sfg/cover.hpp"
#include "sfg/graph.hpp"

namespace sfg::detail {

namespace {

KeptSets compact_sets(const FeatureGraph& graph, const UnitFeatures& centred,
                      const std::vector<Index>& counts, const RunContext& run) {
  CompactOptions options;
  options.fewest_groups = counts.back();
  const auto hierarchy = build_compact_hierarchy(graph, centred, centred, options, run);
  KeptSets sets;
  for (const Index count : counts) {
    const Index n_merges = hierarchy.n_regular - count;
    const Groups groups = cut(hierarchy, n_merges);
    std::vector<Index> kept;
    for (const Index feature : representatives(hierarchy, groups, n_merges)) {
      if (centred.kind[feature] == FeatureKind::regular) {
        kept.push_back(feature);
      }
    }
    std::ranges::sort(kept);
    sets.emplace_back(std::move(kept));
  }
  return sets;
}

KeptSets cover_sets(const UnitFeatures& centred, const std::vector<Index>& counts,
                    const RunContext& run) {
  CoverOptions options;
  options.most_features = counts.front();
  const CoverSequence sequence = cover(centred, options, run);
  KeptSets sets;
  for (const Index count : counts) {
    std::vector<Index> kept(sequence.picks.begin(), sequence.picks.begin() + count);
    std::ranges::sort(kept);
    sets.emplace_back(std::move(kept));
  }
  return sets;
}

/// The paper's groups, cut where so many are left; features that do not vary are not counted.
KeptSets component_sets(const Dataset& dataset, const UnitFeatures& centred,
                        const std::vector<Index>& counts, const RunContext& run) {
  const UnitFeatures features = normalise(dataset.matrix, {Centering::none}, run);
  const FeatureGraph graph = build_graph(pursue(features, {}, run), {});
  const ThetaHierarchy hierarchy = build_theta_hierarchy(graph);
  const auto n_regular = static_cast<Index>(regular_features(centred).size());
  KeptSets sets;
  for (const Index count : counts) {
    sets.emplace_back();
    // Features that do not vary may be in groups: then a few merges more are needed.
    for (auto n_merges = static_cast<std::size_t>(n_regular - count);
         n_merges <= hierarchy.merges.size(); ++n_merges) {
      const Groups groups = cut_after(hierarchy, static_cast<Index>(n_merges));
      std::vector<Index> kept;
      for (const Index feature : choose_representatives(groups, graph, nullptr, {}, run)) {
        if (centred.kind[feature] == FeatureKind::regular) {
          kept.push_back(feature);
        }
      }
      if (static_cast<Index>(kept.size()) > count) continue;
      std::ranges::sort(kept);
      if (static_cast<Index>(kept.size()) == count) sets.back() = std::move(kept);
      break;
    }
  }
  return sets;
}

/// Variance of the data as they are, up to a common factor: (norm of the centred feature)^2.
std::vector<Index> by_falling_variance(const UnitFeatures& centred) {
  std::vector<Index> order = regular_features(centred);
  std::ranges::stable_sort(order, std::greater{},
                           [&](Index feature) { return log_norm(centred, feature); });
  return order;
}

KeptSets variance_sets(const UnitFeatures& centred, const std::vector<Index>& counts) {
  const auto order = by_falling_variance(centred);
  KeptSets sets;
  for (const Index count : counts) {
    std::vector<Index> kept(order.begin(), order.begin() + count);
    std::ranges::sort(kept);
    sets.emplace_back(std::move(kept));
  }
  return sets;
}

/// |r| of all pairs, in places of `order`: this competitor alone needs the whole matrix.
std::vector<float> correlations(const UnitFeatures& centred, std::span<const Index> order,
                                const RunContext& run) {
  constexpr std::size_t kTile = 256;
  const SingleThreadedBlas single_threaded;
  const std::size_t d = order.size();
  std::vector<float> r(d * d);
  const std::size_t n_tiles = (d + kTile - 1) / kTile;
  parallel_for(run, {}, static_cast<std::int64_t>(n_tiles), [&](std::int64_t tile) {
    FeatureProducts products(centred);
    std::vector<double> block(kTile * kTile);
    const std::size_t first = static_cast<std::size_t>(tile) * kTile;
    const auto columns = order.subspan(first, std::min(kTile, d - first));
    for (std::size_t start = 0; start < d; start += kTile) {
      const auto rows = order.subspan(start, std::min(kTile, d - start));
      products(rows, columns, block.data());
      for (std::size_t c = 0; c < columns.size(); ++c) {
        for (std::size_t k = 0; k < rows.size(); ++k) {
          r[(first + c) * d + start + k] =
              static_cast<float>(std::fabs(block[c * rows.size() + k]));
        }
      }
    }
  });
  return r;
}

/// In order: a feature stays unless its |r| with one that stays is above the limit. Places in the
/// order; given up when more than `most` stay.
std::vector<std::size_t> greedy_drop(const std::vector<float>& r, std::size_t d, float limit,
                                     std::size_t most) {
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < d && kept.size() <= most; ++i) {
    const float* row = r.data() + i * d;
    if (std::ranges::none_of(kept, [&](std::size_t k) { return row[k] > limit; })) {
      kept.push_back(i);
    }
  }
  return kept;
}

/// The limit is bisected until so many stay. More than that may stay at every limit above, fewer at
/// every one below: then the last ones of the former go.
KeptSets drop_sets(const UnitFeatures& centred, const std::vector<Index>& order,
                   const std::vector<Index>& counts, const RunContext& run) {
  const std::size_t d = order.size();
  if (!fits_memory(sizeof(float) * static_cast<double>(d) * static_cast<double>(d), run)) {
    return KeptSets(counts.size());
  }
  const std::vector<float> r = correlations(centred, order, run);
  constexpr int kBisections = 30;
  KeptSets sets;
  for (const Index count : counts) {
    const auto wanted = static_cast<std::size_t>(count);
    float low = 0;
    float high = 1;
    std::vector<std::size_t> best(d);
    std::iota(best.begin(), best.end(), std::size_t{0});
    for (int k = 0; k < kBisections && best.size() != wanted; ++k) {
      const float limit = (low + high) / 2;
      check_stop(run);
      const auto kept = greedy_drop(r, d, limit, d);
      if (kept.size() >= wanted) {
        high = limit;
        best = kept;
      } else {
        low = limit;
      }
    }
    best.resize(wanted);
    std::vector<Index> kept;
    for (const std::size_t place : best) kept.push_back(order[place]);
    std::ranges::sort(kept);
    sets.emplace_back(std::move(kept));
  }
  return sets;
}

}  // namespace

KeptSets kept_sets(Competitor competitor, const Dataset& dataset, const UnitFeatures& centred,
                   const std::vector<Index>& counts, const RunContext& run) {
  switch (competitor) {
    case Competitor::compact:
      return compact_sets(build_graph(pursue(centred, {}, run), {kNoAngleLimit}), centred, counts,
                          run);
    case Competitor::knn_ward:
      return compact_sets(nearest_graph(centred, {}, run), centred, counts, run);
    case Competitor::cover:
      return cover_sets(centred, counts, run);
    case Competitor::lcs:
      return component_sets(dataset, centred, counts, run);
    case Competitor::pearson_index:
      return drop_sets(centred, regular_features(centred), counts, run);
    case Competitor::pearson_variance:
      return drop_sets(centred, by_falling_variance(centred), counts, run);
    case Competitor::variance:
      return variance_sets(centred, counts);
    case Competitor::random:
      break;
  }
  return KeptSets(counts.size());
}

}  // namespace sfg::detail
