// Check, plan, choose the engine, run the targets, gather. What happens to one target is in
// pursuit/omp/step.hpp, how its candidates are found in pursuit/engines/candidate_finder.hpp.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "core/threads.hpp"
#include "normalise/fewer_samples.hpp"
#include "pursuit/checkpoint/blocks.hpp"
#include "pursuit/checkpoint/shared_work.hpp"
#include "pursuit/engines/candidate_finder.hpp"
#include "pursuit/engines/engine_form.hpp"
#include "pursuit/engines/stream/tile.hpp"
#include "pursuit/omp/duplicates.hpp"
#include "pursuit/plan.hpp"
#include "pursuit/run_targets.hpp"
#include "sfg/checkpoint.hpp"
#include "sfg/error.hpp"
#include "sfg/pursuit.hpp"

namespace sfg {

namespace {

using namespace detail;

/// The stream engine lists candidates of OMP without making all products.
bool screens(const PursuitPlan& plan, const PursuitOptions& options) {
  return plan.engine == Engine::stream && options.method == PursuitMethod::omp;
}

std::unique_ptr<CandidateFinder> make_finder(const PursuitProblem& problem,
                                             const Duplicates& duplicates, const PursuitPlan& plan,
                                             const RunContext& run) {
  const UnitFeatures& dictionary = problem.dictionary;
  if (plan.engine == Engine::gram) return make_gram_finder(dictionary, run);
  if (plan.engine == Engine::sparse) return make_sparse_finder(dictionary, duplicates, run);
  const TileKernel kernel = fastest_tile_kernel(plan.screen);
  return screens(plan, problem.options)
             ? make_stream_finder(dictionary, duplicates, kernel, run)
             : make_tile_product_finder(dictionary, duplicates, kernel, run);
}

/// A few targets on one thread, to learn from.
Representations try_out(const PursuitProblem& problem, const Duplicates& duplicates,
                        const PursuitPlan& plan, CandidateFinder& finder, const RunContext& run) {
  RunContext alone = run;
  alone.threads = 1;
  alone.progress = nullptr;
  PursuitProblem few{problem.targets, problem.dictionary, problem.options, trial_sample(problem)};
  few.early = problem.early;
  PursuitPlan small = plan;
  small.block = few.n_targets();
  return run_targets(few, duplicates, small, finder, alone);
}

/// The engine that will do the work, and what finds its candidates.
struct ChosenEngine {
  PursuitPlan plan;
  std::unique_ptr<CandidateFinder> finder;
};

/// As planned. Where the plan leaves a choice, a trial may turn to another precision of the screen
/// or to the Gram matrix.
ChosenEngine choose_engine(const PursuitProblem& problem, const Duplicates& duplicates,
                           PursuitPlan plan, const RunContext& run) {
  const bool is_screened = screens(plan, problem.options);
  // OLS needs all products in every step: those of the Gram matrix cost least.
  if (!is_screened && plan.gram_fits) plan = with_gram(plan);
  auto finder = make_finder(problem, duplicates, plan, run);
  const bool has_choice = is_screened && (!plan.other_screens.empty() || plan.gram_fits);
  if (has_choice && !trial_sample(problem).empty()) {
    const Representations trial = try_out(problem, duplicates, plan, *finder, run);
    const PursuitPlan better = plan_after_trial(problem, plan, trial);
    if (better.engine != plan.engine || better.screen != plan.screen) {
      finder.reset();
      finder = make_finder(problem, duplicates, better, run);
    }
    plan = better;
  }
  return {std::move(plan), std::move(finder)};
}

Representations run_plan(const PursuitProblem& problem, const PursuitPlan& plan,
                         const RunContext& run) {
  UnitFeatures converted_dictionary;
  UnitFeatures converted_targets;
  const UnitFeatures& dictionary =
      in_engine_form(problem.dictionary, plan.engine, converted_dictionary);
  const UnitFeatures& targets =
      problem.own_targets() ? dictionary
                            : in_engine_form(problem.targets, plan.engine, converted_targets);
  const PursuitProblem converted{targets,      dictionary,     problem.options, problem.sample,
                                 problem.part, problem.keeper, problem.shared,  problem.early};
  const Duplicates duplicates = find_duplicates(dictionary, run);
  const ChosenEngine chosen = choose_engine(converted, duplicates, plan, run);
  if (converted.own_targets() && converted.most_targets()) {
    chosen.finder->prepare_first_atoms(run, converted.shared);
  }
  Representations found = run_targets(converted, duplicates, chosen.plan, *chosen.finder, run);
  found.engine = chosen.plan.engine;
  if (const std::string kernel = chosen.finder->kernel_name(); !kernel.empty()) {
    found.screen = kernel;
  }
  if (!screens(chosen.plan, problem.options)) found.candidates_per_step = 0;
  return found;
}

/// Targets under way in one of many workers: at most a quarter of its share, so that none is left
/// without, but as many as the kernels take at once.
Index shared_block(Index n_targets, const RunContext& run, const SharedWork& shared) {
  constexpr std::int64_t kFewest = 12;
  const std::int64_t n_workers = std::int64_t{worker_count(run)} * shared.n_processes();
  return static_cast<Index>(std::max(kFewest, n_targets / (4 * n_workers)));
}

/// Goes on with what the checkpoint has. What a pursuit that is cut off has finished is kept.
Representations run_with_checkpoint(PursuitProblem problem, const RunContext& run,
                                    const PursuitCheckpoint& checkpoint) {
  const PursuitPlan plan = plan_pursuit(problem, run);
  const PursuitKey key = key_of(problem, plan, run);
  const KnownTargets known(checkpoint.find ? checkpoint.find(key) : std::vector<TargetBlock>(),
                           key);
  if (!known.empty()) {
    problem.sample = known.left();
    problem.part = PursuitProblem::Part::rest;
    if (problem.sample.empty()) {
      Representations nothing_found;
      nothing_found.engine = plan.engine;
      return known.merged_with(std::move(nothing_found));
    }
  }
  BlockKeeper keeper(key, checkpoint, worker_count(run));
  if (checkpoint.keep) problem.keeper = &keeper;
  RunContext run_with_known = run;
  run_with_known.memory_held += known.bytes();
  try {
    return known.merged_with(run_plan(problem, plan, run_with_known));
  } catch (const Error& error) {
    if (error.code() == ErrorCode::interrupted && checkpoint.keep) keeper.hand_over_all();
    throw;
  }
}

}  // namespace

std::span<const Index> Representations::atoms_of(Index target) const noexcept {
  const auto i = static_cast<std::size_t>(target);
  return {atoms.data() + starts[i], static_cast<std::size_t>(starts[i + 1] - starts[i])};
}

std::span<const double> Representations::coefficients_of(Index target) const noexcept {
  const auto i = static_cast<std::size_t>(target);
  return {coefficients.data() + starts[i], static_cast<std::size_t>(starts[i + 1] - starts[i])};
}

void check(const PursuitOptions& options) {
  check_fields(options);
}

Representations detail::pursue_sample(const PursuitProblem& problem, const RunContext& run) {
  PursuitPlan plan = plan_pursuit(problem, run);
  plan.gram_fits = false;
  return run_plan(problem, plan, run);
}

Representations detail::pursue_together(const UnitFeatures& features, const PursuitOptions& options,
                                        std::vector<Index> left, const RunContext& run,
                                        SharedWork& shared) {
  PursuitCheckpoint others;
  others.keep = [&](const PursuitKey&, const TargetBlock& block) { shared.keep(block); };
  const PursuitKey key;
  BlockKeeper keeper(key, others, worker_count(run));
  const PursuitProblem problem{
      features, features, options, std::move(left), PursuitProblem::Part::rest, &keeper, &shared};
  PursuitPlan plan = plan_pursuit(problem, run);
  plan.gram_fits = false;  // every process would make all of it
  plan.block = std::min(plan.block, shared_block(problem.n_targets(), run, shared));
  try {
    return run_plan(problem, plan, run);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::interrupted) keeper.hand_over_all();
    throw;
  }
}

Representations pursue(const UnitFeatures& features, const PursuitOptions& options,
                       const RunContext& run) {
  return pursue(features, options, run, PursuitCheckpoint{});
}

Representations pursue(const UnitFeatures& features, const PursuitOptions& options,
                       const RunContext& run, const PursuitCheckpoint& checkpoint,
                       const EarlyEnd& early) {
  check(options);
  const auto run_problem = [&](const UnitFeatures& all, const RunContext& context) {
    PursuitProblem problem{all, all, options};
    if (!early.doubtful.empty()) problem.early = &early;
    if (checkpoint.find || checkpoint.keep) {
      return run_with_checkpoint(std::move(problem), context, checkpoint);
    }
    return run_plan(problem, plan_pursuit(problem, context), context);
  };
  if (options.engine != Engine::sparse && fewer_samples_pay(features)) {
    return run_problem(fewer_samples(features, run), while_holding(features.matrix, run));
  }
  return run_problem(features, run);
}

Representations pursue_some(const UnitFeatures& features, const std::vector<Index>& targets,
                            const PursuitOptions& options, const RunContext& run) {
  check(options);
  if (targets.empty()) return {};
  return pursue_sample({features, features, options, targets}, run);
}

Representations pursue_some(const UnitFeatures& features, const std::vector<Index>& targets,
                            const UnitFeatures& dictionary, const PursuitOptions& options,
                            const RunContext& run) {
  check(options);
  if (targets.empty()) return {};
  const PursuitProblem problem{features, dictionary, options, targets, PursuitProblem::Part::rest};
  return run_plan(problem, plan_pursuit(problem, run), run);
}

Representations pursue(const UnitFeatures& targets, const UnitFeatures& dictionary,
                       const PursuitOptions& options, const RunContext& run,
                       const EarlyEnd& early) {
  check(options);
  PursuitProblem problem{targets, dictionary, options};
  if (!early.doubtful.empty()) problem.early = &early;
  return run_plan(problem, plan_pursuit(problem, run), run);
}

}  // namespace sfg
