#pragma once

#include <span>
#include <string>
#include <vector>

#include "distributed_features.hpp"
#include "pursuit/engines/candidate_finder.hpp"
#include "pursuit/engines/stream/stream_finder.hpp"
#include "result_queue.hpp"
#include "search.hpp"
#include "team.hpp"

namespace sfg::mpi {

/// Looks for better atoms in one part of the dictionary.
class PartFinder {
 public:
  PartFinder(const DistributedFeatures& features, const PursuitOptions& options,
             const RunContext& run);

  /// Every search gets the winners among this part and all parts before.
  void improve(std::span<Search> searches);

  [[nodiscard]] std::string kernel_name() const { return finder_.kernel_name(); }
  [[nodiscard]] double n_candidates() const;

 private:
  struct Work {
    std::vector<detail::Query> queries;
    std::vector<std::vector<Index>> forbidden;
    std::vector<detail::CandidateList> lists;
    double n_candidates = 0;
  };
  void improve_some(std::span<Search> searches, int worker);
  void take(std::span<const detail::Candidate> candidates, Search& search, Work& work) const;
  [[nodiscard]] double score(Index feature, const Search& search) const;

  const DistributedFeatures& features_;
  const RunContext& run_;
  detail::Duplicates none_;
  detail::StreamFinder finder_;
  std::vector<Work> work_;
};

/// The finder of a rank whose features are spread over all ranks: the residuals of every rank's
/// targets go once round the ring, and each rank looks for better atoms in its part.
class RingFinder final : public detail::CandidateFinder {
 public:
  RingFinder(Team& team, DistributedFeatures& features, ResultQueue& results,
             const PursuitOptions& options, const RunContext& run);

  /// Collective, also for a rank without queries. The columns of all atoms in the lists are at hand
  /// afterwards.
  void find(std::span<const detail::Query> queries, std::span<detail::CandidateList> lists,
            int worker) override;

  [[nodiscard]] std::string kernel_name() const override { return part_.kernel_name(); }
  [[nodiscard]] double n_candidates() const { return part_.n_candidates(); }

 private:
  void go_round();

  Team& team_;
  DistributedFeatures& features_;
  ResultQueue& results_;
  PartFinder part_;
  std::vector<Search> searches_;
  std::string out_;
  std::string in_;
};

}  // namespace sfg::mpi
