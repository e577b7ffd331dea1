// The whole method on one screen: normalise -> pursuit -> graph -> groups -> reduce.
#include "sfg/pipeline.hpp"

#include "core/stopwatch.hpp"
#include "core/threads.hpp"
#include "groups/groupings.hpp"

namespace sfg {

namespace {

using detail::Stopwatch;
using detail::while_holding;

NormaliseOptions normalise_options(const MethodOptions& options) {
  return {centering_of(options)};
}

/// The rescue of features that nothing explains belongs to the automatic level: elsewhere the user
/// has said how many features to keep.
ReduceOptions reduce_options(const MethodOptions& options) {
  ReduceOptions reduce = options.reduce;
  const bool automatic =
      options.grouping != GroupingMethod::lcs && options.level.rule == LevelRule::mean_r2;
  if (automatic && options.level.rescue_below > 0) reduce.rescue_below = options.level.rescue_below;
  return reduce;
}

/// Normalised features -> graph, with the check of its filter where that is used.
void graph_from_features(const UnitFeatures& features, const Dataset& dataset,
                         const MethodOptions& options, const RunContext& run,
                         const PursuitCheckpoint& checkpoint, MethodResult& result) {
  result.kind = features.kind;
  if (options.grouping != GroupingMethod::cover) {
    if (options.edges == EdgeSource::nearest) {
      result.graph = nearest_graph(features, options.nearest, run);
    } else {
      const bool filtered = options.grouping == GroupingMethod::lcs;
      const GraphOptions filter = filtered ? options.graph : GraphOptions{kNoAngleLimit};
      const Representations representations = pursue(features, options.pursuit, run, checkpoint);
      result.engine = representations.engine;
      result.screen = representations.screen;
      result.candidates_per_step = representations.candidates_per_step;
      result.graph = build_graph(representations, filter);
      if (filtered) {
        result.permutation = check_angle_filter(result.graph, features, options.pursuit,
                                                options.graph, options.n_permuted, run);
      }
    }
  }
  result.graph.feature_names = dataset.feature_names;
  result.graph.description = describe(options);
}

Grouping group_features(const detail::GroupingInput& input, MethodResult& result) {
  switch (input.options.grouping) {
    case GroupingMethod::lcs:
      return detail::group_by_components(input, result);
    case GroupingMethod::cover:
      return detail::group_by_cover(input, result);
    case GroupingMethod::compact:
      break;
  }
  return detail::group_compactly(input, result);
}

}  // namespace

MethodResult reduce(const Dataset& dataset, const MethodOptions& options, const RunContext& run,
                    const PursuitCheckpoint& checkpoint) {
  check(options);
  MethodResult result;
  Stopwatch watch(result.seconds);
  require_comparable(dataset);
  UnitFeatures features = normalise(dataset.matrix, normalise_options(options), run);
  watch.stage_done("normalise");
  const RunContext run_with_data = while_holding(dataset.matrix, run);
  graph_from_features(features, dataset, options, run_with_data, checkpoint, result);
  watch.stage_done("graph");

  // Correlations need centred features: the ones at hand if they are, else a centred copy.
  const bool is_centred = centering_of(options) == Centering::mean;
  UnitFeatures copy;
  if (!is_centred) copy = normalise(dataset.matrix, {Centering::mean}, run);
  const UnitFeatures& centred = is_centred ? features : copy;
  Grouping grouping =
      group_features({dataset.matrix, features, centred, options, run_with_data}, result);
  if (!is_centred) features = {};
  watch.stage_done("groups");

  result.reduction =
      remove_redundant(std::move(grouping), centred, reduce_options(options), run_with_data);
  watch.stage_done("reduce");
  const SampleNeighbours neighbours(dataset.matrix, {}, run);
  result.neighbour_overlap = neighbours.overlap(result.reduction.kept, run);
  watch.stage_done("score");
  return result;
}

MethodResult make_graph(const Dataset& dataset, const MethodOptions& options, const RunContext& run,
                        const PursuitCheckpoint& checkpoint) {
  check(options);
  MethodResult result;
  Stopwatch watch(result.seconds);
  require_comparable(dataset);
  const UnitFeatures features = normalise(dataset.matrix, normalise_options(options), run);
  watch.stage_done("normalise");
  graph_from_features(features, dataset, options, while_holding(dataset.matrix, run), checkpoint,
                      result);
  watch.stage_done("graph");
  return result;
}

MethodResult make_graph(Dataset&& dataset, const MethodOptions& options, const RunContext& run,
                        const PursuitCheckpoint& checkpoint) {
  check(options);
  MethodResult result;
  Stopwatch watch(result.seconds);
  require_comparable(dataset);
  const UnitFeatures features =
      normalise(std::move(dataset.matrix), normalise_options(options), run);
  watch.stage_done("normalise");
  graph_from_features(features, dataset, options, run, checkpoint, result);
  watch.stage_done("graph");
  return result;
}

PursuitEstimate estimate_graph(Dataset&& dataset, const MethodOptions& options,
                               const RunContext& run) {
  check(options);
  require_comparable(dataset);
  const UnitFeatures features =
      normalise(std::move(dataset.matrix), normalise_options(options), run);
  return estimate_pursuit(features, options.pursuit, run);
}

std::vector<SweepLevel> sweep(const FeatureGraph& graph, const std::vector<double>& thetas,
                              const Dataset* dataset, const MethodOptions& options,
                              const RunContext& run) {
  const ThetaHierarchy hierarchy = build_theta_hierarchy(graph);
  UnitFeatures features;
  UnitFeatures centred;
  if (dataset != nullptr) {
    features = normalise(dataset->matrix, normalise_options(options), run);
    centred = normalise(dataset->matrix, {Centering::mean}, run);
  }
  std::vector<SweepLevel> levels;
  for (const double theta : thetas) {
    SweepLevel level;
    level.theta = theta;
    level.threshold = weight_threshold(hierarchy, theta);
    level.n_kept = count_groups(hierarchy, level.threshold);
    if (dataset == nullptr) {
      level.largest_group = cut(hierarchy, level.threshold).largest();
    } else {
      const Reduction reduction =
          divide(detail::components_at(hierarchy, level.threshold, graph, &features, options, run),
                 centred, run);
      level.n_kept = static_cast<Index>(reduction.kept.size());
      level.largest_group = reduction.groups.largest();
      level.mean_r2 = reduction.mean_r2;
    }
    levels.push_back(level);
  }
  return levels;
}

}  // namespace sfg
