#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sfg/pursuit.hpp"

namespace sfg::detail {

class BlockKeeper;
class SharedWork;

/// Targets to represent and the features to represent them by.
struct PursuitProblem {
  const UnitFeatures& targets;
  const UnitFeatures& dictionary;
  const PursuitOptions& options;
  /// Represent only these targets (ascending); empty: all of them.
  std::vector<Index> sample = {};
  /// Whether these are a few to learn from, or what an earlier pursuit has left to do.
  enum class Part { sample, rest } part = Part::sample;
  /// Gets the targets that are finished; may be null.
  BlockKeeper* keeper = nullptr;
  /// Where other processes take part: the targets come from there, and stay with the keeper alone.
  SharedWork* shared = nullptr;
  /// Which targets may end early; may be null.
  const EarlyEnd* early = nullptr;

  /// The targets are the dictionary itself: no feature may represent itself.
  [[nodiscard]] bool own_targets() const noexcept { return &targets == &dictionary; }
  [[nodiscard]] Index n_targets() const noexcept {
    return sample.empty() ? targets.n_features() : static_cast<Index>(sample.size());
  }
  [[nodiscard]] bool sampled() const noexcept { return !sample.empty() && part == Part::sample; }
  /// Whether work that serves all features pays.
  [[nodiscard]] bool most_targets() const noexcept {
    return !sampled() && n_targets() >= targets.n_features() - n_targets();
  }
  [[nodiscard]] Index target(std::int64_t item) const noexcept {
    return sample.empty() ? static_cast<Index>(item) : sample[item];
  }
  /// The place of a target among those to represent.
  [[nodiscard]] std::int64_t item(Index target) const noexcept {
    return sample.empty() ? target : std::ranges::lower_bound(sample, target) - sample.begin();
  }
};

/// Decides before any work. Throws over_memory with the number needed if nothing fits
/// RunContext::memory_limit.
[[nodiscard]] PursuitPlan plan_pursuit(const PursuitProblem& problem, const RunContext& run);

/// The pursuit of the problem's sample, as planned for it alone, with no trial.
[[nodiscard]] Representations pursue_sample(const PursuitProblem& problem, const RunContext& run);

/// A dense table with fewer entries that are not zero, of all it has, is a matter of the sparse
/// engine.
[[nodiscard]] Offset fewest_dense_entries(Offset n_stored);

/// `count` numbers of [0, n), evenly spaced; all of them if there are not so many.
[[nodiscard]] std::vector<Index> evenly_spaced(Index count, Index n);

/// A few targets, evenly spaced, to learn from: how many atoms they take and how long the lists of
/// candidates are. Empty if there are so few targets that it would not pay.
[[nodiscard]] std::vector<Index> trial_sample(const PursuitProblem& problem);

/// The same plan by the Gram matrix.
[[nodiscard]] PursuitPlan with_gram(PursuitPlan plan);
/// The plan in the light of a trial that was made with it: perhaps in another precision of the
/// screen, perhaps by the Gram matrix.
[[nodiscard]] PursuitPlan plan_after_trial(const PursuitProblem& problem, PursuitPlan plan,
                                           const Representations& trial);
/// What a trial in the plan's screen says about the screen, and about the Gram matrix.
[[nodiscard]] Screen screen_after_trial(const Representations& trial, const PursuitPlan& plan,
                                        Index n_features);
[[nodiscard]] bool gram_pays(const Representations& trial, const PursuitPlan& plan,
                             Index n_samples);

/// Nanoseconds on one core for each target and feature, as the plan reckons them from a sample: by
/// the stream engine in the plan's screen, and by the Gram matrix.
struct EngineCosts {
  double stream = 0;
  double gram = 0;
};
[[nodiscard]] EngineCosts engine_costs(const Representations& sample, Screen screen,
                                       Index n_samples);

/// estimate_pursuit() of targets that may end early.
[[nodiscard]] PursuitEstimate estimate_pursuit(const UnitFeatures& features,
                                               const PursuitOptions& options, const RunContext& run,
                                               const EarlyEnd& early);

}  // namespace sfg::detail
