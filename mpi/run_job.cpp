#include "run_job.hpp"

#include <string>
#include <type_traits>
#include <utility>

#include "ring.hpp"
#include "shared_features.hpp"
#include "team_work.hpp"

namespace sfg::mpi {

namespace {

Representations run_shared(Team& team, const Job& job, JobFeatures features,
                           std::vector<Index> left, ResultQueue& results, const RunContext& run) {
  const SharedFeatures shared(team, job, std::move(features));
  TeamWork work(team, results);
  const auto data_bytes = static_cast<double>(memory_of(shared.features().matrix));
  const Representations figures =
      detail::pursue_together(shared.features(), job.options, std::move(left),
                              sharing(run, data_bytes, shared.group_size()), work);
  work.finish(job.n_left);
  return figures;
}

}  // namespace

RunContext run_of(const Job& job, const Team& team, const std::atomic<bool>* stop) {
  RunContext run;
  run.threads = team.threads_allowed() ? job.threads : 1;
  run.memory_limit = job.memory_limit;
  run.stop = stop;
  return run;
}

RunContext sharing(RunContext run, double data_bytes, int group_size) {
  run.memory_limit += static_cast<std::size_t>(data_bytes - data_bytes / group_size);
  return run;
}

Representations run_job(Team& team, const Job& job, JobFeatures features, std::vector<Index> left,
                        ResultQueue& results, const RunContext& run) {
  if (!job.all_left) {
    left.resize(static_cast<std::size_t>(job.n_left));
    team.broadcast(left, team.world());
  }
  if (job.distribution == Distribution::ring) {
    return run_ring(team, job, std::move(features), std::move(left), results, run);
  }
  return run_shared(team, job, std::move(features), std::move(left), results, run);
}

void broadcast_job(Team& team, Job& job) {
  static_assert(std::is_trivially_copyable_v<Job>);
  MPI_Bcast(&job, sizeof job, MPI_BYTE, 0, team.world());
}

void serve_jobs(Team& team, const std::atomic<bool>* stop) {
  std::optional<FeatureParts> parts;
  for (;;) {
    Job job;
    broadcast_job(team, job);
    if (job.what == Job::What::end) return;
    team.set_patience(job.patience);
    if (job.what == Job::What::read_parts) {
      std::string why_not;
      parts = read_parts(team, {}, {}, stop, why_not);
      continue;
    }
    ResultQueue results(team, {});
    (void)run_job(team, job, {{}, std::exchange(parts, std::nullopt)}, {}, results,
                  run_of(job, team, stop));
    (void)gather_traffic(team);
  }
}

std::vector<Traffic> gather_traffic(Team& team) {
  std::vector<Traffic> all(static_cast<std::size_t>(team.is_first() ? team.size() : 0));
  MPI_Gather(&team.traffic(), sizeof(Traffic), MPI_BYTE, all.data(), sizeof(Traffic), MPI_BYTE, 0,
             team.world());
  return all;
}

}  // namespace sfg::mpi
