#include "report/kept_sets.hpp"

#include <algorithm>
#include <numeric>

#include "core/stopwatch.hpp"
#include "core/threads.hpp"
#include "groups/groupings.hpp"

namespace sfg::detail {

namespace {

MethodOptions method_with(const ExperimentOptions& options, GroupingMethod grouping) {
  MethodOptions method = options.method;
  method.grouping = grouping;
  // The rule is that of the paper's groups; compact ones have medoids.
  if (grouping != GroupingMethod::lcs) method.representative.reset();
  return method;
}

/// The paper's groups; features without direction are groups of one, and stay.
std::vector<std::vector<Index>> component_sets(const FeatureGraph& graph,
                                               const UnitFeatures& features,
                                               const ExperimentOptions& options,
                                               const RunContext& run) {
  const MethodOptions method = method_with(options, GroupingMethod::lcs);
  const ThetaHierarchy hierarchy = build_theta_hierarchy(graph);
  std::vector<std::vector<Index>> sets;
  for (const double theta : options.thetas) {
    const double threshold = weight_threshold(hierarchy, theta);
    sets.push_back(
        components_at(hierarchy, threshold, graph, &features, method, run).representatives);
    std::ranges::sort(sets.back());
  }
  return sets;
}

/// As many features as there are in each of `others`. Constant features stay, as they do there:
/// otherwise the numbers would not be equal. Where they alone are more, they are what is kept.
std::vector<std::vector<Index>> compact_sets(const Dataset& dataset,
                                             const std::vector<std::vector<Index>>& others,
                                             const ExperimentOptions& options,
                                             const RunContext& run) {
  const MethodOptions method = method_with(options, GroupingMethod::compact);
  const FeatureGraph graph = make_graph(dataset, method, run).graph;
  const UnitFeatures features = normalise(dataset.matrix, {centering_of(method)}, run);
  const UnitFeatures centred = normalise(dataset.matrix, {Centering::mean}, run);
  const Index d = centred.n_features();
  const auto n_constant = d - static_cast<Index>(regular_features(centred).size());
  Index fewest = d;
  for (const auto& other : others) fewest = std::min(fewest, static_cast<Index>(other.size()));
  CompactOptions compact;
  compact.fewest_groups = std::max<Index>(1, fewest - n_constant);
  const auto hierarchy = build_compact_hierarchy(graph, features, centred, compact, run);
  std::vector<std::vector<Index>> sets;
  for (const auto& other : others) {
    const Index n_merges =
        std::min(d - static_cast<Index>(other.size()), static_cast<Index>(hierarchy.merges.size()));
    sets.push_back(representatives(hierarchy, cut(hierarchy, n_merges), n_merges));
    std::ranges::sort(sets.back());
  }
  return sets;
}

/// The number of a set among those so far; a new one is added.
std::size_t number_of(std::vector<Index>&& set, std::vector<std::vector<Index>>& sets) {
  const auto found = std::ranges::find(sets, set);
  if (found != sets.end()) return static_cast<std::size_t>(found - sets.begin());
  sets.push_back(std::move(set));
  return sets.size() - 1;
}

}  // namespace

KeptSets kept_sets_of(const Dataset& dataset, const ExperimentOptions& options,
                      const RunContext& run, ExperimentResult& result) {
  Stopwatch watch(result.seconds);
  const MethodOptions method = method_with(options, GroupingMethod::lcs);
  MethodResult made = make_graph(dataset, method, run);
  watch.stage_done("graph");
  const UnitFeatures features = normalise(dataset.matrix, {centering_of(method)}, run);
  const RunContext run_with_data =
      while_holding(features.matrix, while_holding(dataset.matrix, run));
  const auto components = component_sets(made.graph, features, options, run_with_data);
  result.angles = std::move(made.graph.angle);
  result.max_angle = method.graph.max_angle;
  result.permutation = made.permutation;

  KeptSets kept;
  kept.sets.emplace_back(static_cast<std::size_t>(n_features(dataset.matrix)));
  std::iota(kept.sets.front().begin(), kept.sets.front().end(), 0);
  for (const GroupingMethod grouping : options.groupings) {
    auto sets = grouping == GroupingMethod::lcs
                    ? components
                    : compact_sets(dataset, components, options, run_with_data);
    std::vector<std::size_t> numbers;
    for (auto& set : sets) numbers.push_back(number_of(std::move(set), kept.sets));
    kept.set_of.push_back(std::move(numbers));
  }
  watch.stage_done("groups");
  return kept;
}

}  // namespace sfg::detail
