#include "sfg/level.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/threads.hpp"
#include "groups/automatic_level.hpp"
#include "sfg/error.hpp"

namespace sfg {

namespace {

Index coarsest_by_mean_r2(const CompactHierarchy& hierarchy, double min_mean_r2) {
  Index chosen = 0;
  for (const CompactLevel& level : levels(hierarchy)) {
    if (level.n_merges > hierarchy.n_edge_merges) break;
    if (level.mean_r2 >= min_mean_r2) chosen = level.n_merges;
  }
  return chosen;
}

/// The first level with so few features; protected ones may make it impossible, then the last.
Index first_with_features(const CompactHierarchy& hierarchy, Index n_features) {
  const auto all = levels(hierarchy);
  const auto found = std::ranges::find_if(
      all, [&](const CompactLevel& level) { return level.n_kept <= n_features; });
  return found == all.end() ? all.back().n_merges : found->n_merges;
}

/// From the coarsest level on merges are undone until the neighbourhoods are kept.
Index coarsest_by_neighbours(const CompactHierarchy& hierarchy, double min_overlap,
                             const LevelInput& input) {
  const RunContext& run = input.run;
  const SampleNeighbours neighbours(input.centred, {}, run);
  // Who stands for the group whose lowest member is i, before each merge.
  std::vector<Index> standing(static_cast<std::size_t>(hierarchy.n_features));
  for (std::size_t i = 0; i < standing.size(); ++i) standing[i] = static_cast<Index>(i);
  struct Before {
    Index a;
    Index b;
  };
  std::vector<Before> before;
  const auto n_merges = static_cast<std::size_t>(hierarchy.n_edge_merges);
  for (std::size_t m = 0; m < n_merges; ++m) {
    const CompactMerge& merge = hierarchy.merges[m];
    auto& lower = standing[merge.a];
    before.push_back({lower, standing[merge.b]});
    lower = merge.representative;
  }
  const Groups groups = cut(hierarchy, hierarchy.n_edge_merges);
  SampleNeighbours::Changing kept(neighbours,
                                  representatives(hierarchy, groups, hierarchy.n_edge_merges), run);
  for (std::size_t m = n_merges; m > 0; --m) {
    detail::check_stop(run);
    if (run.progress) {
      run.progress("level", static_cast<double>(n_merges - m), static_cast<double>(n_merges));
    }
    if (kept.overlap() >= min_overlap) return static_cast<Index>(m);
    const Index gone = hierarchy.merges[m - 1].representative;
    const Before& parts = before[m - 1];
    if (parts.a != gone && parts.b != gone) kept.remove(gone);
    if (parts.a != gone) kept.add(parts.a);
    if (parts.b != gone) kept.add(parts.b);
  }
  return 0;
}

}  // namespace

LevelRule LevelOptions::rule() const noexcept {
  if (n_features) return LevelRule::n_features;
  if (keep_share) return LevelRule::keep_share;
  if (min_overlap) return LevelRule::overlap;
  return min_mean_r2 ? LevelRule::mean_r2 : LevelRule::automatic;
}

void check(const LevelOptions& options) {
  check_fields(options);
  const int n_given = int{options.min_mean_r2.has_value()} + int{options.n_features.has_value()} +
                      int{options.keep_share.has_value()} + int{options.min_overlap.has_value()};
  if (n_given > 1) {
    throw Error(ErrorCode::invalid_option, "", "",
                {"n_features",
                 "{min_mean_r2}, {n_features}, {keep_share} and {min_overlap} all say how far to "
                 "reduce: give one of them"});
  }
}

std::string describe(const LevelOptions& options) {
  switch (options.rule()) {
    case LevelRule::n_features:
      return fmt::format("{} features", *options.n_features);
    case LevelRule::keep_share:
      return fmt::format("{} of the features", *options.keep_share);
    case LevelRule::overlap:
      return fmt::format("10-NN overlap >= {}", *options.min_overlap);
    case LevelRule::mean_r2:
      return fmt::format("mean r2 >= {}", *options.min_mean_r2);
    case LevelRule::automatic:
      break;
  }
  return "automatic level";
}

Index asked_features(const LevelOptions& options, Index n_features) {
  if (options.n_features) return *options.n_features;
  if (options.keep_share) {
    return std::max<Index>(1, static_cast<Index>(std::lround(*options.keep_share * n_features)));
  }
  return 0;
}

ChosenLevel choose_level(const CompactHierarchy& hierarchy, const LevelOptions& options,
                         const LevelInput& input) {
  check(options);
  if (const Index asked = asked_features(options, hierarchy.n_features); asked > 0) {
    return {first_with_features(hierarchy, asked), {}};
  }
  switch (options.rule()) {
    case LevelRule::overlap:
      return {coarsest_by_neighbours(hierarchy, *options.min_overlap, input), {}};
    case LevelRule::mean_r2:
      return {coarsest_by_mean_r2(hierarchy, *options.min_mean_r2), {}};
    default:
      return detail::automatic_level(hierarchy, input);
  }
}

CoverSequence cover_to_level(const LevelOptions& options, const std::vector<Index>& keep,
                             const LevelInput& input) {
  check(options);
  const RunContext& run = input.run;
  CoverStop stop;
  stop.keep = keep;
  stop.most_features = asked_features(options, input.centred.n_features());
  if (options.min_mean_r2) stop.enough_mean_r2 = *options.min_mean_r2;
  std::optional<SampleNeighbours> neighbours;
  std::optional<SampleNeighbours::Changing> kept;
  if (options.min_overlap) {
    neighbours.emplace(input.centred, NeighbourOptions{}, run);
    kept.emplace(*neighbours, std::span<const Index>{}, run);
    stop.enough = [&](Index pick) {
      kept->add(pick);
      return kept->overlap() >= *options.min_overlap;
    };
  }
  if (options.rule() != LevelRule::automatic) return cover(input.centred, stop, run);
  detail::AutomaticCover automatic(input);
  stop.enough_r2 = automatic.enough_r2();
  stop.enough = [&](Index pick) { return automatic.is_enough(pick); };
  CoverSequence sequence = cover(input.centred, stop, run);
  sequence.n_chosen = automatic.chosen(keep);
  sequence.tried = automatic.take_tried();
  return sequence;
}

}  // namespace sfg
