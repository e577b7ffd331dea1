#include "sfg/stability.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <mutex>

#include "core/shares.hpp"
#include "core/stopwatch.hpp"
#include "core/threads.hpp"
#include "sfg/error.hpp"
#include "stability/tally.hpp"

namespace sfg {

namespace {

/// Copies of the data that a repeat holds: its samples, and these normalised, twice where the
/// paper's groups need them centred and not. Halves have less; what the pursuit needs it plans
/// itself.
constexpr double kCopiesOfData = 3;

/// The method of a repeat. What only describes the removed features is left out.
MethodOptions method_of_repeat(const StabilityOptions& options, const MethodOptions& method,
                               const MethodResult& whole) {
  MethodOptions one = method;
  one.reduce.combinations = false;
  one.reduce.certificate.n_permuted = 0;
  if (!one.reduce.certify) one.reduce.certificate.most_features = 1;
  if (!options.same_number) return one;
  std::visit(
      [&](auto& grouping) {
        if constexpr (requires { grouping.level; }) {
          LevelOptions level;
          // A number alone would not ask which features are shared.
          level.unshared = whole.shared.dropped ? Unshared::drop : Unshared::keep;
          level.n_features = static_cast<Index>(whole.reduction.kept.size());
          grouping.level = level;
        }
      },
      one.grouping);
  return one;
}

std::vector<char> flags_of(const std::vector<Index>& features, Index n_features) {
  std::vector<char> flags(static_cast<std::size_t>(n_features), 0);
  for (const Index feature : features) flags[feature] = 1;
  return flags;
}

/// How well the members of one group of all samples are found together in a repeat.
struct Togetherness {
  double jaccard = 0;
  double pairs = 0;
};

/// Looks for groups of all samples among those of a repeat.
class GroupFinder {
 public:
  GroupFinder(const Reduction& repeat, Index n_features)
      : groups_(repeat.groups),
        is_kept_(flags_of(repeat.kept, n_features)),
        representatives_(repeat.representatives),
        n_here_(static_cast<std::size_t>(repeat.groups.n_groups()), 0) {}

  [[nodiscard]] Togetherness find(std::span<const Index> members) {
    for (const Index member : members) ++n_here_[groups_.group_of[member]];
    const auto size = static_cast<double>(members.size());
    Togetherness result;
    for (const Index member : members) {
      const Index group = groups_.group_of[member];
      const auto both = static_cast<double>(n_here_[group]);
      n_here_[group] = 0;  // counted once
      if (both == 0 || is_kept_[representatives_[group]] == 0) continue;
      const double either = size + static_cast<double>(groups_.members_of(group).size()) - both;
      result.jaccard = std::max(result.jaccard, both / either);
      result.pairs += both * (both - 1);
    }
    if (size > 1) result.pairs /= size * (size - 1);
    return result;
  }

 private:
  const Groups& groups_;
  std::vector<char> is_kept_;
  const std::vector<Index>& representatives_;
  std::vector<Index> n_here_;  ///< members that are looked for, by group
};

StabilityRepeat outcome_of(const Reduction& repeat, const Reduction& whole, Index n_features) {
  StabilityRepeat outcome;
  outcome.kept = repeat.kept;
  GroupFinder finder(repeat, n_features);
  for (const Index feature : whole.kept) {
    const auto members = whole.groups.members_of(whole.groups.group_of[feature]);
    const Togetherness found = finder.find(members);
    outcome.group_jaccard.push_back(found.jaccard);
    outcome.pairs_together.push_back(found.pairs);
  }
  return outcome;
}

/// Whether a repeat that was kept by an earlier run can be one of these.
bool fits(const StabilityRepeat& repeat, const Reduction& whole, Index n_features) {
  const std::vector<Index>& kept = repeat.kept;
  const bool ascends = std::ranges::adjacent_find(kept, std::greater_equal<>()) == kept.end();
  const bool in_range = kept.empty() || (kept.front() >= 0 && kept.back() < n_features);
  return ascends && in_range && repeat.group_jaccard.size() == whole.kept.size() &&
         repeat.pairs_together.size() == whole.kept.size();
}

/// All repeats: recalled, or run several at a time.
class Repeats {
 public:
  Repeats(const Dataset& dataset, const StabilityOptions& options, const MethodOptions& method,
          const MethodResult& whole, const StabilityCheckpoint& checkpoint)
      : dataset_(dataset),
        options_(options),
        method_(method_of_repeat(options, method, whole)),
        whole_(whole.reduction),
        checkpoint_(checkpoint),
        outcomes_(static_cast<std::size_t>(options.repeats)) {
    for (int repeat = 0; repeat < options.repeats; ++repeat) {
      if (checkpoint.find) outcomes_[repeat] = checkpoint.find(repeat);
      if (outcomes_[repeat] && !fits(*outcomes_[repeat], whole_, n_features(dataset.matrix))) {
        outcomes_[repeat].reset();
      }
    }
  }

  void run(const RunContext& run) {
    const auto data = static_cast<double>(memory_of(dataset_.matrix));
    const detail::Shares shares =
        detail::share_out(run, memory_of(dataset_.matrix), kCopiesOfData * data);
    // Around all repeats, so that none of them switches threads of BLAS on for the others.
    const detail::SingleThreadedBlas single_threaded;
    try {
      run_missing(shares.outer, shares.inner);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::over_memory || shares.outer.threads == 1) throw;
      RunContext one = run;
      one.threads = 1;
      RunContext all = run;
      all.memory_held += memory_of(dataset_.matrix);
      all.progress = nullptr;
      run_missing(one, all);
    }
  }

  [[nodiscard]] std::vector<StabilityRepeat> take() {
    std::vector<StabilityRepeat> all;
    for (auto& outcome : outcomes_) all.push_back(std::move(*outcome));
    return all;
  }

 private:
  void run_missing(const RunContext& outer, const RunContext& inner) {
    std::vector<int> missing;
    for (int repeat = 0; repeat < options_.repeats; ++repeat) {
      if (!outcomes_[repeat]) missing.push_back(repeat);
    }
    detail::parallel_for(outer, "repeats", static_cast<std::int64_t>(missing.size()),
                         [&](std::int64_t item) {
                           const int repeat = missing[item];
                           StabilityRepeat outcome = run_one(repeat, inner);
                           const std::lock_guard lock(mutex_);
                           if (checkpoint_.keep) checkpoint_.keep(repeat, outcome);
                           outcomes_[repeat] = std::move(outcome);
                         });
  }

  [[nodiscard]] StabilityRepeat run_one(int repeat, const RunContext& run) const {
    const Dataset some = select_samples(
        dataset_, resampled(options_.resample, n_samples(dataset_.matrix), repeat, run.seed));
    try {
      const MethodResult found = reduce(some, method_, run);
      return outcome_of(found.reduction, whole_, n_features(dataset_.matrix));
    } catch (const Error& error) {
      if (error.code() != ErrorCode::degenerate_data) throw;
      throw Error(error.code(),
                  fmt::format("repeat {} sees {} of the samples, and there: {}", repeat + 1,
                              n_samples(some.matrix), error.fault()),
                  error.where(), error.hint());
    }
  }

  const Dataset& dataset_;
  const StabilityOptions& options_;
  MethodOptions method_;
  const Reduction& whole_;
  const StabilityCheckpoint& checkpoint_;
  std::vector<std::optional<StabilityRepeat>> outcomes_;
  std::mutex mutex_;
};

/// A rule that all samples are enough for, and those of a repeat are not.
std::vector<Note> notes_on(const MethodOptions& method, const StabilityResult& result) {
  const LevelOptions* level = level_of(method.grouping);
  const bool judges =
      level != nullptr && (level->rule() == LevelRule::automatic || result.method.shared.looked_at);
  if (!judges || result.n_seen >= kFewestSamplesToJudge ||
      result.n_samples < kFewestSamplesToJudge) {
    return {};
  }
  return {{Note::About::values,
           fmt::format("a repeat sees {} samples, too few (below {}) to judge levels and to tell "
                       "which features share something: it may keep more than all samples do for "
                       "that reason alone",
                       result.n_seen, kFewestSamplesToJudge),
           {"resample", "{resample=bootstrap} sees as many as there are"}}};
}

}  // namespace

void check(const StabilityOptions& options, const MethodOptions& method) {
  check_fields(options);
  check(method);
  if (options.resample == Resample::halves && options.repeats % 2 != 0) {
    throw Error(ErrorCode::invalid_option,
                fmt::format("{} repeats are no pairs of halves", options.repeats), "",
                {"repeats", "give an even number of {repeats}, or {resample=bootstrap}"});
  }
  if (options.same_number && level_of(method.grouping) == nullptr) {
    throw Error(ErrorCode::invalid_option,
                fmt::format("{} cannot keep a given number of features: compact and cover can",
                            choice_name(kind_of(method.grouping))),
                "", {"same_number", "leave out {same_number}"});
  }
}

StabilityResult stability(const Dataset& dataset, const StabilityOptions& options,
                          const MethodOptions& method, const RunContext& run,
                          const StabilityCheckpoint& checkpoint) {
  check(options, method);
  StabilityResult result;
  result.n_samples = n_samples(dataset.matrix);
  if (result.n_samples < kFewestSamplesToResample) {
    throw Error(ErrorCode::degenerate_data,
                fmt::format("{} samples are too few to leave some of them out: it takes at least "
                            "{}",
                            result.n_samples, kFewestSamplesToResample),
                dataset.source);
  }
  result.n_seen = options.resample == Resample::halves ? result.n_samples / 2 : result.n_samples;
  result.method = reduce(dataset, method, run);
  result.seconds = result.method.seconds;
  result.notes = notes_on(method, result);
  detail::Stopwatch watch(result.seconds);
  Repeats repeats(dataset, options, method, result.method, checkpoint);
  repeats.run(run);
  detail::tally(repeats.take(), options, result);
  watch.stage_done("repeats");
  return result;
}

}  // namespace sfg
