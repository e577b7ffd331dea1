// The whole method on one screen: normalise -> pursuit -> graph -> groups -> reduce.
#include "sfg/pipeline.hpp"

#include <algorithm>
#include <iterator>

#include "core/stopwatch.hpp"
#include "core/threads.hpp"
#include "groups/parts.hpp"
#include "sfg/error.hpp"

namespace sfg {

namespace {

using detail::Stopwatch;
using detail::while_holding;

Centering centering_of(const MethodOptions& options) {
  return is_centred(options.grouping) ? Centering::mean : Centering::none;
}

/// Normalised features -> descriptions -> graph, with the check of its filter where that is used.
Representations graph_from_features(const UnitFeatures& features, const Dataset& dataset,
                                    const MethodOptions& options, const RunContext& run,
                                    const PursuitCheckpoint& checkpoint, const EarlyEnd& early,
                                    MethodResult& result) {
  Representations representations;
  result.kind = features.kind;
  const auto* components = std::get_if<ComponentOptions>(&options.grouping);
  if (const PursuitOptions* pursuit = pursuit_of(options.grouping)) {
    representations = pursue(features, *pursuit, run, checkpoint, early);
    result.engine = representations.engine;
    result.screen = representations.screen;
    result.candidates_per_step = representations.candidates_per_step;
    const GraphOptions filter =
        components != nullptr ? components->graph : GraphOptions{kNoAngleLimit};
    result.graph = build_graph(representations, filter);
    if (components != nullptr) {
      result.permutation = check_angle_filter(result.graph, features, *pursuit, filter,
                                              components->n_permutations, run);
    }
  } else if (const auto* compact = std::get_if<CompactOptions>(&options.grouping)) {
    result.graph = nearest_graph(features, compact->nearest, run);
  }
  result.graph.feature_names = dataset.feature_names;
  result.graph.description = describe(options);
  return representations;
}

/// Graph -> hierarchy -> the groups of the level that is asked for.
Grouping group_features(const GroupingInput& input, MethodResult& result) {
  result.hierarchy = build_hierarchy(input);
  ChosenLevel level = chosen_level(result.hierarchy, input);
  result.n_steps = level.n_steps;
  result.tried = std::move(level.tried);
  if (const auto* forest = std::get_if<ComponentHierarchy>(&result.hierarchy)) {
    result.threshold = weight_threshold(*forest, std::get<ComponentOptions>(input.options));
  }
  return grouping_at(result.hierarchy, result.n_steps, input);
}

/// Features by which the samples' neighbours are to stay: all that vary but those that were dropped
/// because they share nothing.
std::vector<Index> counted_features(const UnitFeatures& centred, std::span<const Index> unshared) {
  std::vector<Index> counted;
  std::ranges::set_difference(regular_features(centred), unshared, std::back_inserter(counted));
  return counted;
}

}  // namespace

MethodResult reduce(const Dataset& dataset, const MethodOptions& options, const RunContext& run,
                    const PursuitCheckpoint& checkpoint) {
  check(options);
  MethodResult result;
  Stopwatch watch(result.seconds);
  require_comparable(dataset);
  const UnitFeatures features = normalise(dataset.matrix, {centering_of(options)}, run);
  // Correlations need centred features: the ones at hand if they are, else a centred copy.
  const bool centred_already = is_centred(options.grouping);
  UnitFeatures copy;
  if (!centred_already) copy = normalise(dataset.matrix, {Centering::mean}, run);
  const UnitFeatures& centred = centred_already ? features : copy;
  const RunContext run_with_data = while_holding(dataset.matrix, run);
  watch.stage_done("normalise");

  // What does the rest of the table know of each feature, and what would chance?
  const PursuitOptions* pursuit = pursuit_of(options.grouping);
  const PursuitOptions& describing = pursuit != nullptr ? *pursuit : PursuitOptions{};
  const bool ask = detail::asks_for_shared(options.grouping, centred);
  Predictability known;
  Chance chance;
  if (ask) {
    known = predictability(centred, run_with_data);
    chance = measure_chance(centred, describing, run_with_data);
  }
  watch.stage_done("predict");

  const Representations descriptions =
      graph_from_features(features, dataset, options, run_with_data, checkpoint,
                          ask ? early_end(known, chance) : EarlyEnd{}, result);
  const Representations* described = pursuit != nullptr ? &descriptions : nullptr;
  watch.stage_done("graph");

  if (ask) {
    result.shared = find_shared(centred, std::move(known), chance, describing, described, run);
  }
  const detail::FeatureParts parts = detail::take_parts(centred, options.grouping, options.keep,
                                                        described, run_with_data, result.shared);
  GroupingInput input{result.graph,     features,     parts.in_groups,
                      options.grouping, options.keep, run_with_data};
  if (ask) input.predictability = &parts.known;
  input.drop = parts.dropped();
  Grouping grouping = group_features(input, result);
  grouping.unshared = parts.unshared;
  grouping.equations = parts.equations;
  grouping.predictability = result.shared.predictability.r2;
  watch.stage_done("groups");

  result.reduction = remove_redundant(grouping, centred, options.reduce, run_with_data);
  watch.stage_done("reduce");
  const auto counted = counted_features(centred, parts.unshared);
  const SampleNeighbours neighbours(centred, counted, {}, run);
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
  const UnitFeatures features = normalise(dataset.matrix, {centering_of(options)}, run);
  watch.stage_done("normalise");
  static_cast<void>(graph_from_features(
      features, dataset, options, while_holding(dataset.matrix, run), checkpoint, {}, result));
  watch.stage_done("graph");
  return result;
}

MethodResult make_graph(Dataset&& dataset, const MethodOptions& options, const RunContext& run,
                        const PursuitCheckpoint& checkpoint) {
  check(options);
  MethodResult result;
  Stopwatch watch(result.seconds);
  require_comparable(dataset);
  const UnitFeatures features = normalise(std::move(dataset.matrix), {centering_of(options)}, run);
  watch.stage_done("normalise");
  static_cast<void>(graph_from_features(features, dataset, options, run, checkpoint, {}, result));
  watch.stage_done("graph");
  return result;
}

PursuitEstimate estimate_graph(Dataset&& dataset, const MethodOptions& options,
                               const RunContext& run) {
  check(options);
  require_comparable(dataset);
  const PursuitOptions* pursuit = pursuit_of(options.grouping);
  if (pursuit == nullptr) {
    throw Error(ErrorCode::invalid_option,
                "there is no pursuit to plan with cover, pairwise and knn edges");
  }
  const UnitFeatures features = normalise(std::move(dataset.matrix), {centering_of(options)}, run);
  return estimate_pursuit(features, *pursuit, run);
}

std::vector<SweepLevel> sweep(const FeatureGraph& graph, const std::vector<double>& thetas,
                              const Dataset* dataset, const MethodOptions& options,
                              const RunContext& run) {
  if (!std::holds_alternative<ComponentOptions>(options.grouping)) {
    throw Error(ErrorCode::invalid_option, "a sweep over theta is of the paper's groups");
  }
  const ComponentHierarchy hierarchy = build_component_hierarchy(graph);
  const Hierarchy any(hierarchy);
  UnitFeatures features;
  UnitFeatures centred;
  if (dataset != nullptr) {
    features = normalise(dataset->matrix, {centering_of(options)}, run);
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
      const Index n_steps = hierarchy.n_features - level.n_kept;
      const Reduction reduction =
          divide(grouping_at(any, n_steps,
                             {graph, features, centred, options.grouping, options.keep, run}),
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
