#pragma once

#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "job.hpp"
#include "pursuit/engines/stream/screen.hpp"
#include "pursuit/omp/duplicates.hpp"
#include "pursuit/omp/sample_space.hpp"
#include "search.hpp"
#include "sfg/normalise.hpp"
#include "team.hpp"

namespace sfg::mpi {

/// First feature of a rank's part; that of the rank after the last is the number of features.
[[nodiscard]] Index first_of_part(int rank, int n_ranks, Index n_features);

/// The features dealt out to the ranks: each holds a part, and fetches single columns of the others
/// (one-sided) when it needs them.
class DealtFeatures final : public detail::ColumnSource {
 public:
  /// Collective. `features` are those of the first rank, dense, and are used up.
  DealtFeatures(Team& team, const Job& job, UnitFeatures features, const RunContext& run);
  ~DealtFeatures() override;
  DealtFeatures(const DealtFeatures&) = delete;
  DealtFeatures& operator=(const DealtFeatures&) = delete;

  [[nodiscard]] Index first() const noexcept { return first_; }
  [[nodiscard]] Index n_own() const noexcept { return n_own_; }
  /// The own part, where features that can never win are marked as empty.
  [[nodiscard]] const UnitFeatures& part() const noexcept { return part_; }
  [[nodiscard]] const std::vector<FeatureKind>& kinds() const noexcept { return kinds_; }
  [[nodiscard]] const detail::Duplicates& duplicates() const noexcept { return duplicates_; }

  /// Makes these columns, and no others but the own ones, available to column().
  void fetch(std::span<const Index> features);
  [[nodiscard]] std::span<const double> column(Index feature) const override;

 private:
  void deal(const UnitFeatures& features, double* own);
  [[nodiscard]] int owner(Index feature) const;

  Team& team_;
  const Job& job_;
  Index first_ = 0;
  Index n_own_ = 0;
  std::vector<Index> firsts_;  ///< of all parts, and the end
  std::vector<FeatureKind> kinds_;
  detail::Duplicates duplicates_;
  MPI_Win window_ = MPI_WIN_NULL;
  UnitFeatures part_;
  std::vector<double> fetched_;
  std::unordered_map<Index, std::size_t> places_;  ///< of the fetched columns
};

/// Looks for better atoms in one part of the dictionary.
class PartSearch {
 public:
  PartSearch(const DealtFeatures& dealt, const PursuitOptions& options, const RunContext& run);

  /// Every search gets the winners among this part and all parts before.
  void improve(std::span<Search> searches);

  [[nodiscard]] std::string kernel() const { return screen_.kernel().name; }
  [[nodiscard]] double n_candidates() const;

 private:
  struct Work {
    std::vector<detail::ScreenQuery> queries;
    std::vector<std::vector<Index>> forbidden;
    std::vector<std::vector<detail::Candidate>> lists;
    double n_candidates = 0;
  };
  void improve_some(std::span<Search> searches, int worker);
  void take(std::span<const detail::Candidate> candidates, Search& search, Work& work) const;
  [[nodiscard]] double score(Index feature, const Search& search) const;

  const DealtFeatures& dealt_;
  const RunContext& run_;
  detail::Duplicates none_;
  detail::CandidateScreen screen_;
  std::vector<Work> work_;
};

}  // namespace sfg::mpi
