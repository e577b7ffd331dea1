#pragma once

#include "job.hpp"
#include "sfg/pursuit.hpp"
#include "team.hpp"

namespace sfg::mpi {

/// Where the data are before they are spread.
enum class Reading {
  first_rank,  ///< all of them at the first rank
  parts,       ///< a part at every rank
};

/// What a rank will do and hold.
struct RankPlan {
  Distribution distribution = Distribution::shared;
  PursuitPlan pursuit;  ///< of one rank; held_bytes are its share of the data
  int group_size = 1;   ///< shared: ranks that hold one copy together
  /// More than that while the data are spread: at the first rank, or at every one for its part.
  double dealing_bytes = 0;
};

/// What is asked of the ranks.
struct Wanted {
  Distribution distribution = Distribution::automatic;
  int ranks_per_copy = 0;
  Reading reading = Reading::first_rank;
};

/// Decides before any work, from what the first rank knows (of parts only their sizes).
/// RunContext::memory_limit is per rank. Throws over_memory with the number needed, invalid_option
/// where the ring cannot do what is asked.
[[nodiscard]] RankPlan plan_ranks(const UnitFeatures& features, const PursuitOptions& options,
                                  const Wanted& wanted, const RunContext& run, const Team& team);

}  // namespace sfg::mpi
