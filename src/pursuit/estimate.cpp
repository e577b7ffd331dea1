// What a pursuit will cost, from the sizes and a few sampled targets.
#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "core/threads.hpp"
#include "normalise/fewer_samples.hpp"
#include "pursuit/engines/engine_form.hpp"
#include "pursuit/plan.hpp"
#include "sfg/pursuit.hpp"

namespace sfg {

namespace {

/// Targets of the smaller and of the larger sample, for each worker: their difference is free of
/// what a run costs before its first target and after its last, when places stay empty.
constexpr Index kFew = 200;
constexpr Index kMany = 500;

/// A sample of targets that were represented, and how long that took.
struct Timed {
  double seconds = 0;
  std::vector<Index> targets;
  Representations found;

  [[nodiscard]] double mean_atoms() const {
    return static_cast<double>(found.atoms.size()) / std::max<Index>(1, found.n_targets());
  }
  /// Columns of the Gram matrix that a target reads: the mean of t (t + 3) / 2.
  [[nodiscard]] double mean_columns() const {
    double columns = 0;
    for (Index target = 0; target < found.n_targets(); ++target) {
      const auto t = static_cast<double>(found.atoms_of(target).size());
      columns += t * (t + 3) / 2;
    }
    return columns / std::max<Index>(1, found.n_targets());
  }
};

/// What there is to represent, and how.
struct Work {
  const UnitFeatures& features;
  PursuitOptions options;
  const EarlyEnd* early;

  [[nodiscard]] detail::PursuitProblem problem(std::vector<Index> targets = {}) const {
    detail::PursuitProblem made{features, features, options, std::move(targets)};
    made.early = early;
    return made;
  }
};

Timed time_sample(const Work& work, std::vector<Index> targets, const RunContext& run) {
  Timed timed;
  timed.targets = std::move(targets);
  const detail::PursuitProblem problem = work.problem(timed.targets);
  const auto start = std::chrono::steady_clock::now();
  timed.found = detail::pursue_sample(problem, run);
  timed.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return timed;
}

/// Scattering a residual takes as many products as there are entries in its rows: those of the
/// target and of the atoms so far.
double sparse_multiply_adds(const UnitFeatures& features, const Timed& sample) {
  UnitFeatures converted;
  const auto& matrix =
      std::get<SparseMatrix>(detail::in_engine_form(features, Engine::sparse, converted).matrix);
  const auto n = static_cast<std::size_t>(matrix.n_samples);
  std::vector<double> row_size(n, 0.0);
  for (const Index row : matrix.rows) row_size[row] += 1;
  std::vector<std::size_t> seen_by(n, 0);
  double total = 0;
  for (std::size_t item = 0; item < sample.targets.size(); ++item) {
    double entries = 0;  // in the rows so far
    const auto add_rows_of = [&](Index feature) {
      for (const Index row : matrix.column_rows(feature)) {
        auto& seen = seen_by[row];
        if (std::exchange(seen, item + 1) <= item) entries += row_size[row];
      }
    };
    add_rows_of(sample.targets[item]);
    for (const Index atom : sample.found.atoms_of(static_cast<Index>(item))) {
      total += entries;
      add_rows_of(atom);
    }
  }
  return total * features.n_features() / std::max(1.0, static_cast<double>(sample.targets.size()));
}

/// Products of numbers that all targets take, from those of the sample.
double multiply_adds(const UnitFeatures& features, Engine engine, double passes,
                     const Timed& sample) {
  const double d = features.n_features();
  const double n = features.n_samples();
  switch (engine) {
    case Engine::sparse:
      return sparse_multiply_adds(features, sample);
    case Engine::gram:  // one triangle, then 2, 3, ... t + 1 columns
      return d * d * (n / 2 + sample.mean_columns());
    case Engine::stream:
    case Engine::automatic:
      break;
  }
  return passes * d * d * n;
}

/// What a sampled target costs, and all of them together once.
struct Rates {
  double each = 0;   ///< seconds per target, all workers at work
  double fixed = 0;  ///< seconds before the first target and after the last
};

/// From two samples of different sizes; where the clock is too coarse for their difference, from
/// the larger one.
Rates rates_of(const Timed& few, const Timed& many) {
  constexpr double kTrusted = 0.2;
  const double n_few = few.found.n_targets();
  const double n_many = many.found.n_targets();
  const double at_most = many.seconds / std::max(1.0, n_many);
  const double difference = (many.seconds - few.seconds) / std::max(1.0, n_many - n_few);
  if (difference < kTrusted * at_most || difference > at_most) return {at_most, 0};
  return {difference, many.seconds - difference * n_many};
}

/// The options with the engine and the screen that a run would settle on after its trial. `trial`
/// becomes the number of targets that this takes.
PursuitOptions settled(const Work& work, const PursuitPlan& plan, const RunContext& run,
                       std::size_t& trial) {
  PursuitOptions options = work.options;
  options.engine = plan.engine;
  if (plan.engine != Engine::stream) return options;
  if (options.method == PursuitMethod::ols) {
    if (plan.gram_fits) options.engine = Engine::gram;
    return options;
  }
  options.screen = plan.screen;
  std::vector<Index> targets = detail::trial_sample(work.problem());
  if (targets.empty() || (plan.other_screens.empty() && !plan.gram_fits)) return options;
  trial = targets.size();
  Work as_planned = work;
  as_planned.options = options;
  const Timed tried = time_sample(as_planned, std::move(targets), run);
  const PursuitPlan better = detail::plan_after_trial(work.problem(), plan, tried.found);
  options.engine = better.engine;
  if (better.engine == Engine::gram) {
    options.screen = work.options.screen;
  } else {
    options.screen = better.screen;
  }
  return options;
}

}  // namespace

PursuitEstimate detail::estimate_pursuit(const UnitFeatures& features,
                                         const PursuitOptions& options, const RunContext& run,
                                         const EarlyEnd& early) {
  check(options);
  if (options.engine != Engine::sparse && fewer_samples_pay(features)) {
    return estimate_pursuit(fewer_samples(features, run), options,
                            while_holding(features.matrix, run), early);
  }
  RunContext quiet = run;
  quiet.progress = nullptr;
  Work work{features, options, early.doubtful.empty() ? nullptr : &early};
  const PursuitPlan first_plan = plan_pursuit(work.problem(), run);
  std::size_t n_trial = 0;
  work.options = settled(work, first_plan, quiet, n_trial);
  PursuitEstimate estimate;
  estimate.plan = plan_pursuit(work.problem(), run);

  // The stream engine stands in for the Gram matrix, which would have to be made first.
  Work sampled = work;
  if (estimate.plan.engine == Engine::gram) {
    sampled.options.engine = Engine::stream;
    sampled.options.screen = first_plan.screen;
  }
  const Index workers = worker_count(run);
  const Index d = features.n_features();
  const Timed few = time_sample(sampled, evenly_spaced(kFew * workers, d), quiet);
  const Timed many = time_sample(sampled, evenly_spaced(kMany * workers, d), quiet);
  estimate.mean_atoms = many.mean_atoms();
  estimate.candidates_per_step = many.found.candidates_per_step;

  // In the whole run the first products serve two targets each; in a sample they do not.
  const bool screened =
      sampled.options.engine == Engine::stream && options.method == PursuitMethod::omp;
  const double atoms = std::max(1.0, estimate.mean_atoms);
  const double passes = std::max(0.5, atoms - (screened ? 0.5 : 0.0));
  const Rates rates = rates_of(few, many);
  double each = rates.each * passes / atoms;
  if (estimate.plan.engine == Engine::gram && screened) {
    const EngineCosts costs = engine_costs(many.found, first_plan.screen, features.n_samples());
    each *= costs.gram / costs.stream;
  }
  // A trial has one worker.
  const double trial = static_cast<double>(n_trial) * workers * rates.each;
  estimate.seconds = rates.fixed + each * d + trial;
  estimate.multiply_adds = multiply_adds(features, estimate.plan.engine, passes, many);
  return estimate;
}

PursuitEstimate estimate_pursuit(const UnitFeatures& features, const PursuitOptions& options,
                                 const RunContext& run) {
  return detail::estimate_pursuit(features, options, run, EarlyEnd{});
}

}  // namespace sfg
