#include "groups/automatic_level.hpp"

#include <algorithm>
#include <cmath>

#include "core/random.hpp"
#include "core/threads.hpp"

namespace sfg::detail {

namespace {

/// From one level that is looked at to the next, the number of kept features falls by this factor.
constexpr double kGridFactor = 0.85;
/// Removed features whose loss is looked at.
constexpr std::size_t kMostLosses = 500;

/// Neither neighbours nor predictability mean much on few samples, or on counts that are mostly 0.
bool can_judge(const UnitFeatures& centred) {
  return centred.n_samples() >= kFewestSamplesToJudge && !centred.is_mostly_zero();
}

/// The nearest values that do not rise, by least squares: neighbours can only get fewer as features
/// go, but each level's figure is noisy (pool adjacent violators).
std::vector<double> without_rises(const std::vector<double>& values) {
  struct Pool {
    double sum;
    std::size_t count;
    [[nodiscard]] double mean() const { return sum / static_cast<double>(count); }
  };
  std::vector<Pool> pools;
  for (const double value : values) {
    pools.push_back({value, 1});
    while (pools.size() > 1 && pools[pools.size() - 2].mean() < pools.back().mean()) {
      const Pool last = pools.back();
      pools.pop_back();
      pools.back().sum += last.sum;
      pools.back().count += last.count;
    }
  }
  std::vector<double> fitted;
  for (const Pool& pool : pools) fitted.insert(fitted.end(), pool.count, pool.mean());
  return fitted;
}

/// Levels of the grid from fine to coarse, the one after the families first.
std::vector<TriedLevel> grid_of(const CompactHierarchy& hierarchy) {
  std::vector<TriedLevel> grid;
  double next = hierarchy.n_features;
  for (const CompactLevel& level : levels(hierarchy)) {
    if (level.n_merges < hierarchy.n_family_merges) continue;
    if (level.n_merges > hierarchy.n_edge_merges) break;
    const bool is_first = grid.empty();
    if (!is_first && (level.n_kept > next || level.n_kept == grid.back().n_kept)) continue;
    TriedLevel one;
    one.n_steps = level.n_merges;
    one.n_kept = level.n_kept;
    grid.push_back(one);
    next = std::floor(kGridFactor * level.n_kept);
  }
  return grid;
}

/// Those in groups that stay at a level, ascending.
std::vector<Index> kept_of(const CompactHierarchy& hierarchy, Index n_steps,
                           const UnitFeatures& centred) {
  const Groups groups = cut(hierarchy, n_steps);
  std::vector<Index> kept;
  for (const Index feature : representatives(hierarchy, groups, n_steps)) {
    if (centred.kind[feature] == FeatureKind::regular) kept.push_back(feature);
  }
  std::ranges::sort(kept);
  return kept;
}

/// The overlaps of all levels, from coarse to fine, where the sets grow.
void find_overlaps(const CompactHierarchy& hierarchy, const LevelInput& input,
                   std::vector<TriedLevel>& grid) {
  const SampleNeighbours neighbours(input.centred, {}, input.run);
  std::optional<SampleNeighbours::Changing> kept;
  for (auto level = grid.rbegin(); level != grid.rend(); ++level) {
    check_stop(input.run);
    const auto features = kept_of(hierarchy, level->n_steps, input.centred);
    if (!kept) {
      kept.emplace(neighbours, features, input.run);
    } else {
      kept->turn_to(features);
    }
    level->overlap = kept->overlap();
  }
}

/// Finds what a level loses. `keeps_neighbours` is the other half of the judgement.
void judge_loss(const LossJudge& losses, const std::vector<Index>& kept, bool keeps_neighbours,
                TriedLevel& level) {
  const auto loss = losses.of(kept);
  level.loss_ratio = loss.ratio;
  level.r2loo_mean = loss.r2loo_mean;
  level.is_good = loss.is_small && keeps_neighbours;
}

}  // namespace

LossJudge::LossJudge(const LevelInput& input)
    : input_(input), in_groups_(regular_features(input.centred)) {
  known_ = input.predictability != nullptr ? input.predictability->r2
                                           : predictability(input.centred, input.run).r2;
}

LossJudge::Loss LossJudge::of(const std::vector<Index>& kept) const {
  std::vector<Index> removed;
  std::ranges::set_difference(in_groups_, kept, std::back_inserter(removed));
  Random random(input_.run.seed);
  removed = random_choice(removed, kMostLosses, random);
  if (removed.empty()) return {};
  const std::vector<double> r2 = leave_one_out_r2(input_.centred, kept, removed, input_.run);
  const auto count = static_cast<double>(removed.size());
  double by_kept = 0;
  double by_all = 0;
  for (std::size_t k = 0; k < removed.size(); ++k) {
    by_kept += 1 - std::clamp(r2[k], -1.0, 1.0);
    by_all += 1 - std::clamp(known_[removed[k]], -1.0, 1.0);
  }
  Loss loss;
  loss.ratio = by_all > 0 ? by_kept / by_all : 1;
  loss.r2loo_mean = 1 - by_kept / count;
  loss.is_small = by_kept / count <= kUsualLossRatio * by_all / count + kUsualLossSlack;
  return loss;
}

ChosenLevel automatic_level(const CompactHierarchy& hierarchy, const LevelInput& input) {
  ChosenLevel chosen{hierarchy.n_family_merges, {}};
  const bool judges_all = input.judged == Judged::every_one;
  const bool can = can_judge(input.centred);
  if (!can && !judges_all) return chosen;
  chosen.tried = grid_of(hierarchy);
  find_overlaps(hierarchy, input, chosen.tried);
  if (!can) return chosen;
  std::vector<double> overlaps;
  for (const TriedLevel& level : chosen.tried) overlaps.push_back(level.overlap);
  const std::vector<double> trend = without_rises(overlaps);
  const double enough = enough_overlap(input.centred.n_samples());
  const LossJudge losses(input);
  bool is_found = false;
  for (std::size_t k = chosen.tried.size(); k-- > 0 && (!is_found || judges_all);) {
    TriedLevel& level = chosen.tried[k];
    const bool keeps_neighbours = level.overlap >= enough && trend[k] >= enough;
    if (!keeps_neighbours && !judges_all) continue;
    judge_loss(losses, kept_of(hierarchy, level.n_steps, input.centred), keeps_neighbours, level);
    if (!level.is_good || is_found) continue;
    chosen.n_steps = level.n_steps;
    is_found = true;
  }
  return chosen;
}

AutomaticCover::AutomaticCover(const LevelInput& input)
    : input_(input), enough_r2_(input.centred.is_mostly_zero() ? kSparseFamilyR2 : kNearCopyR2) {
  const bool can = can_judge(input.centred);
  if (can) losses_.emplace(input);
  if (!can && input.judged == Judged::until_good) return;
  neighbours_.emplace(input.centred, NeighbourOptions{}, input.run);
  kept_.emplace(*neighbours_, std::span<const Index>{}, input.run);
}

bool AutomaticCover::is_enough(Index pick) {
  picks_.push_back(pick);
  if (!kept_ || picks_.size() < next_look_) return false;
  next_look_ = std::max(
      picks_.size() + 1,
      static_cast<std::size_t>(std::ceil(static_cast<double>(picks_.size()) / kGridFactor)));
  look();
  return tried_.back().is_good && input_.judged == Judged::until_good;
}

void AutomaticCover::look() {
  std::vector<Index> kept = picks_;
  std::ranges::sort(kept);
  kept_->turn_to(kept);
  TriedLevel level;
  level.n_steps = static_cast<Index>(picks_.size());
  level.n_kept = level.n_steps;
  level.overlap = kept_->overlap();
  const bool keeps_neighbours = level.overlap >= enough_overlap(input_.centred.n_samples());
  if (losses_ && (keeps_neighbours || input_.judged == Judged::every_one)) {
    judge_loss(*losses_, kept, keeps_neighbours, level);
  }
  tried_.push_back(level);
}

Index AutomaticCover::chosen(const std::vector<Index>& keep) {
  const auto last = static_cast<Index>(picks_.size());
  const bool is_open = tried_.empty() || tried_.back().n_steps < last;
  if (input_.judged == Judged::every_one && last > 0 && is_open) look();
  std::vector<Index> taking_part = keep;
  std::erase_if(taking_part, [&](Index feature) {
    return input_.centred.kind[feature] != FeatureKind::regular;
  });
  std::ranges::sort(taking_part);
  const auto end = std::unique(taking_part.begin(), taking_part.end());
  const auto n_fixed = static_cast<Index>(end - taking_part.begin());
  for (const TriedLevel& level : tried_) {
    if (level.is_good && level.n_steps >= n_fixed) return level.n_steps;
  }
  return last;
}

std::vector<TriedLevel> AutomaticCover::take_tried() {
  std::ranges::reverse(tried_);
  return std::move(tried_);
}

}  // namespace sfg::detail

namespace sfg {

double enough_overlap(Index n_samples) {
  const double chance = chance_overlap(n_samples);
  return chance + kUsualOverlap * (1 - chance);
}

}  // namespace sfg
