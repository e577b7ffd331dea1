#include "pursuit/run_targets.hpp"

#include <span>
#include <variant>
#include <vector>

#include "core/threads.hpp"
#include "pursuit/checkpoint/blocks.hpp"
#include "pursuit/checkpoint/shared_work.hpp"
#include "pursuit/omp/step.hpp"
#include "pursuit/omp/target_pursuit.hpp"

namespace sfg::detail {

namespace {

/// The outcome for one target, and where its worker keeps the atoms.
struct TargetResult {
  Offset start = 0;
  int n_atoms = 0;
  int worker = 0;
  double residual = 1;
  PursuitStatus status = PursuitStatus::no_direction;
};

/// The targets that one worker has under way, and the atoms of those it has finished.
template <typename Space>
struct Workspace {
  std::vector<TargetPursuit<Space>> pursuits;
  std::vector<TargetPursuit<Space>*> active;
  std::vector<TargetPursuit<Space>*> idle;
  StepWork step;
  std::vector<Index> atoms;          ///< of all finished targets, one after the other
  std::vector<double> coefficients;  ///< likewise
  std::vector<double> solution;
};

template <typename Space>
class TargetRun {
 public:
  TargetRun(const PursuitProblem& problem, const Duplicates& duplicates, const PursuitPlan& plan,
            CandidateFinder& finder, const RunContext& run)
      : problem_(problem),
        duplicates_(duplicates),
        plan_(plan),
        finder_(finder),
        run_(run),
        results_(is_shared() ? 0 : static_cast<std::size_t>(problem.n_targets())),
        workspaces_(static_cast<std::size_t>(worker_count(run))) {}

  Representations run() {
    const auto work_on = [this](ItemSource& items, int worker) { work(items, worker); };
    if (is_shared()) {
      ClaimedItems items(*problem_.shared, SharedWork::Stage::pursuit, problem_.n_targets(), run_);
      parallel_workers(run_, items, problem_.n_targets(), work_on);
    } else {
      parallel_workers(run_, "pursuit", problem_.n_targets(), work_on);
    }
    return gather();
  }

 private:
  using Target = TargetPursuit<Space>;

  /// Other processes take part: finished targets go to the keeper, and stay nowhere else.
  [[nodiscard]] bool is_shared() const noexcept { return problem_.shared != nullptr; }

  void work(ItemSource& items, int worker) {
    Workspace<Space>& work = workspaces_[worker];
    work.pursuits.reserve(static_cast<std::size_t>(plan_.block));
    for (Index b = 0; b < plan_.block; ++b) {
      work.pursuits.emplace_back(Space(problem_.dictionary, problem_.targets),
                                 problem_.targets.kind, duplicates_, problem_.options,
                                 problem_.early);
      work.idle.push_back(&work.pursuits.back());
    }
    for (;;) {
      start_targets(items, worker, work);
      if (work.active.empty()) break;
      take_step<Space>(work.active, finder_, worker, work.step);
      std::erase_if(work.active, [&](Target* target) {
        if (!target->finished()) return false;
        keep(*target, worker, work);
        items.done();
        work.idle.push_back(target);
        return true;
      });
    }
    if (problem_.keeper != nullptr) problem_.keeper->hand_over(worker);
  }

  /// Fills the worker's places with new targets; those that end at once leave at once.
  void start_targets(ItemSource& items, int worker, Workspace<Space>& work) {
    while (!work.idle.empty()) {
      const std::int64_t item = items.next();
      if (item < 0) return;
      const Index number = problem_.target(item);
      Target* target = work.idle.back();
      target->start(number, problem_.own_targets() ? number : -1);
      if (!target->finished() && finder_.knows_first_atoms()) {
        take_step<Space>(std::span(&target, 1), finder_, worker, work.step);
      }
      if (target->finished()) {
        keep(*target, worker, work);
        items.done();
      } else {
        work.idle.pop_back();
        work.active.push_back(target);
      }
    }
  }

  void keep(const Target& target, int worker, Workspace<Space>& work) {
    TargetResult result;
    result.worker = worker;
    result.start = static_cast<Offset>(work.atoms.size());
    result.n_atoms = static_cast<int>(target.atoms().size());
    result.status = target.status();
    result.residual = target.residual_square();
    target.fit().coefficients(work.solution);
    if (problem_.keeper != nullptr) {
      problem_.keeper->add(
          {target.target(), result.status, result.residual, target.atoms(), work.solution}, worker);
    }
    if (is_shared()) return;
    results_[problem_.item(target.target())] = result;
    work.atoms.insert(work.atoms.end(), target.atoms().begin(), target.atoms().end());
    work.coefficients.insert(work.coefficients.end(), work.solution.begin(), work.solution.end());
  }

  /// What the workers found, in the order of the targets.
  [[nodiscard]] Representations gather() const {
    Representations all;
    std::size_t n_atoms = 0;
    double n_candidates = 0;
    double n_steps = 0;
    for (const auto& work : workspaces_) {
      n_atoms += work.atoms.size();
      n_candidates += work.step.n_candidates;
      n_steps += work.step.n_steps;
    }
    if (n_steps > 0) all.candidates_per_step = n_candidates / n_steps;
    all.atoms.reserve(n_atoms);
    all.coefficients.reserve(n_atoms);
    for (const TargetResult& result : results_) {
      const auto& work = workspaces_[result.worker];
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

  const PursuitProblem& problem_;
  const Duplicates& duplicates_;
  const PursuitPlan& plan_;
  CandidateFinder& finder_;
  const RunContext& run_;
  std::vector<TargetResult> results_;
  std::vector<Workspace<Space>> workspaces_;
};

}  // namespace

Representations run_targets(const PursuitProblem& problem, const Duplicates& duplicates,
                            const PursuitPlan& plan, CandidateFinder& finder,
                            const RunContext& run) {
  if (std::holds_alternative<SparseMatrix>(problem.dictionary.matrix)) {
    return TargetRun<SparseSpace>(problem, duplicates, plan, finder, run).run();
  }
  return TargetRun<DenseSpace>(problem, duplicates, plan, finder, run).run();
}

}  // namespace sfg::detail
