#include "pursuit/plan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/text.hpp"
#include "core/threads.hpp"
#include "sfg/error.hpp"

namespace sfg::detail {

namespace {

constexpr double kDoubleBytes = sizeof(double);
/// Below this share of nonzero entries the sparse engine does less work than a dense product.
constexpr double kSparseDensity = 0.03;
/// A block of products should stay in the second-level cache and yet feed a matrix product.
constexpr double kBlockBytes = 8e6;
constexpr Index kSmallestBlock = 8;
constexpr Index kLargestBlock = 64;
/// Share of the free memory that a Gram matrix may take when no limit is set.
constexpr double kGramShare = 0.5;

/// Bytes of an engine's tables and of the workers' blocks.
double bytes_needed(Engine engine, Index block, const UnitFeatures& dictionary,
                    const PursuitOptions& options, int workers) {
  const double d = dictionary.n_features();
  const double n = dictionary.n_samples();
  const double per_target = (options.method == PursuitMethod::ols ? 3.0 : 1.0) * d + 8.0 * n;
  double bytes = kDoubleBytes * per_target * block * workers;
  if (engine == Engine::gram) bytes += kDoubleBytes * d * d;
  if (engine == Engine::sparse) {
    bytes += (kDoubleBytes + sizeof(Index)) * static_cast<double>(n_stored(dictionary.matrix));
  }
  return bytes;
}

Index block_size(Engine engine, const UnitFeatures& dictionary) {
  if (engine != Engine::stream) return 1;
  const double fitting = kBlockBytes / (kDoubleBytes * std::max<Index>(1, dictionary.n_features()));
  return std::clamp(static_cast<Index>(fitting), kSmallestBlock, kLargestBlock);
}

}  // namespace

PursuitPlan plan_pursuit(const PursuitProblem& problem, const Run& run) {
  const auto& [targets, dictionary, options] = problem;
  const int workers = worker_count(run);
  const auto plan_for = [&](Engine engine) {
    const Index block = block_size(engine, dictionary);
    return PursuitPlan{engine, block, bytes_needed(engine, block, dictionary, options, workers)};
  };
  const double data_bytes =
      kDoubleBytes * static_cast<double>(n_stored(dictionary.matrix) + n_stored(targets.matrix));
  const double limit = run.memory_limit == 0 ? kGramShare * static_cast<double>(available_memory())
                                             : static_cast<double>(run.memory_limit) - data_bytes;

  PursuitPlan plan;
  if (options.engine != Engine::automatic) {
    if (options.engine == Engine::gram && !problem.own_targets()) {
      plan = plan_for(Engine::stream);  // there is no Gram matrix between two different sets
    } else {
      plan = plan_for(options.engine);
    }
  } else if (std::holds_alternative<SparseMatrix>(dictionary.matrix) ||
             density(dictionary.matrix) < kSparseDensity) {
    plan = plan_for(Engine::sparse);
  } else {
    plan = plan_for(Engine::gram);
    if (!problem.own_targets() || plan.bytes > limit) plan = plan_for(Engine::stream);
  }
  if (run.memory_limit != 0 && plan.bytes > limit) {
    throw Error(ErrorCode::over_memory,
                fmt::format("the {} engine needs {} of memory, the limit is {}: raise --memory or "
                            "use fewer --threads",
                            engine_name(plan.engine), format_bytes(plan.bytes + data_bytes),
                            format_bytes(static_cast<double>(run.memory_limit))));
  }
  return plan;
}

}  // namespace sfg::detail
