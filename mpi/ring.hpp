#pragma once

#include <vector>

#include "job.hpp"
#include "result_queue.hpp"
#include "sfg/pursuit.hpp"
#include "team.hpp"

// Features that no rank has room for: every rank holds a part of them. Each keeps some targets
// under way; in every round their residuals go once round the ring of ranks, each of which looks
// for a better atom in its part. Then every target takes its step, as it would in one process. What
// moves is a residual, not the dictionary: a rank then packs its part for the screen once, and
// needs no room for the part of another.
namespace sfg::mpi {

/// What a rank of a ring holds; the number of targets under way shrinks until it fits. Throws
/// over_memory.
[[nodiscard]] PursuitPlan plan_ring_rank(const UnitFeatures& features,
                                         const PursuitOptions& options, const RunContext& run,
                                         const Team& team);

/// As run_job(), for this distribution.
[[nodiscard]] Representations run_ring(Team& team, const Job& job, JobFeatures features,
                                       std::vector<Index> left, ResultQueue& results,
                                       const RunContext& run);

}  // namespace sfg::mpi
