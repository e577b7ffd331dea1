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
                     int ranks_per_copy, const RunContext& run, const Team& team) {
  RankPlan plan;
  plan.distribution = Distribution::shared;
  plan.group_size = copy_group_size(team, ranks_per_copy);
  const auto data = static_cast<double>(memory_of(features.matrix));
  plan.pursuit =
      detail::plan_pursuit({features, features, options}, sharing(run, data, plan.group_size));
  plan.pursuit.gram_fits = false;
  plan.pursuit.held_bytes -= data - data / plan.group_size;
  // The first rank copies its table into the window; alone in its group it keeps it.
  plan.dealing_bytes = plan.group_size > 1 ? data : 0;
  if (const double limit = static_cast<double>(run.memory_limit) * plan.group_size;
      data + plan.dealing_bytes > limit) {
    throw Error(
        ErrorCode::over_memory,
        fmt::format("the data need {} while the first rank shares them out, but the limit "
                    "of its {} ranks is {}",
                    format_bytes(data + plan.dealing_bytes), plan.group_size, format_bytes(limit)),
        "", {"memory_limit", "raise {memory_limit} or use {distribute=ring}"});
  }
  return plan;
}

RankPlan plan_ring(const UnitFeatures& features, const PursuitOptions& options,
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
  return plan;
}

}  // namespace

RankPlan plan_ranks(const UnitFeatures& features, const PursuitOptions& options, Distribution asked,
                    int ranks_per_copy, const RunContext& run, const Team& team) {
  if (asked == Distribution::ring) return plan_ring(features, options, run, team);
  try {
    return plan_shared(features, options, ranks_per_copy, run, team);
  } catch (const Error& error) {
    const bool dense = std::holds_alternative<DenseMatrix>(features.matrix);
    const bool ring_can = dense && team.size() > 1 && options.method == PursuitMethod::omp &&
                          (options.engine == Engine::automatic || options.engine == Engine::stream);
    if (error.code() != ErrorCode::over_memory || asked == Distribution::shared || !ring_can) {
      throw;
    }
  }
  return plan_ring(features, options, run, team);
}

}  // namespace sfg::mpi
