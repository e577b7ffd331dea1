#pragma once

#include "job.hpp"
#include "sfg/pursuit.hpp"
#include "team.hpp"

namespace sfg::mpi {

/// What a rank will do and hold.
struct RankPlan {
  Distribution distribution = Distribution::shared;
  PursuitPlan pursuit;       ///< of one rank; held_bytes are its share of the data
  int group_size = 1;        ///< shared: ranks that hold one copy together
  double dealing_bytes = 0;  ///< at the first rank only, while the data are distributed
};

/// Decides before any work, from what the first rank knows. RunContext::memory_limit is per rank.
/// Throws over_memory with the number needed, invalid_option where the ring cannot do what is
/// asked.
[[nodiscard]] RankPlan plan_ranks(const UnitFeatures& features, const PursuitOptions& options,
                                  Distribution asked, int ranks_per_copy, const RunContext& run,
                                  const Team& team);

}  // namespace sfg::mpi
