#pragma once

#include <cstdint>

#include "team.hpp"

namespace sfg::mpi {

/// Numbers at the first rank that every rank can add to without its help (one-sided).
class Counters {
 public:
  /// Collective; all are zero.
  Counters(Team& team, int n_counters);
  ~Counters();
  Counters(const Counters&) = delete;
  Counters& operator=(const Counters&) = delete;

  /// Returns the number before.
  [[nodiscard]] std::int64_t fetch_and_add(int counter, std::int64_t summand);

 private:
  Team& team_;
  MPI_Win window_ = MPI_WIN_NULL;
};

}  // namespace sfg::mpi
