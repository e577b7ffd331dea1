#include "sfg/grouping.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "groups/groups_of.hpp"
#include "sfg/error.hpp"

namespace sfg {

namespace {

template <typename... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
// Written out for compilers that do not deduce it from the bases (Clang before 17).
template <typename... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

/// Within a window groups merge along edges only: not every number of features can be had.
void require_reachable(const CompactHierarchy& merges, const GroupingOptions& options) {
  if (!has_window(options)) return;
  const Index asked = asked_features(*level_of(options), merges.n_features);
  const Index fewest = levels(merges).back().n_kept;
  if (asked == 0 || asked >= fewest) return;
  throw Error(ErrorCode::invalid_option,
              fmt::format("{} features are asked for, but no fewer than {} have all others near "
                          "them and described by them",
                          asked, fewest),
              "", {"window", "ask for more features, or for a wider {window}"});
}

/// Features without direction that are left out.
std::vector<Index> features_to_drop(const UnitFeatures& features, const GroupingOptions& options) {
  std::vector<Index> dropped;
  if (keeps_empty(options)) return dropped;
  for (Index i = 0; i < features.n_features(); ++i) {
    const FeatureKind kind = features.kind[i];
    if (kind == FeatureKind::empty || kind == FeatureKind::constant) dropped.push_back(i);
  }
  return dropped;
}

/// A mean r2 over many features would hide a few that nothing explains. Elsewhere the user has said
/// how many features to keep.
std::optional<double> rescue_below(const GroupingOptions& options) {
  const LevelOptions* level = level_of(options);
  if (level == nullptr || level->rule() != LevelRule::mean_r2 || !level->rescue) return {};
  return kRescueBelow;
}

/// The groups with what is decided about their features.
Grouping decided(Grouping grouping, const GroupingInput& input) {
  const bool components = kind_of(input.options) == GroupingKind::components;
  grouping.keep = input.keep;
  grouping.drop = features_to_drop(components ? input.features : input.centred, input.options);
  grouping.drop.insert(grouping.drop.end(), input.drop.begin(), input.drop.end());
  grouping.window = window_of(input.options, input.centred.n_features());
  grouping.rescue_below = rescue_below(input.options);
  const LevelOptions* level = level_of(input.options);
  if (level != nullptr && level->rule() == LevelRule::automatic && input.centred.is_mostly_zero()) {
    grouping.return_below = kSparseFamilyR2;
  }
  return grouping;
}

Grouping with_representatives(Groups groups, const GroupingInput& input) {
  Grouping grouping;
  grouping.representatives =
      choose_representatives(groups, input.graph, &input.features,
                             representative_of(input.options, input.keep), input.run);
  grouping.groups = std::move(groups);
  return grouping;
}

/// Every feature with the pick that it correlates most with.
Grouping around(std::vector<Index> picks, const GroupingInput& input) {
  std::ranges::sort(picks);
  const auto window = window_of(input.options, input.centred.n_features());
  const auto nearest = nearest_kept(input.centred, picks, window.get(), input.run);
  std::vector<Index> owner(nearest.size());
  for (std::size_t i = 0; i < nearest.size(); ++i) {
    owner[i] = nearest[i].feature >= 0 ? nearest[i].feature : static_cast<Index>(i);
  }
  Grouping grouping;
  grouping.groups = detail::groups_by_label(owner);
  for (Index g = 0; g < grouping.groups.n_groups(); ++g) {
    grouping.representatives.push_back(owner[grouping.groups.members_of(g).front()]);
  }
  return grouping;
}

std::vector<Index> first_picks(const CoverSequence& cover, Index n) {
  return {cover.picks.begin(), cover.picks.begin() + n};
}

/// Those that vary, ascending.
std::vector<Index> regular_ones(const std::vector<Index>& features, const UnitFeatures& centred) {
  std::vector<Index> regular;
  for (const Index feature : features) {
    if (centred.kind[feature] == FeatureKind::regular) regular.push_back(feature);
  }
  std::ranges::sort(regular);
  return regular;
}

std::optional<std::vector<Index>> kept_by(const CompactHierarchy& hierarchy, Index n_kept,
                                          const GroupingInput& input) {
  for (const CompactLevel& level : levels(hierarchy)) {
    if (level.n_kept > n_kept) continue;
    if (level.n_kept < n_kept) break;
    const Groups groups = cut(hierarchy, level.n_merges);
    return regular_ones(representatives(hierarchy, groups, level.n_merges), input.centred);
  }
  return {};
}

std::optional<std::vector<Index>> kept_by(const CoverSequence& cover, Index n_kept,
                                          const GroupingInput& input) {
  if (n_kept > static_cast<Index>(cover.picks.size())) return {};
  return regular_ones(first_picks(cover, n_kept), input.centred);
}

std::optional<std::vector<Index>> kept_by(const ComponentHierarchy& hierarchy, Index n_kept,
                                          const GroupingInput& input) {
  const auto n_regular = static_cast<Index>(regular_features(input.centred).size());
  const auto n_merges = static_cast<Index>(hierarchy.merges.size());
  // Features that do not vary may be in groups: then a few merges more are needed.
  for (Index m = std::max<Index>(0, n_regular - n_kept); m <= n_merges; ++m) {
    auto kept = regular_ones(with_representatives(cut_after(hierarchy, m), input).representatives,
                             input.centred);
    const auto count = static_cast<Index>(kept.size());
    if (count == n_kept) return kept;
    if (count < n_kept) break;
  }
  return {};
}

}  // namespace

GroupingKind kind_of(const GroupingOptions& options) noexcept {
  return static_cast<GroupingKind>(options.index());
}

GroupingOptions usual_grouping(GroupingKind kind) {
  switch (kind) {
    case GroupingKind::cover:
      return CoverOptions{};
    case GroupingKind::components:
      return ComponentOptions{};
    case GroupingKind::pairwise:
      return PairwiseOptions{};
    case GroupingKind::compact:
      break;
  }
  return CompactOptions{};
}

void check(const GroupingOptions& options) {
  std::visit([](const auto& grouping) { check_fields(grouping); }, options);
  if (const LevelOptions* level = level_of(options)) check(*level);
  if (const WindowOptions* along = along_of(options)) check(*along);
  const auto* compact = std::get_if<CompactOptions>(&options);
  if (has_window(options) && compact != nullptr && compact->edges != EdgeSource::pursuit) {
    throw Error(ErrorCode::invalid_option, "", "",
                {"window", "{window} is for the edges of the pursuit: leave out {edges=knn}"});
  }
  if (const auto* components = std::get_if<ComponentOptions>(&options)) {
    if (components->theta && components->weight_threshold) {
      throw Error(
          ErrorCode::invalid_option, "", "",
          {"theta", "{theta} and {weight_threshold} both say where to cut: give one of them"});
    }
  }
}

std::string describe(const PairwiseOptions& options) {
  return fmt::format("r2 of kept features <= {}{}", options.max_r2.value_or(kUsualMaxR2),
                     describe(options.along));
}

const PursuitOptions* pursuit_of(const GroupingOptions& options) noexcept {
  if (const auto* components = std::get_if<ComponentOptions>(&options)) return &components->pursuit;
  const auto* compact = std::get_if<CompactOptions>(&options);
  const bool pursues = compact != nullptr && compact->edges == EdgeSource::pursuit;
  return pursues ? &compact->pursuit : nullptr;
}

const LevelOptions* level_of(const GroupingOptions& options) noexcept {
  if (const auto* compact = std::get_if<CompactOptions>(&options)) return &compact->level;
  const auto* cover = std::get_if<CoverOptions>(&options);
  return cover != nullptr ? &cover->level : nullptr;
}

bool is_centred(const GroupingOptions& options) noexcept {
  if (const auto* compact = std::get_if<CompactOptions>(&options)) return compact->center;
  const auto* components = std::get_if<ComponentOptions>(&options);
  return components == nullptr || components->center;
}

bool keeps_empty(const GroupingOptions& options) noexcept {
  return std::visit([](const auto& grouping) { return grouping.keep_empty; }, options);
}

bool picks_features(const GroupingOptions& options) noexcept {
  return std::holds_alternative<CoverOptions>(options) ||
         std::holds_alternative<PairwiseOptions>(options);
}

RepresentativeRule representative_rule(const GroupingOptions& options) noexcept {
  if (const auto* compact = std::get_if<CompactOptions>(&options)) return compact->representative;
  const auto* components = std::get_if<ComponentOptions>(&options);
  return components != nullptr ? components->representative : RepresentativeRule::medoid;
}

const FeatureList& avoided(const GroupingOptions& options) noexcept {
  static const FeatureList none;
  if (const auto* compact = std::get_if<CompactOptions>(&options)) return compact->avoid;
  const auto* components = std::get_if<ComponentOptions>(&options);
  return components != nullptr ? components->avoid : none;
}

const WindowOptions* along_of(const GroupingOptions& options) noexcept {
  if (const auto* compact = std::get_if<CompactOptions>(&options)) return &compact->along;
  const auto* pairwise = std::get_if<PairwiseOptions>(&options);
  return pairwise != nullptr ? &pairwise->along : nullptr;
}

std::shared_ptr<const Window> window_of(const GroupingOptions& options, Index n_features) {
  const WindowOptions* along = along_of(options);
  return along != nullptr ? make_window(*along, n_features) : nullptr;
}

bool has_window(const GroupingOptions& options) noexcept {
  const WindowOptions* along = along_of(options);
  return along != nullptr && along->window.has_value();
}

RepresentativeOptions representative_of(const GroupingOptions& options, const FeatureList& keep) {
  const auto chosen = [&](const auto& grouping) -> RepresentativeOptions {
    using Grouping = std::remove_cvref_t<decltype(grouping)>;
    const RepresentativeRule rule =
        is_scored(grouping.representative) ? Grouping{}.representative : grouping.representative;
    return {rule, grouping.priority, keep};
  };
  if (const auto* compact = std::get_if<CompactOptions>(&options)) return chosen(*compact);
  if (const auto* parts = std::get_if<ComponentOptions>(&options)) return chosen(*parts);
  return {RepresentativeRule::medoid, {}, keep};
}

double weight_threshold(const ComponentHierarchy& hierarchy, const ComponentOptions& options) {
  if (options.weight_threshold) return *options.weight_threshold;
  return weight_threshold(hierarchy, options.theta.value_or(kUsualTheta));
}

Hierarchy build_hierarchy(const GroupingInput& input, Index fewest) {
  const auto window = window_of(input.options, input.centred.n_features());
  const auto compact = [&](const CompactOptions& options) -> Hierarchy {
    WardOptions ward;
    ward.window = window.get();
    ward.representative = representative_of(input.options, input.keep);
    ward.fewest_groups =
        fewest > 0 ? fewest : asked_features(options.level, input.features.n_features());
    // Of a group with several protected features all of them stay: fewer groups are needed then.
    if (ward.fewest_groups > 0 && !input.keep.empty()) ward.fewest_groups = 1;
    if (options.level.rule() == LevelRule::automatic && fewest == 0) {
      ward.family_r2 = input.centred.is_mostly_zero() ? kSparseFamilyR2 : kNearCopyR2;
    }
    return build_compact_hierarchy(input.graph, input.features, input.centred, ward, input.run);
  };
  const auto cover = [&](const CoverOptions& options) -> Hierarchy {
    return cover_to_level(options.level, input.keep,
                          {input.centred, input.predictability, input.run, input.judged});
  };
  const auto components = [&](const ComponentOptions&) -> Hierarchy {
    return build_component_hierarchy(input.graph);
  };
  const auto far_apart = [&](const PairwiseOptions& options) -> Hierarchy {
    return pairwise(
        input.centred,
        {options.max_r2.value_or(kUsualMaxR2), input.keep, options.priority, window.get()},
        input.run);
  };
  return std::visit(Overloaded{compact, cover, components, far_apart}, input.options);
}

std::vector<HierarchyLevel> levels(const Hierarchy& hierarchy) {
  std::vector<HierarchyLevel> all;
  const auto compact = [&](const CompactHierarchy& merges) {
    for (const CompactLevel& level : levels(merges)) {
      all.push_back({level.n_merges, level.n_kept, level.mean_r2, {}});
    }
  };
  const auto cover = [&](const CoverSequence& sequence) {
    for (std::size_t k = 0; k < sequence.picks.size(); ++k) {
      const auto n_picks = static_cast<Index>(k + 1);
      all.push_back({n_picks, n_picks, sequence.mean_r2[k], {}});
    }
  };
  const auto components = [&](const ComponentHierarchy& forest) {
    all.push_back({0, forest.n_features, {}, {}});
    for (const Merge& merge : forest.merges) {
      all.push_back({all.back().n_steps + 1, all.back().n_kept - 1, {}, merge.weight});
    }
  };
  std::visit(Overloaded{compact, cover, components}, hierarchy);
  return all;
}

ChosenLevel chosen_level(const Hierarchy& hierarchy, const GroupingInput& input) {
  const auto compact = [&](const CompactHierarchy& merges) {
    require_reachable(merges, input.options);
    return choose_level(merges, *level_of(input.options),
                        {input.centred, input.predictability, input.run, input.judged});
  };
  const auto cover = [](const CoverSequence& sequence) {
    const auto all = static_cast<Index>(sequence.picks.size());
    return ChosenLevel{sequence.n_chosen.value_or(all), sequence.tried};
  };
  const auto components = [&](const ComponentHierarchy& forest) {
    const double threshold = weight_threshold(forest, std::get<ComponentOptions>(input.options));
    return ChosenLevel{forest.n_features - count_groups(forest, threshold), {}};
  };
  return std::visit(Overloaded{compact, cover, components}, hierarchy);
}

Grouping grouping_at(const Hierarchy& hierarchy, Index n_steps, const GroupingInput& input) {
  const auto compact = [&](const CompactHierarchy& merges) {
    Groups groups = cut(merges, n_steps);
    auto chosen = representatives(merges, groups, n_steps);
    return Grouping{std::move(groups), std::move(chosen), {}, {}};
  };
  const auto cover = [&](const CoverSequence& sequence) {
    return around(first_picks(sequence, n_steps), input);
  };
  const auto components = [&](const ComponentHierarchy& forest) {
    return with_representatives(cut_after(forest, n_steps), input);
  };
  return decided(std::visit(Overloaded{compact, cover, components}, hierarchy), input);
}

std::optional<std::vector<Index>> kept_at(const Hierarchy& hierarchy, Index n_kept,
                                          const GroupingInput& input) {
  return std::visit([&](const auto& one) { return kept_by(one, n_kept, input); }, hierarchy);
}

}  // namespace sfg
