#include "plan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/memory.hpp"
#include "core/text.hpp"
#include "pursuit/plan.hpp"
#include "ring.hpp"
#include "run_job.hpp"
#include "sfg/error.hpp"
#include "shared_features.hpp"

namespace sfg::mpi {

namespace {

RankPlan plan_shared(const UnitFeatures& features, const PursuitOptions& options,
                     const Wanted& wanted, const RunContext& run, const Team& team) {
  RankPlan plan;
  plan.distribution = Distribution::shared;
  plan.group_size = copy_group_size(team, wanted.ranks_per_copy);
  const auto data = static_cast<double>(memory_of(features.matrix));
  plan.pursuit =
      detail::plan_pursuit({features, features, options}, sharing(run, data, plan.group_size));
  plan.pursuit.gram_fits = false;
  plan.pursuit.held_bytes -= data - data / plan.group_size;
  // The first rank copies its table into the window; alone in its group it keeps it. Parts are
  // copied anyway.
  plan.dealing_bytes = plan.group_size > 1 ? data : 0;
  double dealt_by_group = plan.dealing_bytes;
  if (wanted.reading == Reading::parts) {
    plan.dealing_bytes = data / team.size();
    dealt_by_group = plan.dealing_bytes * plan.group_size;
  }
  if (const double limit = static_cast<double>(run.memory_limit) * plan.group_size;
      data + dealt_by_group > limit) {
    throw Error(
        ErrorCode::over_memory,
        fmt::format("the data need {} while they are shared out, but the limit of the {} ranks of "
                    "a machine is {}",
                    format_bytes(data + dealt_by_group), plan.group_size, format_bytes(limit)),
        "", {"memory_limit", "raise {memory_limit} or use {distribute=ring}"});
  }
  return plan;
}

RankPlan plan_ring(const UnitFeatures& features, const PursuitOptions& options, Reading reading,
                   const RunContext& run, const Team& team) {
  const bool sparse = !std::holds_alternative<DenseMatrix>(features.matrix);
  if (sparse || options.method != PursuitMethod::omp ||
      (options.engine != Engine::automatic && options.engine != Engine::stream)) {
    throw Error(ErrorCode::invalid_option, "", "",
                {"distribute",
                 "{distribute=ring} needs dense data, {pursuit=omp} and "
                 "{engine=stream}; use {distribute=shared}, which may take more "
                 "{memory_limit}"});
  }
  RankPlan plan;
  plan.distribution = Distribution::ring;
  plan.pursuit = plan_ring_rank(features, options, run, team);
  plan.dealing_bytes = static_cast<double>(memory_of(features.matrix));
  if (reading == Reading::first_rank) return plan;
  plan.dealing_bytes /= team.size();
  const double needed = plan.pursuit.held_bytes + plan.dealing_bytes;
  if (const auto limit = static_cast<double>(run.memory_limit); needed > limit) {
    throw Error(ErrorCode::over_memory,
                fmt::format("each of {} ranks of the ring needs {} of memory while it takes its "
                            "part of the data, but the limit is {}",
                            team.size(), format_bytes(needed), format_bytes(limit)),
                "", {"memory_limit", "raise {memory_limit} or use more ranks"});
  }
  return plan;
}

}  // namespace

RankPlan plan_ranks(const UnitFeatures& features, const PursuitOptions& options,
                    const Wanted& wanted, const RunContext& run, const Team& team) {
  const Distribution asked = wanted.distribution;
  if (asked == Distribution::ring) return plan_ring(features, options, wanted.reading, run, team);
  try {
    return plan_shared(features, options, wanted, run, team);
  } catch (const Error& error) {
    const bool dense = std::holds_alternative<DenseMatrix>(features.matrix);
    const bool ring_can = dense && team.size() > 1 && options.method == PursuitMethod::omp &&
                          (options.engine == Engine::automatic || options.engine == Engine::stream);
    if (error.code() != ErrorCode::over_memory || asked == Distribution::shared || !ring_can) {
      throw;
    }
  }
  return plan_ring(features, options, wanted.reading, run, team);
}

}  // namespace sfg::mpi
