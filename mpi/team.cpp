#include "team.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <string>

#include "sfg/error.hpp"
#include "sfg/run_context.hpp"

namespace sfg::mpi {

namespace {

/// Largest part of a broadcast: counts of MPI are int.
constexpr std::size_t kPart = std::size_t{1} << 28U;
/// What MPI has for ending a job in which a machine is lost.
constexpr unsigned kSecondsToAbort = 10;

/// Windows over TCP need the component pt2pt, which Debian's settings leave out (a bug of another
/// component is behind that line): every window would be refused. What the user has set holds.
void allow_windows_over_tcp() {
  std::ifstream settings("/etc/openmpi/openmpi-mca-params.conf");
  for (std::string line; std::getline(settings, line);) {
    if (line == "osc = ^ucx,pt2pt") setenv("OMPI_MCA_osc", "^ucx", 0);
  }
}

}  // namespace

bool is_failing() noexcept {
  return std::uncaught_exceptions() > 0;
}

Team::Team(int& argc, char**& argv) {
  allow_windows_over_tcp();
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
  threads_allowed_ = provided >= MPI_THREAD_SERIALIZED;
  MPI_Comm_rank(world(), &rank_);
  MPI_Comm_size(world(), &size_);
  MPI_Comm_split_type(world(), MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &node_);
  MPI_Comm_size(node_, &node_size_);
  find_resources();
  if (node_size_ < size_) {
    links_.emplace(std::chrono::seconds(kUsualPatience), [this](const std::string& machine) {
      fmt::print(
          stderr,
          "sfg-mpi: rank {} of {}: {} has not answered for {} s, so that the job ends; with a "
          "journal {} goes on\n",
          rank_, size_, machine, links_->patience(), "--resume");
      // MPI may itself wait for the machine that is lost.
      alarm(kSecondsToAbort);
      abort(exit_status(ErrorCode::cannot_read));
    });
  }
}

Team::~Team() {
  links_.reset();
  MPI_Comm_free(&node_);
  MPI_Finalize();
}

void Team::find_resources() {
  cpu_set_t own;
  CPU_ZERO(&own);
  sched_getaffinity(0, sizeof own, &own);
  std::vector<cpu_set_t> all(static_cast<std::size_t>(node_size_));
  MPI_Allgather(&own, sizeof own, MPI_BYTE, all.data(), sizeof own, MPI_BYTE, node_);
  const auto alike = std::ranges::count_if(
      all, [&](const cpu_set_t& other) { return CPU_EQUAL(&own, &other) != 0; });
  usual_threads_ = std::max(1, available_threads() / static_cast<int>(alike));
  auto memory =
      static_cast<std::uint64_t>(available_memory()) / static_cast<std::uint64_t>(node_size_);
  MPI_Allreduce(MPI_IN_PLACE, &memory, 1, MPI_UINT64_T, MPI_MIN, world());
  usual_memory_ = std::max<std::size_t>(1, memory);
}

void Team::set_patience(std::int64_t seconds) {
  if (links_) links_->set_patience(std::chrono::seconds(seconds));
}

void Team::broadcast(std::span<char> bytes, MPI_Comm among, int from) {
  int own = 0;
  MPI_Comm_rank(among, &own);
  int n_ranks = 1;
  MPI_Comm_size(among, &n_ranks);
  for (std::size_t begin = 0; begin < bytes.size(); begin += kPart) {
    const std::size_t size = std::min(kPart, bytes.size() - begin);
    MPI_Bcast(bytes.data() + begin, static_cast<int>(size), MPI_BYTE, from, among);
  }
  // Who passes on how much is up to MPI: the source counts what it gives away once.
  if (n_ranks == 1) return;
  (own == from ? traffic_.sent_bytes : traffic_.received_bytes) +=
      static_cast<std::int64_t>(bytes.size());
}

void Team::abort(int status) {
  MPI_Abort(world(), status);
  std::_Exit(status);
}

}  // namespace sfg::mpi
