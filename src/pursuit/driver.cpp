// Represents every target: hands targets to the workers, asks the scorer for products,
// lets each target take its step, and gathers the results in the order of the targets.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "core/bad_value.hpp"
#include "core/threads.hpp"
#include "normalise/fewer_samples.hpp"
#include "pursuit/checkpoint/blocks.hpp"
#include "pursuit/checkpoint/shared_work.hpp"
#include "pursuit/engines/engine_form.hpp"
#include "pursuit/omp/stepper.hpp"
#include "pursuit/omp/target_pursuit.hpp"
#include "pursuit/plan.hpp"
#include "sfg/checkpoint.hpp"
#include "sfg/error.hpp"
#include "sfg/pursuit.hpp"

namespace sfg {

namespace {

using namespace detail;

/// What one worker needs for the targets it has under way, and what it has found.
template <typename Space>
struct Workspace {
  std::vector<TargetPursuit<Space>> pursuits;
  std::vector<TargetPursuit<Space>*> active;
  std::vector<TargetPursuit<Space>*> idle;
  std::vector<Index> atoms;          ///< of all finished targets, one after the other
  std::vector<double> coefficients;  ///< likewise
  std::vector<double> solution;
};

/// The outcome for one target, and where its worker keeps the atoms.
struct TargetResult {
  Offset start = 0;
  int n_atoms = 0;
  int worker = 0;
  double residual = 1;
  PursuitStatus status = PursuitStatus::no_direction;
};

/// What the workers found, in the order of the targets.
template <typename Space>
Representations gather(const std::vector<TargetResult>& results,
                       const std::vector<Workspace<Space>>& workspaces, Engine engine) {
  Representations all;
  all.engine = engine;
  std::size_t n_atoms = 0;
  for (const auto& work : workspaces) n_atoms += work.atoms.size();
  all.atoms.reserve(n_atoms);
  all.coefficients.reserve(n_atoms);
  for (const TargetResult& result : results) {
    const auto& work = workspaces[result.worker];
    const auto append = [&](const auto& from, auto& to) {
      to.insert(to.end(), from.begin() + result.start,
                from.begin() + result.start + result.n_atoms);
    };
    append(work.atoms, all.atoms);
    append(work.coefficients, all.coefficients);
    all.starts.push_back(static_cast<Offset>(all.atoms.size()));
    all.residual.push_back(result.residual);
    all.status.push_back(result.status);
  }
  return all;
}

/// Fills a worker's places with new targets; those that end with their first step leave at once.
template <typename Space>
void start_targets(const PursuitProblem& problem, Stepper<Space>& stepper, ItemSource& items,
                   int worker, Workspace<Space>& work,
                   const std::function<void(const TargetPursuit<Space>&)>& keep) {
  while (!work.idle.empty()) {
    const std::int64_t item = items.next();
    if (item < 0) return;
    const Index target = problem.target(item);
    auto& pursuit = *work.idle.back();
    pursuit.start(target, problem.own_targets() ? target : -1);
    if (!pursuit.finished()) stepper.begin(pursuit, worker);
    if (pursuit.finished()) {
      keep(pursuit);
      items.done();
    } else {
      work.idle.pop_back();
      work.active.push_back(&pursuit);
    }
  }
}

/// Every worker keeps as many targets under way as the plan says. A target that is finished makes
/// room for the next, so that the products of a step always serve many.
template <typename Space>
Representations pursue_all(const PursuitProblem& problem, const Duplicates& duplicates,
                           const PursuitPlan& plan, Stepper<Space>& stepper,
                           const RunContext& run) {
  const bool is_shared = problem.shared != nullptr;
  std::vector<TargetResult> results(is_shared ? 0 : static_cast<std::size_t>(problem.n_targets()));
  std::vector<Workspace<Space>> workspaces(static_cast<std::size_t>(worker_count(run)));
  const auto work_on = [&](ItemSource& items, int worker) {
    auto& work = workspaces[worker];
    work.pursuits.reserve(static_cast<std::size_t>(plan.block));
    for (Index b = 0; b < plan.block; ++b) {
      work.pursuits.emplace_back(Space(problem.dictionary, problem.targets), problem.targets.kind,
                                 duplicates, problem.options);
      work.idle.push_back(&work.pursuits.back());
    }
    const auto keep = [&](const TargetPursuit<Space>& pursuit) {
      TargetResult result;
      result.worker = worker;
      result.start = static_cast<Offset>(work.atoms.size());
      result.n_atoms = static_cast<int>(pursuit.atoms().size());
      result.status = pursuit.status();
      result.residual = pursuit.residual_square();
      pursuit.fit().coefficients(work.solution);
      if (problem.keeper != nullptr) {
        problem.keeper->add(
            {pursuit.target(), result.status, result.residual, pursuit.atoms(), work.solution},
            worker);
      }
      if (is_shared) return;
      results[problem.item(pursuit.target())] = result;
      work.atoms.insert(work.atoms.end(), pursuit.atoms().begin(), pursuit.atoms().end());
      work.coefficients.insert(work.coefficients.end(), work.solution.begin(), work.solution.end());
    };
    for (;;) {
      start_targets<Space>(problem, stepper, items, worker, work, keep);
      if (work.active.empty()) break;
      stepper.step(work.active, worker);
      std::erase_if(work.active, [&](auto* pursuit) {
        if (!pursuit->finished()) return false;
        keep(*pursuit);
        items.done();
        work.idle.push_back(pursuit);
        return true;
      });
    }
    if (problem.keeper != nullptr) problem.keeper->hand_over(worker);
  };
  if (is_shared) {
    ClaimedItems items(*problem.shared, SharedWork::Stage::pursuit, problem.n_targets(), run);
    parallel_workers(run, items, problem.n_targets(), work_on);
  } else {
    parallel_workers(run, "pursuit", problem.n_targets(), work_on);
  }
  return gather(results, workspaces, plan.engine);
}

/// A few targets on one thread, to learn from.
Representations try_out(const PursuitProblem& problem, const Duplicates& duplicates,
                        const PursuitPlan& plan, CandidateScreen& screen, const RunContext& run) {
  RunContext alone = run;
  alone.threads = 1;
  alone.progress = nullptr;
  PursuitProblem few{problem.targets, problem.dictionary, problem.options, trial_sample(problem)};
  PursuitPlan small = plan;
  small.block = few.n_targets();
  ScreenStepper stepper(screen, nullptr, duplicates, 1);
  Representations found = pursue_all(few, duplicates, small, stepper, alone);
  found.candidates_per_step = stepper.candidates_per_step();
  return found;
}

/// OMP on the data: candidates from a screen, the first ones from products that serve two targets.
Representations pursue_screened(const PursuitProblem& problem, const Duplicates& duplicates,
                                const PursuitPlan& plan, CandidateScreen& screen,
                                const RunContext& run) {
  // For a few targets products that serve two do not pay. Processes can only share them if their
  // screens are the same.
  const bool symmetric =
      problem.own_targets() && problem.most_targets() &&
      (problem.shared == nullptr || problem.shared->agree_on(screen.kernel().name));
  FirstCandidates first;
  if (symmetric) {
    first = first_candidates(problem.dictionary, duplicates, screen.store(), screen.kernel(), run,
                             problem.shared);
  }
  ScreenStepper stepper(screen, symmetric ? &first : nullptr, duplicates, worker_count(run));
  Representations found = pursue_all(problem, duplicates, plan, stepper, run);
  found.screen = screen.kernel().name;
  found.candidates_per_step = stepper.candidates_per_step();
  return found;
}

/// By all products with each residual.
template <typename Space, typename Value>
Representations pursue_by_products(const PursuitProblem& problem, const Duplicates& duplicates,
                                   const PursuitPlan& plan, std::unique_ptr<Scorer<Value>> scorer,
                                   const RunContext& run) {
  ProductStepper<Space, Value> stepper(std::move(scorer), problem.dictionary.n_features(),
                                       worker_count(run));
  return pursue_all(problem, duplicates, plan, stepper, run);
}

Representations pursue_by_gram(const PursuitProblem& problem, const Duplicates& duplicates,
                               PursuitPlan plan, const RunContext& run) {
  plan.engine = Engine::gram;
  plan.block = 1;
  return pursue_by_products<DenseSpace>(problem, duplicates, plan,
                                        make_gram_scorer(problem.dictionary, run), run);
}

/// Screens in the precision of the plan. If that is not prescribed, a trial may turn to another
/// one, or to the Gram matrix.
Representations pursue_by_screen(const PursuitProblem& problem, const Duplicates& duplicates,
                                 const PursuitPlan& plan, const RunContext& run) {
  const auto make = [&](Screen precision) {
    return std::make_unique<CandidateScreen>(problem.dictionary, duplicates,
                                             fastest_tile_kernel(precision), run);
  };
  auto screen = make(plan.screen);
  if ((!plan.other_screens.empty() || plan.gram_fits) && !trial_sample(problem).empty()) {
    const Representations trial = try_out(problem, duplicates, plan, *screen, run);
    if (plan.gram_fits && problem.most_targets() &&
        gram_pays(trial, problem.dictionary.n_samples())) {
      screen.reset();
      return pursue_by_gram(problem, duplicates, plan, run);
    }
    const Screen better = screen_after_trial(trial, plan, problem.dictionary.n_features());
    if (better != plan.screen) {
      screen.reset();
      screen = make(better);
    }
  }
  return pursue_screened(problem, duplicates, plan, *screen, run);
}

Representations pursue_dense(const PursuitProblem& problem, const Duplicates& duplicates,
                             const PursuitPlan& plan, const RunContext& run) {
  if (plan.engine == Engine::gram) return pursue_by_gram(problem, duplicates, plan, run);
  if (problem.options.method == PursuitMethod::omp) {
    return pursue_by_screen(problem, duplicates, plan, run);
  }
  if (plan.gram_fits) return pursue_by_gram(problem, duplicates, plan, run);
  const TileKernel kernel = fastest_tile_kernel(plan.screen);
  Representations found = pursue_by_products<DenseSpace>(
      problem, duplicates, plan, make_screen_scorer(problem.dictionary, duplicates, kernel, run),
      run);
  found.screen = kernel.name;
  return found;
}

Representations pursue_with_plan(const PursuitProblem& problem, const PursuitPlan& plan,
                                 const RunContext& run) {
  UnitFeatures converted_dictionary;
  UnitFeatures converted_targets;
  const UnitFeatures& dictionary =
      in_engine_form(problem.dictionary, plan.engine, converted_dictionary);
  const UnitFeatures& targets =
      problem.own_targets() ? dictionary
                            : in_engine_form(problem.targets, plan.engine, converted_targets);
  const PursuitProblem converted{targets,      dictionary,     problem.options, problem.sample,
                                 problem.part, problem.keeper, problem.shared};
  const Duplicates duplicates = find_duplicates(dictionary, run);
  if (plan.engine != Engine::sparse) return pursue_dense(converted, duplicates, plan, run);
  return pursue_by_products<SparseSpace>(converted, duplicates, plan,
                                         make_sparse_scorer(dictionary, duplicates, run), run);
}

Representations plan_and_pursue(const PursuitProblem& problem, const RunContext& run) {
  return pursue_with_plan(problem, plan_pursuit(problem, run), run);
}

/// Targets under way in one of many workers: at most a quarter of its share, so that none is left
/// without, but as many as the kernels take at once.
Index shared_block(Index n_targets, const RunContext& run, const SharedWork& shared) {
  constexpr std::int64_t kFewest = 12;
  const std::int64_t n_workers = std::int64_t{worker_count(run)} * shared.n_processes();
  return static_cast<Index>(std::max(kFewest, n_targets / (4 * n_workers)));
}

/// Goes on with what the checkpoint has. What a pursuit that is cut off has finished is kept.
Representations go_on(PursuitProblem problem, const RunContext& run,
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
    return known.merged_with(pursue_with_plan(problem, plan, run_with_known));
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
  if (!(options.epsilon > 0 && options.epsilon < 1)) {
    throw bad_value("epsilon", fmt::format("must be between 0 and 1, not {}", options.epsilon));
  }
  if (options.max_atoms < 1) {
    throw bad_value("max_atoms", fmt::format("must be at least 1, not {}", options.max_atoms));
  }
}

Representations detail::pursue_sample(const PursuitProblem& problem, const RunContext& run) {
  PursuitPlan plan = plan_pursuit(problem, run);
  plan.gram_fits = false;
  return pursue_with_plan(problem, plan, run);
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
    return pursue_with_plan(problem, plan, run);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::interrupted) keeper.hand_over_all();
    throw;
  }
}

Representations pursue(const UnitFeatures& features, const PursuitOptions& options,
                       const RunContext& run) {
  check(options);
  if (fewer_samples_pay(features, options)) {
    return pursue(fewer_samples(features, run), options, while_holding(features.matrix, run));
  }
  return plan_and_pursue({features, features, options}, run);
}

Representations pursue(const UnitFeatures& features, const PursuitOptions& options,
                       const RunContext& run, const PursuitCheckpoint& checkpoint) {
  if (!checkpoint.find && !checkpoint.keep) return pursue(features, options, run);
  check(options);
  if (fewer_samples_pay(features, options)) {
    const UnitFeatures fewer = fewer_samples(features, run);
    return go_on({fewer, fewer, options}, while_holding(features.matrix, run), checkpoint);
  }
  return go_on({features, features, options}, run, checkpoint);
}

Representations pursue(const UnitFeatures& targets, const UnitFeatures& dictionary,
                       const PursuitOptions& options, const RunContext& run) {
  check(options);
  return plan_and_pursue({targets, dictionary, options}, run);
}

}  // namespace sfg
