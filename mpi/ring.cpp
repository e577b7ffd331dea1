#include "ring.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "core/memory.hpp"
#include "core/text.hpp"
#include "core/threads.hpp"
#include "counter.hpp"
#include "distributed_features.hpp"
#include "pursuit/checkpoint/blocks.hpp"
#include "pursuit/engines/stream/screen_store.hpp"
#include "pursuit/engines/stream/tile.hpp"
#include "pursuit/omp/target_pursuit.hpp"
#include "pursuit/plan.hpp"
#include "ring_finder.hpp"
#include "sfg/error.hpp"
#include "team_work.hpp"

namespace sfg::mpi {

namespace {

using Pursuit = detail::TargetPursuit<detail::FetchedSpace>;

/// Targets under way for each worker: several times what a worker screens together, so that a round
/// has few messages for its work.
constexpr Index kTargetsPerWorker = 4 * 96;
/// A message of searches stays below this: counts of MPI are int.
constexpr double kMostMessageBytes = 1e9;
/// Vectors over the samples of a target under way, as in a pursuit of one process, and two in
/// searches that come and go.
constexpr double kSampleVectors = 12;
/// Kind, twin and place of every feature.
constexpr double kFeatureBytes = 8;
constexpr double kResultBytes = 160;

/// One rank of the ring.
class RingRank {
 public:
  RingRank(Team& team, const Job& job, DistributedFeatures& features, std::vector<Index> left,
           ResultQueue& results, const RunContext& run)
      : team_(team),
        job_(job),
        features_(features),
        left_(std::move(left)),
        results_(results),
        run_(run),
        finder_(team, features, results, job.options, run),
        counters_(team, 1),
        keeper_(key_, send_block_, 1) {
    none_.twin.assign(static_cast<std::size_t>(job.n_features), -1);
    send_block_.keep = [&](const PursuitKey&, const TargetBlock& block) { results_.send(block); };
    const auto n_places = static_cast<std::size_t>(job.targets_under_way);
    pursuits_.reserve(n_places);
    for (std::size_t b = 0; b < n_places; ++b) {
      pursuits_.emplace_back(detail::FetchedSpace(features), features.kinds(), none_, job.options);
      idle_.push_back(&pursuits_.back());
    }
  }

  Representations run() {
    for (;;) {
      detail::check_stop(run_);
      start_targets();
      std::int64_t n_active = static_cast<std::int64_t>(active_.size());
      MPI_Allreduce(MPI_IN_PLACE, &n_active, 1, MPI_INT64_T, MPI_SUM, team_.world());
      if (n_active == 0) break;
      ++team_.traffic().rounds;
      team_.traffic().steps += static_cast<std::int64_t>(active_.size());
      take_steps();
      hand_over_finished();
    }
    Representations figures;
    figures.engine = Engine::stream;
    figures.screen = finder_.kernel_name();
    return figures;
  }

  [[nodiscard]] double n_candidates() const { return finder_.n_candidates(); }

 private:
  [[nodiscard]] std::vector<Index> claim_targets() {
    std::vector<Index> targets;
    while (!all_claimed_ && targets.size() < idle_.size()) {
      const auto size = std::min<std::int64_t>(
          kTargetsPerClaim, static_cast<std::int64_t>(idle_.size() - targets.size()));
      const std::int64_t begin = counters_.fetch_and_add(0, size);
      all_claimed_ = begin + size >= job_.n_left;
      if (begin < job_.n_left) ++team_.traffic().claims;
      for (std::int64_t item = begin; item < std::min(begin + size, job_.n_left); ++item) {
        targets.push_back(left_.empty() ? static_cast<Index>(item) : left_[item]);
      }
    }
    return targets;
  }

  void start_targets() {
    const std::vector<Index> targets = claim_targets();
    features_.fetch(targets);
    for (const Index target : targets) {
      Pursuit& pursuit = *idle_.back();
      pursuit.start(target, target);
      if (pursuit.finished()) {
        keep(pursuit);
      } else {
        idle_.pop_back();
        active_.push_back(&pursuit);
      }
    }
  }

  /// As take_step() of one process, where the search is everybody's and the rest can be shared
  /// among the threads.
  void take_steps() {
    queries_.clear();
    for (Pursuit* pursuit : active_) queries_.push_back(pursuit->query());
    if (lists_.size() < active_.size()) lists_.resize(active_.size());
    finder_.find(queries_, lists_, 0);
    detail::parallel_for(run_, {}, static_cast<std::int64_t>(active_.size()),
                         [&](std::int64_t item) { active_[item]->take_best_of(lists_[item]); });
  }

  void hand_over_finished() {
    std::erase_if(active_, [&](Pursuit* pursuit) {
      if (!pursuit->finished()) return false;
      keep(*pursuit);
      idle_.push_back(pursuit);
      return true;
    });
    keeper_.hand_over(0);
  }

  void keep(const Pursuit& pursuit) {
    pursuit.fit().coefficients(solution_);
    keeper_.add(
        {pursuit.target(), pursuit.status(), pursuit.residual_square(), pursuit.atoms(), solution_},
        0);
  }

  Team& team_;
  const Job& job_;
  DistributedFeatures& features_;
  std::vector<Index> left_;
  ResultQueue& results_;
  const RunContext& run_;
  RingFinder finder_;
  Counters counters_;
  PursuitKey key_;
  PursuitCheckpoint send_block_;
  detail::BlockKeeper keeper_;
  detail::Duplicates none_;  ///< twins are looked after by the rank that has them
  std::vector<Pursuit> pursuits_;
  std::vector<Pursuit*> active_;
  std::vector<Pursuit*> idle_;
  bool all_claimed_ = false;
  std::vector<detail::Query> queries_;
  std::vector<detail::CandidateList> lists_;
  std::vector<double> solution_;
};

}  // namespace

PursuitPlan plan_ring_rank(const UnitFeatures& features, const PursuitOptions& options,
                           const RunContext& run, const Team& team) {
  const double n = features.n_samples();
  const double d = features.n_features();
  RunContext unlimited = run;
  unlimited.memory_limit = std::numeric_limits<std::size_t>::max() / 2;
  PursuitPlan plan = detail::plan_pursuit({features, features, options}, unlimited);
  plan.engine = Engine::stream;
  plan.gram_fits = false;
  const double n_own = std::ceil(d / team.size());
  plan.held_bytes =
      static_cast<double>(run.memory_held) + sizeof(double) * n * n_own + kFeatureBytes * d;
  plan.engine_bytes =
      detail::ScreenStore::bytes(n, n_own, detail::fastest_tile_kernel(plan.screen));
  plan.result_bytes = kResultBytes * d;  // at the first rank
  const double most = std::min({static_cast<double>(kTargetsPerWorker) * run.threads, n_own,
                                std::max(1.0, kMostMessageBytes / (sizeof(double) * n))});
  plan.block = static_cast<Index>(most);
  const auto limit = static_cast<double>(run.memory_limit);
  for (;; plan.block /= 2) {
    plan.block_bytes = kSampleVectors * sizeof(double) * n * plan.block;
    if (plan.bytes() <= limit || plan.block == 1) break;
  }
  if (plan.bytes() > limit) {
    throw Error(
        ErrorCode::over_memory,
        fmt::format("each of {} ranks of the ring needs {} of memory ({} of it for its part "
                    "of the data), but the limit is {}",
                    team.size(), format_bytes(plan.bytes()), format_bytes(plan.held_bytes),
                    format_bytes(limit)),
        "", {"memory_limit", "raise {memory_limit} or use more ranks"});
  }
  return plan;
}

Representations run_ring(Team& team, const Job& job, JobFeatures features, std::vector<Index> left,
                         ResultQueue& results, const RunContext& run) {
  DistributedFeatures distributed(team, job, std::move(features), run);
  RingRank rank(team, job, distributed, std::move(left), results, run);
  Representations figures = rank.run();
  results.finish(job.n_left);
  double sums[2] = {rank.n_candidates(), static_cast<double>(team.traffic().steps)};
  MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_DOUBLE, MPI_SUM, team.world());
  if (sums[1] > 0) figures.candidates_per_step = sums[0] / sums[1];
  return figures;
}

}  // namespace sfg::mpi
