#include "dictionary_part.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/kernels.hpp"
#include "core/threads.hpp"
#include "pursuit/omp/tolerances.hpp"

namespace sfg::mpi {

namespace {

/// Numbers in one message while the data are dealt out: counts of MPI are int.
constexpr std::size_t kDealt = std::size_t{1} << 25U;
constexpr int kDealTag = 2;
/// Searches that one worker screens together, as the driver does.
constexpr std::size_t kTogether = 96;

detail::Duplicates no_duplicates(Index n) {
  detail::Duplicates none;
  none.twin.assign(static_cast<std::size_t>(n), -1);
  return none;
}

}  // namespace

Index first_of_part(int rank, int n_ranks, Index n_features) {
  return static_cast<Index>(static_cast<std::int64_t>(n_features) * rank / n_ranks);
}

DealtFeatures::DealtFeatures(Team& team, const Job& job, UnitFeatures features,
                             const RunContext& run)
    : team_(team), job_(job) {
  for (int rank = 0; rank <= team.size(); ++rank) {
    firsts_.push_back(first_of_part(rank, team.size(), job.n_features));
  }
  const auto place = static_cast<std::size_t>(team.rank());
  first_ = firsts_[place];
  n_own_ = firsts_[place + 1] - first_;
  const auto d = static_cast<std::size_t>(job.n_features);
  if (team.is_first()) {
    kinds_ = features.kind;
    duplicates_ = detail::find_duplicates(features, run);
  }
  kinds_.resize(d);
  duplicates_.twin.resize(d);
  team.broadcast(kinds_, team.world());
  team.broadcast(duplicates_.twin, team.world());

  const auto n_values = static_cast<std::size_t>(job.n_samples) * static_cast<std::size_t>(n_own_);
  double* own = nullptr;
  MPI_Win_allocate(static_cast<MPI_Aint>(n_values * sizeof(double)), sizeof(double), MPI_INFO_NULL,
                   team.world(), static_cast<void*>(&own), &window_);
  MPI_Win_lock_all(MPI_MODE_NOCHECK, window_);
  deal(features, own);
  MPI_Win_sync(window_);
  MPI_Barrier(team.world());
  part_.matrix = DenseMatrix(job.n_samples, n_own_, Buffer<double>::borrow({own, n_values}));
  for (Index k = first_; k < first_ + n_own_; ++k) {
    const bool can_win = !duplicates_.repeated(k);
    part_.kind.push_back(can_win ? kinds_[k] : FeatureKind::empty);
  }
}

DealtFeatures::~DealtFeatures() {
  if (is_failing()) return;
  MPI_Win_unlock_all(window_);
  MPI_Win_free(&window_);
}

void DealtFeatures::deal(const UnitFeatures& features, double* own) {
  const auto n = static_cast<std::size_t>(job_.n_samples);
  const auto in_messages = [](std::size_t n_values, const auto& move) {
    for (std::size_t begin = 0; begin < n_values; begin += kDealt) {
      move(begin, static_cast<int>(std::min(kDealt, n_values - begin)));
    }
  };
  if (!team_.is_first()) {
    const std::size_t n_values = n * static_cast<std::size_t>(n_own_);
    in_messages(n_values, [&](std::size_t begin, int count) {
      MPI_Recv(own + begin, count, MPI_DOUBLE, 0, kDealTag, team_.world(), MPI_STATUS_IGNORE);
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
      MPI_Send(part + begin, count, MPI_DOUBLE, rank, kDealTag, team_.world());
    });
    team_.traffic().sent_bytes += static_cast<std::int64_t>(n_values * sizeof(double));
  }
}

int DealtFeatures::owner(Index feature) const {
  return static_cast<int>(std::ranges::upper_bound(firsts_, feature) - firsts_.begin()) - 1;
}

void DealtFeatures::fetch(std::span<const Index> features) {
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

std::span<const double> DealtFeatures::column(Index feature) const {
  if (feature >= first_ && feature < first_ + n_own_) {
    return std::get<DenseMatrix>(part_.matrix).column(feature - first_);
  }
  const auto n = static_cast<std::size_t>(job_.n_samples);
  return {fetched_.data() + places_.at(feature) * n, n};
}

PartSearch::PartSearch(const DealtFeatures& dealt, const PursuitOptions& options,
                       const RunContext& run)
    : dealt_(dealt),
      run_(run),
      none_(no_duplicates(dealt.n_own())),
      screen_(dealt.part(), none_, detail::fastest_tile_kernel(options.screen), run),
      work_(static_cast<std::size_t>(detail::worker_count(run))) {}

void PartSearch::improve(std::span<Search> searches) {
  const std::size_t n_parts = (searches.size() + kTogether - 1) / kTogether;
  detail::parallel_for_workers(
      run_, {}, static_cast<std::int64_t>(n_parts), [&](std::int64_t item, int worker) {
        const std::size_t begin = static_cast<std::size_t>(item) * kTogether;
        improve_some(searches.subspan(begin, std::min(kTogether, searches.size() - begin)), worker);
      });
}

void PartSearch::improve_some(std::span<Search> searches, int worker) {
  Work& work = work_[worker];
  work.queries.clear();
  work.forbidden.resize(std::max(work.forbidden.size(), searches.size()));
  work.lists.resize(std::max(work.lists.size(), searches.size()));
  for (std::size_t b = 0; b < searches.size(); ++b) {
    auto& forbidden = work.forbidden[b];
    forbidden.clear();
    for (const Index atom : searches[b].forbidden) {
      if (atom >= dealt_.first() && atom < dealt_.first() + dealt_.n_own()) {
        forbidden.push_back(atom - dealt_.first());
      }
    }
    work.queries.push_back(
        {searches[b].residual.data(), searches[b].winners.best(), forbidden, nullptr});
  }
  screen_.find(work.queries, worker, work.lists);
  for (std::size_t b = 0; b < searches.size(); ++b) take(work.lists[b], searches[b], work);
}

double PartSearch::score(Index feature, const Search& search) const {
  return std::fabs(
      detail::dot(dealt_.column(feature).data(), search.residual.data(), search.residual.size()));
}

/// The exact scores decide, in the sums of the driver: the highest bounds need no more than a look.
void PartSearch::take(std::span<const detail::Candidate> candidates, Search& search,
                      Work& work) const {
  const auto consider = [&](Index feature) {
    ++work.n_candidates;
    search.winners.add({feature, score(feature, search)});
  };
  for (const detail::Candidate& candidate : candidates) {
    if (static_cast<double>(candidate.upper) < search.winners.best() - detail::kScoreTie) continue;
    consider(dealt_.first() + candidate.feature);
  }
  const Index twin = search.twin;
  const bool is_here = twin >= dealt_.first() && twin < dealt_.first() + dealt_.n_own();
  if (is_here && std::ranges::find(search.forbidden, twin) == search.forbidden.end()) {
    consider(twin);
  }
}

double PartSearch::n_candidates() const {
  double sum = 0;
  for (const Work& work : work_) sum += work.n_candidates;
  return sum;
}

}  // namespace sfg::mpi
