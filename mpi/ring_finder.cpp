#include "ring_finder.hpp"

#include <algorithm>
#include <cmath>

#include "core/kernels.hpp"
#include "core/threads.hpp"
#include "pursuit/engines/stream/tile.hpp"
#include "pursuit/omp/tolerances.hpp"

namespace sfg::mpi {

namespace {

/// Searches that one worker screens together, as in one process.
constexpr std::size_t kTogether = 96;
constexpr int kRingTag = 3;

detail::Duplicates no_duplicates(Index n) {
  detail::Duplicates none;
  none.twin.assign(static_cast<std::size_t>(n), -1);
  return none;
}

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

}  // namespace

PartFinder::PartFinder(const DistributedFeatures& features, const PursuitOptions& options,
                       const RunContext& run)
    : features_(features),
      run_(run),
      none_(no_duplicates(features.n_own())),
      finder_(features.part(), none_, detail::fastest_tile_kernel(options.screen), run),
      work_(static_cast<std::size_t>(detail::worker_count(run))) {}

void PartFinder::improve(std::span<Search> searches) {
  const std::size_t n_parts = (searches.size() + kTogether - 1) / kTogether;
  detail::parallel_for_workers(
      run_, {}, static_cast<std::int64_t>(n_parts), [&](std::int64_t item, int worker) {
        const std::size_t begin = static_cast<std::size_t>(item) * kTogether;
        improve_some(searches.subspan(begin, std::min(kTogether, searches.size() - begin)), worker);
      });
}

void PartFinder::improve_some(std::span<Search> searches, int worker) {
  Work& work = work_[worker];
  work.queries.clear();
  work.forbidden.resize(std::max(work.forbidden.size(), searches.size()));
  work.lists.resize(std::max(work.lists.size(), searches.size()));
  for (std::size_t b = 0; b < searches.size(); ++b) {
    auto& forbidden = work.forbidden[b];
    forbidden.clear();
    for (const Index atom : searches[b].forbidden) {
      if (atom >= features_.first() && atom < features_.first() + features_.n_own()) {
        forbidden.push_back(atom - features_.first());
      }
    }
    detail::Query query;
    query.residual = &searches[b].residual;
    query.forbidden = forbidden;
    query.known_score = searches[b].winners.best();
    work.queries.push_back(query);
  }
  finder_.find(work.queries, work.lists, worker);
  for (std::size_t b = 0; b < searches.size(); ++b) take(work.lists[b], searches[b], work);
}

double PartFinder::score(Index feature, const Search& search) const {
  return std::fabs(detail::dot(features_.column(feature).data(), search.residual.data() + 1,
                               search.residual.size() - 1));
}

/// The exact scores decide, in the sums of one process: the highest bounds need no more than a
/// look.
void PartFinder::take(std::span<const detail::Candidate> candidates, Search& search,
                      Work& work) const {
  const auto consider = [&](Index feature) {
    ++work.n_candidates;
    search.winners.add({feature, score(feature, search)});
  };
  for (const detail::Candidate& candidate : candidates) {
    if (static_cast<double>(candidate.upper) < search.winners.best() - detail::kScoreTie) continue;
    consider(features_.first() + candidate.feature);
  }
  const Index twin = search.twin;
  const bool is_here = twin >= features_.first() && twin < features_.first() + features_.n_own();
  if (is_here && std::ranges::find(search.forbidden, twin) == search.forbidden.end()) {
    consider(twin);
  }
}

double PartFinder::n_candidates() const {
  double sum = 0;
  for (const Work& work : work_) sum += work.n_candidates;
  return sum;
}

RingFinder::RingFinder(Team& team, DistributedFeatures& features, ResultQueue& results,
                       const PursuitOptions& options, const RunContext& run)
    : team_(team), features_(features), results_(results), part_(features, options, run) {}

void RingFinder::find(std::span<const detail::Query> queries,
                      std::span<detail::CandidateList> lists, int /*worker*/) {
  searches_.resize(queries.size());
  for (std::size_t b = 0; b < queries.size(); ++b) {
    Search& search = searches_[b];
    search.residual = *queries[b].residual;
    search.forbidden.assign(queries[b].forbidden.begin(), queries[b].forbidden.end());
    search.twin = features_.duplicates().hidden_twin(queries[b].self);
    search.winners.clear();
  }
  go_round();
  std::vector<Index> wanted;
  for (std::size_t b = 0; b < queries.size(); ++b) {
    lists[b].clear();
    for (const Scored& winner : searches_[b].winners.list()) {
      lists[b].push_back({winner.feature, detail::float_above(winner.score)});
      wanted.push_back(winner.feature);
    }
  }
  features_.fetch(wanted);
}

/// After as many visits as there are ranks every search is at home again, with its winners.
void RingFinder::go_round() {
  for (int visit = 1; visit <= team_.size(); ++visit) {
    part_.improve(searches_);
    if (team_.is_first()) results_.receive_arrived();
    if (team_.size() == 1) return;
    // Only the winners come home.
    const Content content = visit < team_.size() ? Content::everything : Content::winners;
    pack(searches_, content, out_);
    pass_on(team_, out_, in_);
    unpack(in_, content, features_.n_samples(), searches_);
  }
}

}  // namespace sfg::mpi
