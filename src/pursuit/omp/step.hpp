#pragma once

#include <span>
#include <vector>

#include "pursuit/engines/candidate_finder.hpp"
#include "pursuit/omp/target_pursuit.hpp"

// The step of the pursuit, the same for OMP and OLS and for every engine:
//
//   find    the finder lists the atoms that may be the best one            CandidateFinder::find
//   choose  their exact scores decide; within a tie the lowest number wins
//   refit   the target is fitted anew on all its atoms                     OrthogonalFit
//   stop    small gain, exact, as many atoms as allowed, or none is left
namespace sfg::detail {

/// Memory for the steps of one worker, and what it has counted.
struct StepWork {
  std::vector<Query> queries;
  std::vector<CandidateList> lists;
  double n_candidates = 0;
  double n_steps = 0;
};

/// Takes each of these targets one step further. They ask together: what the finder reads of the
/// features serves all of them.
template <typename Space>
void take_step(std::span<TargetPursuit<Space>* const> targets, CandidateFinder& finder, int worker,
               StepWork& work) {
  // So many targets before their turn the columns that they will read are asked for: memory answers
  // while the others compute.
  constexpr std::size_t kAhead = 2;
  work.queries.clear();
  for (TargetPursuit<Space>* target : targets) work.queries.push_back(target->query());
  if (work.lists.size() < targets.size()) work.lists.resize(targets.size());
  finder.find(work.queries, work.lists, worker);
  for (std::size_t b = 0; b < targets.size(); ++b) {
    if (b + kAhead < targets.size()) targets[b + kAhead]->prefetch(work.lists[b + kAhead]);
    work.n_candidates += static_cast<double>(work.lists[b].size());
    work.n_steps += 1;
    targets[b]->take_best_of(work.lists[b]);
  }
}

}  // namespace sfg::detail
