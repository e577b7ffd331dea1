#include "team_work.hpp"

#include <algorithm>
#include <mutex>
#include <numeric>

#include "core/fingerprint.hpp"

namespace sfg::mpi {

using detail::ItemRange;

TeamWork::TeamWork(Team& team, ResultQueue& results)
    : team_(team), results_(results), counters_(team, 2) {
  if (team.is_first() && team.size() > 1 && team.threads_allowed())
    receiver_.emplace(team, results);
}

void TeamWork::finish(std::int64_t n_targets) {
  const std::lock_guard lock(team_.mutex());
  if (receiver_) receiver_->rethrow();
  results_.finish(n_targets);
  // Nobody takes the data away while another rank reads them.
  MPI_Barrier(team_.world());
}

ItemRange TeamWork::claim(Stage stage, std::int64_t n_items) {
  // Blocks of first atoms are large already.
  const std::int64_t size = stage == Stage::pursuit ? kTargetsPerClaim : 1;
  const std::lock_guard lock(team_.mutex());
  const std::int64_t begin = counters_.fetch_and_add(static_cast<int>(stage), size);
  if (begin >= n_items) return {};
  if (stage == Stage::pursuit) ++team_.traffic().claims;
  return {begin, std::min(begin + size, n_items)};
}

void TeamWork::keep(const TargetBlock& block) {
  const std::lock_guard lock(team_.mutex());
  results_.send(block);
}

void TeamWork::item_done() {
  if (!team_.is_first()) return;
  const std::lock_guard lock(team_.mutex());
  if (receiver_) {
    receiver_->rethrow();
  } else {
    results_.receive_arrived();
  }
}

bool TeamWork::agree_on(const std::string& text) {
  detail::Fingerprint fingerprint;
  fingerprint.add(text);
  const std::lock_guard lock(team_.mutex());
  const std::uint64_t own = fingerprint.value();
  std::uint64_t lowest = own;
  std::uint64_t highest = own;
  MPI_Allreduce(MPI_IN_PLACE, &lowest, 1, MPI_UINT64_T, MPI_MIN, team_.world());
  MPI_Allreduce(MPI_IN_PLACE, &highest, 1, MPI_UINT64_T, MPI_MAX, team_.world());
  return lowest == highest;
}

void TeamWork::raise_to_largest(std::span<float> thresholds) {
  const std::lock_guard lock(team_.mutex());
  MPI_Allreduce(MPI_IN_PLACE, thresholds.data(), static_cast<int>(thresholds.size()), MPI_FLOAT,
                MPI_MAX, team_.world());
  if (team_.size() == 1) return;
  team_.traffic().sent_bytes += static_cast<std::int64_t>(thresholds.size_bytes());
  team_.traffic().received_bytes += static_cast<std::int64_t>(thresholds.size_bytes());
}

std::vector<char> TeamWork::gather(std::span<const char> bytes) {
  const std::lock_guard lock(team_.mutex());
  team_.traffic().gathered_bytes += static_cast<std::int64_t>(bytes.size());
  const auto own = static_cast<std::int64_t>(bytes.size());
  std::vector<std::int64_t> sizes(static_cast<std::size_t>(team_.size()));
  MPI_Allgather(&own, 1, MPI_INT64_T, sizes.data(), 1, MPI_INT64_T, team_.world());
  std::vector<char> all(
      static_cast<std::size_t>(std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0})));
  std::size_t begin = 0;
  for (int rank = 0; rank < team_.size(); ++rank) {
    const auto size = static_cast<std::size_t>(sizes[rank]);
    const std::span<char> place(all.data() + begin, size);
    if (rank == team_.rank()) std::ranges::copy(bytes, place.begin());
    team_.broadcast(place, team_.world(), rank);
    begin += size;
  }
  return all;
}

}  // namespace sfg::mpi
