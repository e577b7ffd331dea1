#include "report/kept_sets.hpp"

#include <algorithm>
#include <numeric>

#include "core/stopwatch.hpp"
#include "core/threads.hpp"

namespace sfg::detail {

namespace {

/// The paper's groups; features without direction are groups of one, and stay.
std::vector<std::vector<Index>> component_sets(const GroupingInput& input,
                                               const std::vector<double>& thetas) {
  const ComponentHierarchy forest = build_component_hierarchy(input.graph);
  const Hierarchy hierarchy(forest);
  std::vector<std::vector<Index>> sets;
  for (const double theta : thetas) {
    const Index n_groups = count_groups(forest, weight_threshold(forest, theta));
    sets.push_back(grouping_at(hierarchy, forest.n_features - n_groups, input).representatives);
    std::ranges::sort(sets.back());
  }
  return sets;
}

/// As many features as there are in each of `others`. Constant features stay, as they do there:
/// otherwise the numbers would not be equal. Where they alone are more, they are what is kept.
std::vector<std::vector<Index>> compact_sets(const Dataset& dataset,
                                             const std::vector<std::vector<Index>>& others,
                                             const CompactOptions& options, const RunContext& run) {
  MethodOptions method;
  method.grouping = options;
  const FeatureGraph graph = make_graph(dataset, method, run).graph;
  const auto centering = options.center ? Centering::mean : Centering::none;
  const UnitFeatures features = normalise(dataset.matrix, {centering}, run);
  const UnitFeatures centred = normalise(dataset.matrix, {Centering::mean}, run);
  const GroupingInput input{graph, features, centred, method.grouping, method.keep, run};
  const Index d = centred.n_features();
  const auto n_constant = d - static_cast<Index>(regular_features(centred).size());
  Index fewest = d;
  for (const auto& other : others) fewest = std::min(fewest, static_cast<Index>(other.size()));
  const auto hierarchy = build_hierarchy(input, std::max<Index>(1, fewest - n_constant));
  const Index n_levels = levels(hierarchy).back().n_steps;
  std::vector<std::vector<Index>> sets;
  for (const auto& other : others) {
    const Index n_steps = std::min(d - static_cast<Index>(other.size()), n_levels);
    sets.push_back(grouping_at(hierarchy, n_steps, input).representatives);
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
  MethodOptions method;
  method.grouping = options.components;
  MethodResult made = make_graph(dataset, method, run);
  watch.stage_done("graph");
  const auto centering = options.components.center ? Centering::mean : Centering::none;
  const UnitFeatures features = normalise(dataset.matrix, {centering}, run);
  const RunContext run_with_data =
      while_holding(features.matrix, while_holding(dataset.matrix, run));
  const auto components =
      component_sets({made.graph, features, features, method.grouping, method.keep, run_with_data},
                     options.thetas);
  result.angles = std::move(made.graph.angle);
  result.max_angle = options.components.graph.max_angle;
  result.permutation = made.permutation;

  KeptSets kept;
  kept.sets.emplace_back(static_cast<std::size_t>(n_features(dataset.matrix)));
  std::iota(kept.sets.front().begin(), kept.sets.front().end(), 0);
  for (const GroupingKind grouping : options.groupings) {
    auto sets = grouping == GroupingKind::components
                    ? components
                    : compact_sets(dataset, components, options.compact, run_with_data);
    std::vector<std::size_t> numbers;
    for (auto& set : sets) numbers.push_back(number_of(std::move(set), kept.sets));
    kept.set_of.push_back(std::move(numbers));
  }
  watch.stage_done("groups");
  return kept;
}

}  // namespace sfg::detail
