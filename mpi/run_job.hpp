#pragma once

#include <vector>

#include "job.hpp"
#include "result_queue.hpp"
#include "sfg/pursuit.hpp"
#include "team.hpp"

namespace sfg::mpi {

/// The part of a rank in a pursuit, whoever it is; collective. The features are used up. `left` are
/// the targets to represent, at the first rank (empty: all of them). Returns the figures on engine
/// and screen.
[[nodiscard]] Representations run_job(Team& team, const Job& job, JobFeatures features,
                                      std::vector<Index> left, ResultQueue& results,
                                      const RunContext& run);

/// The run of a rank in a job.
[[nodiscard]] RunContext run_of(const Job& job, const Team& team, const std::atomic<bool>* stop);

/// The same run with the part of the data that the other ranks of a group pay for.
[[nodiscard]] RunContext sharing(RunContext run, double data_bytes, int group_size);

/// What every rank has done and moved, at the first rank; collective.
[[nodiscard]] std::vector<Traffic> gather_traffic(Team& team);

}  // namespace sfg::mpi
