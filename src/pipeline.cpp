// The whole method on one screen: normalise -> pursuit -> graph -> groups -> reduce.
#include "sfg/pipeline.hpp"

#include <fmt/format.h>

#include "core/stopwatch.hpp"
#include "core/threads.hpp"

namespace sfg {

namespace {

using detail::beside;
using detail::Stopwatch;

/// Correlations need centred features: the ones at hand if they are, else a centred copy.
UnitFeatures centred_features(const Dataset& dataset, UnitFeatures&& features,
                              const NormaliseOptions& options, const Run& run) {
  if (options.centering == Centering::mean) return std::move(features);
  return normalise(dataset.matrix, {Centering::mean}, run);
}

/// Groups at a weight threshold with their representatives, and what is kept or dropped anyway.
Grouping group_features(const ThetaHierarchy& hierarchy, double threshold,
                        const FeatureGraph& graph, const UnitFeatures* features,
                        const MethodOptions& options, const Run& run) {
  Grouping grouping;
  grouping.groups = cut(hierarchy, threshold);
  grouping.representatives =
      choose_representatives(grouping.groups, graph, features, options.representative, run);
  grouping.keep = options.representative.keep;
  if (options.empty_features == EmptyFeatures::drop && features != nullptr) {
    for (Index i = 0; i < features->n_features(); ++i) {
      if (features->kind[static_cast<std::size_t>(i)] != FeatureKind::regular) {
        grouping.drop.push_back(i);
      }
    }
  }
  return grouping;
}

void graph_from_features(const UnitFeatures& features, const Dataset& dataset,
                         const MethodOptions& options, const Run& run, Stopwatch& watch,
                         MethodResult& result) {
  const Representations representations = pursue(features, options.pursuit, run);
  result.engine = representations.engine;
  result.screen = representations.screen;
  result.candidates_per_step = representations.candidates_per_step;
  result.kind = features.kind;
  result.graph = build_graph(representations, options.graph);
  result.graph.feature_names = dataset.feature_names;
  result.graph.description = describe(options);
  watch.stage_done("graph");
}

}  // namespace

MethodResult reduce(const Dataset& dataset, const MethodOptions& options, const Run& run) {
  check(options);
  MethodResult result;
  Stopwatch watch(result.seconds);
  require_comparable(dataset);
  UnitFeatures features = normalise(dataset.matrix, options.normalise, run);
  watch.stage_done("normalise");
  graph_from_features(features, dataset, options, beside(dataset.matrix, run), watch, result);

  result.hierarchy = build_theta_hierarchy(result.graph);
  result.threshold =
      options.threshold ? *options.threshold : weight_threshold(result.hierarchy, options.theta);
  Grouping grouping =
      group_features(result.hierarchy, result.threshold, result.graph, &features, options, run);
  watch.stage_done("groups");

  const UnitFeatures centred =
      centred_features(dataset, std::move(features), options.normalise, run);
  result.reduction = remove_redundant(std::move(grouping), centred, options.reduce, run);
  watch.stage_done("reduce");
  return result;
}

MethodResult make_graph(const Dataset& dataset, const MethodOptions& options, const Run& run) {
  MethodResult result;
  Stopwatch watch(result.seconds);
  require_comparable(dataset);
  const UnitFeatures features = normalise(dataset.matrix, options.normalise, run);
  watch.stage_done("normalise");
  graph_from_features(features, dataset, options, beside(dataset.matrix, run), watch, result);
  return result;
}

MethodResult make_graph(Dataset&& dataset, const MethodOptions& options, const Run& run) {
  MethodResult result;
  Stopwatch watch(result.seconds);
  require_comparable(dataset);
  const UnitFeatures features = normalise(std::move(dataset.matrix), options.normalise, run);
  watch.stage_done("normalise");
  graph_from_features(features, dataset, options, run, watch, result);
  return result;
}

PursuitEstimate estimate_graph(Dataset&& dataset, const MethodOptions& options, const Run& run) {
  check(options);
  require_comparable(dataset);
  const UnitFeatures features = normalise(std::move(dataset.matrix), options.normalise, run);
  return estimate_pursuit(features, options.pursuit, run);
}

std::vector<SweepLevel> sweep(const FeatureGraph& graph, const std::vector<double>& thetas,
                              const Dataset* dataset, const MethodOptions& options,
                              const Run& run) {
  const ThetaHierarchy hierarchy = build_theta_hierarchy(graph);
  UnitFeatures features;
  UnitFeatures centred;
  if (dataset != nullptr) {
    features = normalise(dataset->matrix, options.normalise, run);
    centred = normalise(dataset->matrix, {Centering::mean}, run);
  }
  std::vector<SweepLevel> levels;
  ReduceOptions reduce_options = options.reduce;
  reduce_options.combinations = Combinations::skip;
  for (const double theta : thetas) {
    SweepLevel level;
    level.theta = theta;
    level.threshold = weight_threshold(hierarchy, theta);
    level.n_kept = count_groups(hierarchy, level.threshold);
    if (dataset == nullptr) {
      level.largest_group = cut(hierarchy, level.threshold).largest();
    } else {
      const Reduction reduction = remove_redundant(
          group_features(hierarchy, level.threshold, graph, &features, options, run), centred,
          reduce_options, run);
      level.n_kept = static_cast<Index>(reduction.kept.size());
      level.largest_group = reduction.groups.largest();
      level.mean_r2 = reduction.mean_r2;
    }
    levels.push_back(level);
  }
  return levels;
}

void check(const MethodOptions& options) {
  check(options.pursuit);
  check(options.graph);
  if (!options.threshold) check_theta(options.theta);
  check(options.reduce);
}

std::string describe(const MethodOptions& options) {
  const bool centred = options.normalise.centering == Centering::mean;
  return fmt::format("pursuit {}, epsilon {}, max-atoms {}, {}, max-angle {}",
                     options.pursuit.method == PursuitMethod::ols ? "ols" : "omp",
                     options.pursuit.epsilon, options.pursuit.max_atoms,
                     centred ? "centred" : "not centred", options.graph.max_angle);
}

}  // namespace sfg
