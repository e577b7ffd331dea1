#include "distributed_features.hpp"

#include <algorithm>
#include <utility>

namespace sfg::mpi {

namespace {

/// Numbers in one message while the data are distributed: counts of MPI are int.
constexpr std::size_t kValuesPerMessage = std::size_t{1} << 25U;
constexpr int kDistributeTag = 2;

}  // namespace

DistributedFeatures::DistributedFeatures(Team& team, const Job& job, JobFeatures features,
                                         const RunContext& run)
    : team_(team), job_(job) {
  for (int rank = 0; rank <= team.size(); ++rank) {
    firsts_.push_back(first_of_part(rank, team.size(), job.n_features));
  }
  const auto place = static_cast<std::size_t>(team.rank());
  first_ = firsts_[place];
  n_own_ = firsts_[place + 1] - first_;
  const auto d = static_cast<std::size_t>(job.n_features);
  if (team.is_first()) kinds_ = features.all.kind;
  kinds_.resize(d);
  team.broadcast(kinds_, team.world());

  const auto n_values = static_cast<std::size_t>(job.n_samples) * static_cast<std::size_t>(n_own_);
  double* own = nullptr;
  MPI_Win_allocate(static_cast<MPI_Aint>(n_values * sizeof(double)), sizeof(double), MPI_INFO_NULL,
                   team.world(), static_cast<void*>(&own), &window_);
  MPI_Win_lock_all(MPI_MODE_NOCHECK, window_);
  if (job.in_parts) {
    std::copy_n(std::get<DenseMatrix>(features.parts->own.matrix).data(), n_values, own);
  } else {
    distribute(features.all, own);
  }
  MPI_Win_sync(window_);
  MPI_Barrier(team.world());
  part_.matrix = DenseMatrix(job.n_samples, n_own_, Buffer<double>::borrow({own, n_values}));
  duplicates_.twin = twins(features, run);
  duplicates_.twin.resize(d);
  team.broadcast(duplicates_.twin, team.world());
  for (Index k = first_; k < first_ + n_own_; ++k) {
    const bool can_win = !duplicates_.repeated(k);
    part_.kind.push_back(can_win ? kinds_[k] : FeatureKind::empty);
  }
}

DistributedFeatures::~DistributedFeatures() {
  if (is_failing()) return;
  MPI_Win_unlock_all(window_);
  MPI_Win_free(&window_);
}

/// Of all features, at the first rank; collective.
std::vector<Index> DistributedFeatures::twins(const JobFeatures& features, const RunContext& run) {
  if (!job_.in_parts) {
    return team_.is_first() ? detail::find_duplicates(features.all, run).twin
                            : std::vector<Index>();
  }
  const auto hashes = gather_parts(team_, detail::hashes_up_to_sign(features.parts->own, run));
  if (!team_.is_first()) return {};
  const auto equal_ones = [&](std::span<const detail::FeaturePair> pairs) { return equal(pairs); };
  return detail::find_duplicates(hashes, kinds_, equal_ones).twin;
}

/// Columns of other ranks are fetched many at a time: a fetch waits for the network.
std::vector<char> DistributedFeatures::equal(std::span<const detail::FeaturePair> pairs) {
  constexpr std::size_t kTogether = 256;
  std::vector<char> are_equal;
  std::vector<Index> wanted;
  while (!pairs.empty()) {
    const auto some = pairs.first(std::min(kTogether, pairs.size()));
    wanted.clear();
    for (const auto& [first, second] : some) {
      wanted.push_back(first);
      wanted.push_back(second);
    }
    fetch(wanted);
    for (const auto& [first, second] : some) {
      are_equal.push_back(detail::equal_up_to_sign(column(first), column(second)) ? 1 : 0);
    }
    pairs = pairs.subspan(some.size());
  }
  return are_equal;
}

void DistributedFeatures::distribute(const UnitFeatures& features, double* own) {
  const auto n = static_cast<std::size_t>(job_.n_samples);
  const auto in_messages = [](std::size_t n_values, const auto& move) {
    for (std::size_t begin = 0; begin < n_values; begin += kValuesPerMessage) {
      move(begin, static_cast<int>(std::min(kValuesPerMessage, n_values - begin)));
    }
  };
  if (!team_.is_first()) {
    const std::size_t n_values = n * static_cast<std::size_t>(n_own_);
    in_messages(n_values, [&](std::size_t begin, int count) {
      MPI_Recv(own + begin, count, MPI_DOUBLE, 0, kDistributeTag, team_.world(), MPI_STATUS_IGNORE);
    });
    team_.traffic().received_bytes += static_cast<std::int64_t>(n_values * sizeof(double));
    return;
  }
  const double* all = std::get<DenseMatrix>(features.matrix).data();
  std::copy_n(all, n * static_cast<std::size_t>(n_own_), own);
  for (int rank = 1; rank < team_.size(); ++rank) {
    const auto r = static_cast<std::size_t>(rank);
    const double* part = all + n * static_cast<std::size_t>(firsts_[r]);
    const std::size_t n_values = n * static_cast<std::size_t>(firsts_[r + 1] - firsts_[r]);
    in_messages(n_values, [&](std::size_t begin, int count) {
      MPI_Send(part + begin, count, MPI_DOUBLE, rank, kDistributeTag, team_.world());
    });
    team_.traffic().sent_bytes += static_cast<std::int64_t>(n_values * sizeof(double));
  }
}

int DistributedFeatures::owner(Index feature) const {
  return static_cast<int>(std::ranges::upper_bound(firsts_, feature) - firsts_.begin()) - 1;
}

void DistributedFeatures::fetch(std::span<const Index> features) {
  const auto n = static_cast<std::size_t>(job_.n_samples);
  places_.clear();
  for (const Index feature : features) {
    const bool is_own = feature >= first_ && feature < first_ + n_own_;
    if (!is_own) places_.try_emplace(feature, places_.size());
  }
  fetched_.resize(places_.size() * n);
  for (const auto& [feature, place] : places_) {
    const int from = owner(feature);
    const auto start = static_cast<MPI_Aint>(n) * (feature - firsts_[from]);
    MPI_Get(fetched_.data() + place * n, job_.n_samples, MPI_DOUBLE, from, start, job_.n_samples,
            MPI_DOUBLE, window_);
  }
  MPI_Win_flush_all(window_);
  team_.traffic().received_bytes += static_cast<std::int64_t>(fetched_.size() * sizeof(double));
}

std::span<const double> DistributedFeatures::column(Index feature) const {
  if (feature >= first_ && feature < first_ + n_own_) {
    return std::get<DenseMatrix>(part_.matrix).column(feature - first_);
  }
  const auto n = static_cast<std::size_t>(job_.n_samples);
  return {fetched_.data() + places_.at(feature) * n, n};
}

}  // namespace sfg::mpi
