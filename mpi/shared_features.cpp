#include "shared_features.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/text.hpp"
#include "sfg/error.hpp"

namespace sfg::mpi {

namespace {

/// Where the features of the first rank have their numbers.
struct Stored {
  std::span<const double> values;
  std::span<const Index> rows;
};

Stored stored(const Matrix& matrix) {
  if (const auto* dense = std::get_if<DenseMatrix>(&matrix)) {
    const auto n = static_cast<std::size_t>(dense->n_samples());
    return {{dense->data(), n * static_cast<std::size_t>(dense->n_features())}, {}};
  }
  const auto& sparse = std::get<SparseMatrix>(matrix);
  const auto n = static_cast<std::size_t>(sparse.n_stored());
  return {{sparse.values.data(), n}, {sparse.rows.data(), n}};
}

template <typename Value>
std::span<char> bytes_of(std::span<Value> values) {
  return {reinterpret_cast<char*>(values.data()), values.size_bytes()};
}

}  // namespace

int copy_group_size(const Team& team, int ranks_per_copy) {
  return ranks_per_copy <= 0 ? team.node_size() : std::min(ranks_per_copy, team.node_size());
}

SharedFeatures::SharedFeatures(Team& team, const Job& job, JobFeatures features)
    : team_(team), job_(job) {
  int place = 0;
  MPI_Comm_rank(team.node(), &place);
  MPI_Comm_split(team.node(), place / copy_group_size(team, job.ranks_per_copy), place, &group_);
  MPI_Comm_size(group_, &group_size_);
  int place_in_group = 0;
  MPI_Comm_rank(group_, &place_in_group);
  const bool leads = place_in_group == 0;
  MPI_Comm_split(team.world(), leads ? 0 : MPI_UNDEFINED, team.rank(), &leaders_);

  const bool is_sparse = job.n_stored >= 0;
  features_.kind = std::move(features.all.kind);
  features_.shift = std::move(features.all.shift);
  features_.kind.resize(static_cast<std::size_t>(job.n_features));
  if (job.is_shifted) features_.shift.resize(static_cast<std::size_t>(job.n_features));
  team.broadcast(features_.kind, team.world());
  team.broadcast(features_.shift, team.world());
  if (is_sparse) {
    SparseMatrix matrix;
    matrix.n_samples = job.n_samples;
    matrix.n_features = job.n_features;
    if (team.is_first()) matrix.starts = std::get<SparseMatrix>(features.all.matrix).starts;
    matrix.starts.resize(static_cast<std::size_t>(job.n_features) + 1);
    team.broadcast(matrix.starts, team.world());
    features_.matrix = std::move(matrix);
  }

  place_arrays(std::move(features));
}

/// In a window of the group, in the memory of this rank or, where the first one is alone with its
/// copy, where they are.
void SharedFeatures::place_arrays(JobFeatures features) {
  if (group_size_ > 1) {
    const Arrays arrays = arrays_at(allocate_window());
    if (job_.in_parts) {
      put_own_part(arrays, features.parts->own);
      features.parts.reset();
      MPI_Win_sync(window_);
      MPI_Barrier(group_);
      MPI_Win_sync(window_);
      exchange_parts(arrays);
    } else if (leaders_ != MPI_COMM_NULL) {
      fill(arrays, features);
    }
    MPI_Win_sync(window_);
    MPI_Barrier(group_);
    MPI_Win_sync(window_);
    borrow(arrays);
    return;
  }
  if (team_.is_first() && !job_.in_parts) {
    const Stored own = stored(features.all.matrix);
    fill({{const_cast<double*>(own.values.data()), own.values.size()},
          {const_cast<Index*>(own.rows.data()), own.rows.size()}},
         features);
    features_.matrix = std::move(features.all.matrix);
    return;
  }
  const bool is_sparse = job_.n_stored >= 0;
  own_values_.resize(is_sparse ? static_cast<std::size_t>(job_.n_stored)
                               : window_bytes() / sizeof(double));
  if (is_sparse) own_rows_.resize(own_values_.size());
  const Arrays arrays{own_values_, own_rows_};
  if (job_.in_parts) {
    put_own_part(arrays, features.parts->own);
    features.parts.reset();
    exchange_parts(arrays);
  } else {
    fill(arrays, features);
  }
  borrow(arrays);
}

SharedFeatures::~SharedFeatures() {
  if (is_failing()) return;
  if (window_ != MPI_WIN_NULL) {
    MPI_Win_unlock_all(window_);
    MPI_Win_free(&window_);
  }
  if (leaders_ != MPI_COMM_NULL) MPI_Comm_free(&leaders_);
  MPI_Comm_free(&group_);
}

std::size_t SharedFeatures::window_bytes() const noexcept {
  if (job_.n_stored < 0) {
    return sizeof(double) * static_cast<std::size_t>(job_.n_samples) *
           static_cast<std::size_t>(job_.n_features);
  }
  return (sizeof(double) + sizeof(Index)) * static_cast<std::size_t>(job_.n_stored);
}

char* SharedFeatures::allocate_window() {
  int place = 0;
  MPI_Comm_rank(group_, &place);
  // A machine that has no room for it is the user's matter, with our own words.
  MPI_Comm_set_errhandler(group_, MPI_ERRORS_RETURN);
  char* base = nullptr;
  const std::size_t bytes = window_bytes();
  const int outcome =
      MPI_Win_allocate_shared(place == 0 ? static_cast<MPI_Aint>(bytes) : 0, 1, MPI_INFO_NULL,
                              group_, static_cast<void*>(&base), &window_);
  if (outcome != MPI_SUCCESS) {
    throw Error(ErrorCode::over_memory,
                fmt::format("there are no {} of shared memory for the data",
                            format_bytes(static_cast<double>(bytes))),
                "",
                {"ranks_per_copy",
                 "enlarge /dev/shm, or give every rank its own copy with "
                 "{ranks_per_copy=1}"});
  }
  MPI_Aint size = 0;
  int unit = 1;
  MPI_Win_shared_query(window_, 0, &size, &unit, static_cast<void*>(&base));
  MPI_Win_lock_all(MPI_MODE_NOCHECK, window_);
  return base;
}

SharedFeatures::Arrays SharedFeatures::arrays_at(char* place) const noexcept {
  const bool is_sparse = job_.n_stored >= 0;
  const std::size_t n =
      is_sparse ? static_cast<std::size_t>(job_.n_stored) : window_bytes() / sizeof(double);
  auto* values = reinterpret_cast<double*>(place);
  return {{values, n}, {reinterpret_cast<Index*>(values + n), is_sparse ? n : 0}};
}

/// Copies at the first rank, receives at the leaders of the other groups.
void SharedFeatures::fill(const Arrays& arrays, const JobFeatures& from) {
  if (team_.is_first()) {
    const Stored own = stored(from.all.matrix);
    if (own.values.data() != arrays.values.data()) {
      std::ranges::copy(own.values, arrays.values.begin());
      std::ranges::copy(own.rows, arrays.rows.begin());
    }
  }
  team_.broadcast(bytes_of(arrays.values), leaders_);
  team_.broadcast(bytes_of(arrays.rows), leaders_);
}

void SharedFeatures::put_own_part(const Arrays& arrays, const UnitFeatures& own) {
  const Index first = first_of_part(team_.rank(), team_.size(), job_.n_features);
  std::ranges::copy(stored(own.matrix).values,
                    arrays.values.begin() + static_cast<std::ptrdiff_t>(first) * job_.n_samples);
}

/// Each copy has the parts of its group's ranks; their leaders give them to one another.
void SharedFeatures::exchange_parts(const Arrays& arrays) {
  int leader = 0;
  if (leaders_ != MPI_COMM_NULL) MPI_Comm_rank(leaders_, &leader);
  MPI_Bcast(&leader, 1, MPI_INT, 0, group_);
  std::vector<int> leader_of(static_cast<std::size_t>(team_.size()));
  MPI_Allgather(&leader, 1, MPI_INT, leader_of.data(), 1, MPI_INT, team_.world());
  if (leaders_ == MPI_COMM_NULL) return;
  const auto n = static_cast<std::size_t>(job_.n_samples);
  for (int rank = 0; rank < team_.size(); ++rank) {
    const auto begin =
        n * static_cast<std::size_t>(first_of_part(rank, team_.size(), job_.n_features));
    const auto end =
        n * static_cast<std::size_t>(first_of_part(rank + 1, team_.size(), job_.n_features));
    team_.broadcast(bytes_of(arrays.values.subspan(begin, end - begin)), leaders_,
                    leader_of[static_cast<std::size_t>(rank)]);
  }
}

void SharedFeatures::borrow(const Arrays& arrays) {
  auto values = Buffer<double>::borrow(arrays.values);
  if (auto* sparse = std::get_if<SparseMatrix>(&features_.matrix)) {
    sparse->values = std::move(values);
    sparse->rows = Buffer<Index>::borrow(arrays.rows);
  } else {
    features_.matrix = DenseMatrix(job_.n_samples, job_.n_features, std::move(values));
  }
}

}  // namespace sfg::mpi
