#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "feature_parts.hpp"
#include "sfg/normalise.hpp"
#include "sfg/pursuit.hpp"
#include "team.hpp"

namespace sfg::mpi {

/// How the data are spread over the ranks.
enum class Distribution : int {
  automatic,  ///< shared if that fits the memory of a rank, else ring
  shared,     ///< all features at every rank, once for the ranks of a machine
  ring,       ///< a part of the features at every rank; residuals go round
};

/// What the first rank tells the others before each piece of work.
struct Job {
  enum class What : int { end, read_parts, pursue } what = What::end;
  Distribution distribution = Distribution::shared;
  int threads = 1;
  std::int64_t patience = kUsualPatience;  ///< Team::set_patience()
  int ranks_per_copy = 0;                  ///< 0: all ranks of a machine
  std::uint64_t memory_limit = 0;
  PursuitOptions options;
  Index n_samples = 0;
  Index n_features = 0;
  Offset n_stored = -1;  ///< entries of a sparse matrix; -1: dense
  bool is_shifted = false;
  bool in_parts = false;        ///< every rank has read its part of the data
  std::int64_t n_left = 0;      ///< targets to represent
  bool all_left = true;         ///< that is all of them: no list follows
  Index targets_under_way = 1;  ///< at a time at every rank of the ring
};

/// The features when a job begins.
struct JobFeatures {
  UnitFeatures all;                   ///< at the first rank; without values where there are parts
  std::optional<FeatureParts> parts;  ///< at every rank, or at none (Job::in_parts)
};

/// From the first rank to all others.
void broadcast_job(Team& team, Job& job);

/// The part of a rank other than the first: does the work that it is told of, until the end.
void serve_jobs(Team& team, const std::atomic<bool>* stop);

}  // namespace sfg::mpi
