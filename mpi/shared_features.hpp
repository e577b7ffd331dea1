#pragma once

#include <span>
#include <vector>

#include "job.hpp"
#include "sfg/normalise.hpp"
#include "team.hpp"

namespace sfg::mpi {

/// All features at every rank, held once by each group of ranks on one machine: in a window of
/// shared memory, or in a rank's own memory where it is alone in its group.
class SharedFeatures {
 public:
  /// Collective. The features are used up.
  SharedFeatures(Team& team, const Job& job, JobFeatures features);
  ~SharedFeatures();
  SharedFeatures(const SharedFeatures&) = delete;
  SharedFeatures& operator=(const SharedFeatures&) = delete;

  [[nodiscard]] const UnitFeatures& features() const noexcept { return features_; }
  /// Ranks that share this copy.
  [[nodiscard]] int group_size() const noexcept { return group_size_; }

 private:
  struct Arrays {
    std::span<double> values;
    std::span<Index> rows;
  };
  [[nodiscard]] std::size_t window_bytes() const noexcept;
  [[nodiscard]] char* allocate_window();
  [[nodiscard]] Arrays arrays_at(char* place) const noexcept;
  void place_arrays(JobFeatures features);
  void fill(const Arrays& arrays, const JobFeatures& from);
  void put_own_part(const Arrays& arrays, const UnitFeatures& own);
  void exchange_parts(const Arrays& arrays);
  void borrow(const Arrays& arrays);

  Team& team_;
  const Job& job_;
  MPI_Comm group_ = MPI_COMM_NULL;
  MPI_Comm leaders_ = MPI_COMM_NULL;  ///< the first rank of each group; null for the others
  int group_size_ = 1;
  MPI_Win window_ = MPI_WIN_NULL;
  std::vector<double> own_values_;
  std::vector<Index> own_rows_;
  UnitFeatures features_;
};

/// Ranks that share one copy of the data, at the first rank.
[[nodiscard]] int copy_group_size(const Team& team, int ranks_per_copy);

}  // namespace sfg::mpi
