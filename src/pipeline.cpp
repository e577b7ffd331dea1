// The whole method on one screen: normalise -> pursuit -> graph -> groups -> reduce.
#include "sfg/pipeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "core/stopwatch.hpp"
#include "core/threads.hpp"
#include "groups/parts.hpp"
#include "pursuit/near_pursuit.hpp"
#include "pursuit/plan.hpp"
#include "scale/on_scale.hpp"
#include "sfg/error.hpp"

namespace sfg {

namespace {

using detail::bring_to_scale;
using detail::OnScale;
using detail::Stopwatch;
using detail::while_holding;

Centering centering_of(const MethodOptions& options) {
  return is_centred(options.grouping) ? Centering::mean : Centering::none;
}

detail::ScaleOptions scale_of(const MethodOptions& options) {
  return {options.transform, options.batch_adjustment, centering_of(options),
          options.reduce.combinations};
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
    const auto window = window_of(options.grouping, features.n_features());
    representations = window ? detail::pursue_near(features, *window, *pursuit, run, early)
                             : pursue(features, *pursuit, run, checkpoint, early);
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
  if (dataset.batch) {
    result.graph.description += fmt::format(
        ", {}d within batches of '{}'", choice_name(options.batch_adjustment), dataset.batch->name);
  }
  return representations;
}

/// Data -> normalised features -> what is known of each -> graph -> who takes part in groups.
class Prepared {
 public:
  Prepared(const OnScale& scale, const MethodOptions& options, const RunContext& run,
           const PursuitCheckpoint& checkpoint, Stopwatch& watch, MethodResult& result);
  Prepared(const Prepared&) = delete;
  Prepared& operator=(const Prepared&) = delete;

  /// Correlations need centred features: the ones at hand if they are, else a centred copy.
  [[nodiscard]] const UnitFeatures& centred() const { return copy_ ? *copy_ : features_; }
  [[nodiscard]] const detail::FeatureParts& parts() const { return parts_; }
  /// What the run may take beside the data.
  [[nodiscard]] const RunContext& run() const { return run_; }
  [[nodiscard]] GroupingInput grouping_input() const;

 private:
  const MethodOptions& options_;
  const MethodResult& result_;
  RunContext run_;
  UnitFeatures features_;
  std::optional<UnitFeatures> copy_;
  detail::FeatureParts parts_;
  bool knows_shared_ = false;
};

Prepared::Prepared(const OnScale& scale, const MethodOptions& options, const RunContext& run,
                   const PursuitCheckpoint& checkpoint, Stopwatch& watch, MethodResult& result)
    : options_(options), result_(result), run_(while_holding(scale.data().matrix, run)) {
  const Dataset& dataset = scale.data();
  result.filled = scale.filled();
  require_comparable(dataset);
  features_ = scale.normalised(centering_of(options));
  if (!is_centred(options.grouping)) copy_ = scale.normalised(Centering::mean);
  watch.stage_done("normalise");

  // What does the rest of the table know of each feature, and what would chance?
  const PursuitOptions* pursuit = pursuit_of(options.grouping);
  const PursuitOptions& describing = pursuit != nullptr ? *pursuit : PursuitOptions{};
  knows_shared_ = detail::asks_for_shared(options.grouping, centred());
  Predictability known;
  Chance chance;
  if (knows_shared_) {
    known = predictability(centred(), run_);
    chance = measure_chance(centred(), describing, run_);
  }
  watch.stage_done("predict");

  const Representations descriptions =
      graph_from_features(features_, dataset, options, run_, checkpoint,
                          knows_shared_ ? early_end(known, chance) : EarlyEnd{}, result);
  const Representations* described = pursuit != nullptr ? &descriptions : nullptr;
  watch.stage_done("graph");

  if (knows_shared_) {
    result.shared = find_shared(centred(), std::move(known), chance, describing, described, run);
  }
  parts_ =
      detail::take_parts(centred(), options.grouping, options.keep, described, run_, result.shared);
  std::ranges::set_difference(regular_features(centred()), regular_features(parts_.in_groups),
                              std::back_inserter(result.apart));
}

GroupingInput Prepared::grouping_input() const {
  GroupingInput input{result_.graph,     features_,     parts_.in_groups,
                      options_.grouping, options_.keep, run_};
  if (knows_shared_) input.predictability = &parts_.known;
  input.drop = parts_.dropped();
  input.judged = options_.judged;
  return input;
}

/// Features outside of groups that are kept at every level.
Index n_kept_beside(const Grouping& grouping, const UnitFeatures& in_groups) {
  std::vector<char> stays(in_groups.kind.size(), 1);
  for (const Index feature : grouping.drop) stays[feature] = 0;
  for (const Index feature : grouping.keep) stays[feature] = 1;
  Index n = 0;
  for (std::size_t i = 0; i < stays.size(); ++i) {
    if (in_groups.kind[i] != FeatureKind::regular && stays[i] != 0) ++n;
  }
  return n;
}

/// Graph -> hierarchy -> the groups of the level that is asked for.
Grouping group_features(const GroupingInput& input, MethodResult& result) {
  result.hierarchy = build_hierarchy(input);
  ChosenLevel level = chosen_level(result.hierarchy, input);
  result.n_steps = level.n_steps;
  result.tried = std::move(level.tried);
  result.enough_overlap = enough_overlap(input.features.n_samples());
  if (const auto* forest = std::get_if<ComponentHierarchy>(&result.hierarchy)) {
    result.threshold = weight_threshold(*forest, std::get<ComponentOptions>(input.options));
  }
  Grouping grouping = grouping_at(result.hierarchy, result.n_steps, input);
  const Index n_beside = n_kept_beside(grouping, input.centred);
  for (TriedLevel& one : result.tried) one.n_kept += n_beside;
  return grouping;
}

/// Those of the list that are among the kept ones, ascending.
std::vector<Index> shared_by(const std::vector<Index>& kept, const FeatureList& list) {
  std::vector<Index> sorted(list.begin(), list.end());
  std::ranges::sort(sorted);
  std::vector<Index> both;
  std::ranges::set_intersection(kept, sorted, std::back_inserter(both));
  return both;
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
  const OnScale scale(dataset, scale_of(options), run);
  const Prepared ready(scale, options, scale.run(), checkpoint, watch, result);
  Grouping grouping = group_features(ready.grouping_input(), result);
  grouping.unshared = ready.parts().unshared;
  grouping.equations = ready.parts().equations;
  grouping.predictability = result.shared.predictability.r2;
  grouping.choice = member_choice(dataset, ready.centred(), options.grouping, options.keep,
                                  ready.run(), result.target);
  watch.stage_done("groups");

  result.reduction = remove_redundant(grouping, ready.centred(), options.reduce, ready.run());
  scale.restore_origin(result.reduction);
  result.kept_though_avoided = shared_by(result.reduction.kept, avoided(options.grouping));
  watch.stage_done("reduce");
  const auto counted = counted_features(ready.centred(), ready.parts().unshared);
  const SampleNeighbours neighbours(ready.centred(), counted, {}, scale.run());
  result.neighbour_overlap = neighbours.overlap(result.reduction.kept, scale.run());
  watch.stage_done("score");
  return result;
}

void check_sweep(const MethodOptions& options) {
  check(options);
  const LevelOptions* level = level_of(options.grouping);
  if (level == nullptr) {
    throw Error(ErrorCode::invalid_option,
                fmt::format("{} has no levels that the automatic choice judges: compact and cover "
                            "have",
                            choice_name(kind_of(options.grouping))));
  }
  if (level->rule() == LevelRule::automatic) return;
  throw Error(ErrorCode::invalid_option, "", "",
              {"n_features",
               "a sweep looks at every level: leave out {n_features}, {keep_share}, {min_overlap} "
               "and {min_mean_r2}"});
}

MethodResult sweep_levels(const Dataset& dataset, const MethodOptions& options,
                          const RunContext& run, const PursuitCheckpoint& checkpoint) {
  check_sweep(options);
  MethodOptions judging = options;
  judging.judged = Judged::every_one;
  MethodResult result;
  Stopwatch watch(result.seconds);
  const OnScale scale(dataset, scale_of(judging), run);
  const Prepared ready(scale, judging, scale.run(), checkpoint, watch, result);
  static_cast<void>(group_features(ready.grouping_input(), result));
  result.reduction.equations = ready.parts().equations;
  scale.restore_origin(result.reduction);
  watch.stage_done("groups");
  return result;
}

MethodResult make_graph(const Dataset& dataset, const MethodOptions& options, const RunContext& run,
                        const PursuitCheckpoint& checkpoint) {
  check(options);
  MethodResult result;
  Stopwatch watch(result.seconds);
  const OnScale scale(dataset, scale_of(options), run);
  const Dataset& data = scale.data();
  require_comparable(data);
  const UnitFeatures features = scale.normalised(centering_of(options));
  result.filled = scale.filled();
  watch.stage_done("normalise");
  static_cast<void>(graph_from_features(
      features, data, options, while_holding(data.matrix, scale.run()), checkpoint, {}, result));
  watch.stage_done("graph");
  return result;
}

MethodResult make_graph(Dataset&& dataset, const MethodOptions& options, const RunContext& run,
                        const PursuitCheckpoint& checkpoint) {
  check(options);
  MethodResult result;
  Stopwatch watch(result.seconds);
  result.filled = bring_to_scale(dataset, scale_of(options), run).filled;
  require_comparable(dataset);
  const UnitFeatures features = normalise(std::move(dataset.matrix), {centering_of(options)}, run);
  watch.stage_done("normalise");
  static_cast<void>(graph_from_features(features, dataset, options, run, checkpoint, {}, result));
  watch.stage_done("graph");
  return result;
}

UnitFeatures comparable_features(const Dataset& dataset, const MethodOptions& options,
                                 const RunContext& run) {
  check(options);
  const OnScale scale(dataset, scale_of(options), run);
  require_comparable(scale.data());
  return scale.normalised(Centering::mean);
}

PursuitEstimate estimate_graph(Dataset&& dataset, const MethodOptions& options,
                               const RunContext& run) {
  check(options);
  static_cast<void>(bring_to_scale(dataset, scale_of(options), run));
  require_comparable(dataset);
  const PursuitOptions* pursuit = pursuit_of(options.grouping);
  if (pursuit == nullptr) {
    throw Error(ErrorCode::invalid_option,
                "there is no pursuit to plan with cover, pairwise and knn edges");
  }
  if (has_window(options.grouping)) {
    throw Error(ErrorCode::invalid_option, "", "",
                {"window", "a pursuit within a {window} is short: there is no plan of it"});
  }
  const UnitFeatures features = normalise(std::move(dataset.matrix), {centering_of(options)}, run);
  EarlyEnd early;
  if (is_centred(options.grouping) && detail::asks_for_shared(options.grouping, features)) {
    early = early_end(predictability(features, run), measure_chance(features, *pursuit, run));
  }
  PursuitEstimate estimate = detail::estimate_pursuit(features, *pursuit, run, early);
  // The check of the filter has a fixed number of targets, of more atoms than any others: noise.
  if (const auto* components = std::get_if<ComponentOptions>(&options.grouping)) {
    std::vector<std::pair<std::string, double>> took;
    Stopwatch watch(took);
    static_cast<void>(check_angle_filter({}, features, *pursuit, components->graph,
                                         components->n_permutations, run));
    watch.stage_done("check");
    estimate.seconds += took.front().second;
  }
  return estimate;
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
    const OnScale scale(*dataset, scale_of(options), run);
    features = scale.normalised(centering_of(options));
    centred = scale.normalised(Centering::mean);
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
