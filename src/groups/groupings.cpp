#include "groups/groupings.hpp"

#include <algorithm>

#include "groups/groups_of.hpp"

namespace sfg::detail {

namespace {

/// Features without direction that are left out.
std::vector<Index> features_to_drop(const UnitFeatures& features, const MethodOptions& options) {
  const bool lcs = options.grouping == GroupingMethod::lcs;
  const auto usual = lcs ? EmptyFeatures::keep : EmptyFeatures::drop;
  std::vector<Index> dropped;
  if (options.empty_features.value_or(usual) == EmptyFeatures::keep) return dropped;
  for (Index i = 0; i < features.n_features(); ++i) {
    if (features.kind[i] != FeatureKind::regular) dropped.push_back(i);
  }
  return dropped;
}

}  // namespace

Grouping components_at(const ThetaHierarchy& hierarchy, double threshold, const FeatureGraph& graph,
                       const UnitFeatures* features, const MethodOptions& options,
                       const RunContext& run) {
  Grouping grouping;
  grouping.groups = cut(hierarchy, threshold);
  grouping.representatives =
      choose_representatives(grouping.groups, graph, features, representative_of(options), run);
  grouping.keep = options.keep;
  if (features != nullptr) grouping.drop = features_to_drop(*features, options);
  return grouping;
}

Grouping group_by_components(const GroupingInput& input, MethodResult& result) {
  const MethodOptions& options = input.options;
  result.hierarchy = build_theta_hierarchy(result.graph);
  result.threshold =
      options.threshold ? *options.threshold : weight_threshold(result.hierarchy, options.theta);
  return components_at(result.hierarchy, result.threshold, result.graph, &input.features, options,
                       input.run);
}

Grouping group_compactly(const GroupingInput& input, MethodResult& result) {
  const MethodOptions& options = input.options;
  CompactOptions how;
  how.representative = representative_of(options);
  how.fewest_groups = asked_features(options.level, input.features.n_features());
  // Of a group with several protected features all of them stay: fewer groups are needed then.
  if (how.fewest_groups > 0 && !options.keep.empty()) how.fewest_groups = 1;
  result.compact =
      build_compact_hierarchy(result.graph, input.features, input.centred, how, input.run);
  const Index level = choose_level(result.compact, options.level, input.data, input.run);
  Grouping grouping;
  grouping.groups = cut(result.compact, level);
  grouping.representatives = representatives(result.compact, grouping.groups, level);
  grouping.keep = options.keep;
  grouping.drop = features_to_drop(input.centred, options);
  return grouping;
}

Grouping group_by_cover(const GroupingInput& input, MethodResult& result) {
  const MethodOptions& options = input.options;
  result.cover = cover_to_level(input.centred, options.level, options.keep, input.data, input.run);
  std::vector<Index> kept = result.cover.picks;
  std::ranges::sort(kept);
  const auto nearest = nearest_kept(input.centred, kept, input.run);
  std::vector<Index> owner(nearest.size());
  for (std::size_t i = 0; i < nearest.size(); ++i) {
    owner[i] = nearest[i].feature >= 0 ? nearest[i].feature : static_cast<Index>(i);
  }
  Grouping grouping;
  grouping.groups = groups_by_label(owner);
  for (Index g = 0; g < grouping.groups.n_groups(); ++g) {
    const Index member = grouping.groups.members_of(g).front();
    grouping.representatives.push_back(owner[member]);
  }
  grouping.keep = options.keep;
  grouping.drop = features_to_drop(input.centred, options);
  return grouping;
}

}  // namespace sfg::detail
