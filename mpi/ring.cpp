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
#include "dictionary_part.hpp"
#include "pursuit/checkpoint/blocks.hpp"
#include "pursuit/omp/target_pursuit.hpp"
#include "pursuit/plan.hpp"
#include "search.hpp"
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
constexpr int kRingTag = 3;

/// Sends bytes to the next rank while those of the previous one arrive.
void pass_on(Team& team, const std::string& out, std::string& in) {
  const int next = (team.rank() + 1) % team.size();
  const int previous = (team.rank() + team.size() - 1) % team.size();
  const auto size = static_cast<std::int64_t>(out.size());
  std::int64_t coming = 0;
  MPI_Sendrecv(&size, 1, MPI_INT64_T, next, kRingTag, &coming, 1, MPI_INT64_T, previous, kRingTag,
               team.world(), MPI_STATUS_IGNORE);
  in.resize(static_cast<std::size_t>(coming));
  MPI_Sendrecv(out.data(), static_cast<int>(size), MPI_BYTE, next, kRingTag, in.data(),
               static_cast<int>(coming), MPI_BYTE, previous, kRingTag, team.world(),
               MPI_STATUS_IGNORE);
  team.traffic().sent_bytes += size + static_cast<std::int64_t>(sizeof size);
  team.traffic().received_bytes += coming + static_cast<std::int64_t>(sizeof coming);
}

/// One rank of the ring.
class RingRank {
 public:
  RingRank(Team& team, const Job& job, DealtFeatures& dealt, std::vector<Index> left, Mail& mail,
           const RunContext& run)
      : team_(team),
        job_(job),
        dealt_(dealt),
        left_(std::move(left)),
        mail_(mail),
        run_(run),
        part_(dealt, job.options, run),
        counters_(team, 1),
        keeper_(key_, to_mail_, 1) {
    none_.twin.assign(static_cast<std::size_t>(job.n_features), -1);
    to_mail_.keep = [&](const PursuitKey&, const TargetBlock& block) { mail_.send(block); };
    const auto n_places = static_cast<std::size_t>(job.targets_under_way);
    pursuits_.reserve(n_places);
    for (std::size_t b = 0; b < n_places; ++b) {
      pursuits_.emplace_back(detail::FetchedSpace(dealt), dealt.kinds(), none_, job.options);
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
      go_round();
      take_steps();
      hand_over_finished();
    }
    Representations figures;
    figures.engine = Engine::stream;
    figures.screen = part_.kernel();
    return figures;
  }

  [[nodiscard]] double n_candidates() const { return part_.n_candidates(); }

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
    dealt_.fetch(targets);
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

  /// After as many visits as there are ranks every search is at home again, with its winners.
  void go_round() {
    searches_.resize(active_.size());
    for (std::size_t b = 0; b < active_.size(); ++b) {
      const Pursuit& pursuit = *active_[b];
      Search& search = searches_[b];
      const auto& residual = pursuit.fit().residual();
      search.residual.assign(residual.begin() + 1, residual.end());
      search.forbidden.assign(pursuit.forbidden().begin(), pursuit.forbidden().end());
      search.twin = dealt_.duplicates().hidden_twin(pursuit.target());
      search.winners.clear();
    }
    const auto n = static_cast<std::size_t>(job_.n_samples);
    for (int visit = 1; visit <= team_.size(); ++visit) {
      part_.improve(searches_);
      if (team_.is_first()) mail_.look();
      if (team_.size() == 1) return;
      // Only the winners come home.
      const Cargo cargo = visit < team_.size() ? Cargo::everything : Cargo::winners;
      pack(searches_, cargo, out_);
      pass_on(team_, out_, in_);
      unpack(in_, cargo, n, searches_);
    }
  }

  void take_steps() {
    std::vector<Index> wanted;
    for (const Search& search : searches_) {
      for (const Scored& winner : search.winners.list()) wanted.push_back(winner.feature);
    }
    dealt_.fetch(wanted);
    detail::parallel_for(
        run_, {}, static_cast<std::int64_t>(active_.size()), [&](std::int64_t item) {
          const auto b = static_cast<std::size_t>(item);
          std::vector<detail::Candidate> candidates;
          for (const Scored& winner : searches_[b].winners.list()) {
            candidates.push_back({winner.feature, detail::float_above(winner.score)});
          }
          active_[b]->step(candidates);
        });
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
  DealtFeatures& dealt_;
  std::vector<Index> left_;
  Mail& mail_;
  const RunContext& run_;
  PartSearch part_;
  Counters counters_;
  PursuitKey key_;
  PursuitCheckpoint to_mail_;
  detail::BlockKeeper keeper_;
  detail::Duplicates none_;  ///< twins are looked after by the rank that has them
  std::vector<Pursuit> pursuits_;
  std::vector<Pursuit*> active_;
  std::vector<Pursuit*> idle_;
  bool all_claimed_ = false;
  std::vector<Search> searches_;
  std::string out_;
  std::string in_;
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
                    team.size(), detail::format_bytes(plan.bytes()),
                    detail::format_bytes(plan.held_bytes), detail::format_bytes(limit)),
        "", {"memory_limit", "raise {memory_limit} or use more ranks"});
  }
  return plan;
}

Representations pursue_in_ring(Team& team, const Job& job, UnitFeatures features,
                               std::vector<Index> left, Mail& mail, const RunContext& run) {
  DealtFeatures dealt(team, job, std::move(features), run);
  RingRank rank(team, job, dealt, std::move(left), mail, run);
  Representations figures = rank.run();
  mail.finish(job.n_left);
  double sums[2] = {rank.n_candidates(), static_cast<double>(team.traffic().steps)};
  MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_DOUBLE, MPI_SUM, team.world());
  if (sums[1] > 0) figures.candidates_per_step = sums[0] / sums[1];
  return figures;
}

}  // namespace sfg::mpi
