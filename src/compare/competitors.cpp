#include "compare/competitors.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "core/memory.hpp"
#include "core/threads.hpp"
#include "normalise/products.hpp"
#include "sfg/graph.hpp"
#include "sfg/grouping.hpp"

namespace sfg::detail {

namespace {

/// What a grouping keeps at each of the counts.
KeptSets grouped_sets(const Dataset& dataset, const UnitFeatures& centred,
                      const GroupingOptions& options, const std::vector<Index>& counts,
                      const RunContext& run) {
  const FeatureList keep;
  FeatureGraph graph;
  UnitFeatures uncentred;
  if (!is_centred(options)) uncentred = normalise(dataset.matrix, {Centering::none}, run);
  const UnitFeatures& features = is_centred(options) ? centred : uncentred;
  if (const PursuitOptions* pursuit = pursuit_of(options)) {
    const auto* components = std::get_if<ComponentOptions>(&options);
    const GraphOptions filter =
        components != nullptr ? components->graph : GraphOptions{kNoAngleLimit};
    graph = build_graph(pursue(features, *pursuit, run), filter);
  } else if (const auto* compact = std::get_if<CompactOptions>(&options)) {
    graph = nearest_graph(features, compact->nearest, run);
  }
  const GroupingInput input{graph, features, centred, options, keep, run};
  const Hierarchy hierarchy = build_hierarchy(input, counts.back());
  KeptSets sets;
  for (const Index count : counts) sets.push_back(kept_at(hierarchy, count, input));
  return sets;
}

GroupingOptions cover_of(Index n_features) {
  CoverOptions options;
  options.level.n_features = n_features;
  return options;
}

GroupingOptions compact_on(EdgeSource edges) {
  CompactOptions options;
  options.edges = edges;
  return options;
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
      return grouped_sets(dataset, centred, compact_on(EdgeSource::pursuit), counts, run);
    case Competitor::knn_ward:
      return grouped_sets(dataset, centred, compact_on(EdgeSource::knn), counts, run);
    case Competitor::cover:
      return grouped_sets(dataset, centred, cover_of(counts.front()), counts, run);
    case Competitor::components:
      return grouped_sets(dataset, centred, ComponentOptions{}, counts, run);
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
