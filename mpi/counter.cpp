#include "counter.hpp"

#include <algorithm>

namespace sfg::mpi {

Counters::Counters(Team& team, int n_counters) : team_(team) {
  constexpr int kBytes = sizeof(std::int64_t);
  std::int64_t* numbers = nullptr;
  MPI_Win_allocate(team.is_first() ? n_counters * kBytes : 0, kBytes, MPI_INFO_NULL, team.world(),
                   static_cast<void*>(&numbers), &window_);
  MPI_Win_lock_all(0, window_);
  if (team.is_first()) std::fill_n(numbers, n_counters, std::int64_t{0});
  MPI_Win_sync(window_);
  MPI_Barrier(team.world());
}

Counters::~Counters() {
  if (is_failing()) return;
  MPI_Win_unlock_all(window_);
  MPI_Win_free(&window_);
}

std::int64_t Counters::fetch_and_add(int counter, std::int64_t summand) {
  std::int64_t before = 0;
  MPI_Fetch_and_op(&summand, &before, MPI_INT64_T, 0, counter, MPI_SUM, window_);
  MPI_Win_flush(0, window_);
  if (!team_.is_first()) {
    team_.traffic().sent_bytes += sizeof summand;
    team_.traffic().received_bytes += sizeof before;
  }
  return before;
}

}  // namespace sfg::mpi
