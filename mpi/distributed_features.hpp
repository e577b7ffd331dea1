#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "job.hpp"
#include "pursuit/omp/duplicates.hpp"
#include "pursuit/omp/sample_space.hpp"
#include "sfg/normalise.hpp"
#include "team.hpp"

namespace sfg::mpi {

/// The features spread over the ranks: each holds a part, and fetches single columns of the others
/// (one-sided) when it needs them.
class DistributedFeatures final : public detail::ColumnSource {
 public:
  /// Collective. The features are dense, and are used up.
  DistributedFeatures(Team& team, const Job& job, JobFeatures features, const RunContext& run);
  ~DistributedFeatures() override;
  DistributedFeatures(const DistributedFeatures&) = delete;
  DistributedFeatures& operator=(const DistributedFeatures&) = delete;

  [[nodiscard]] std::size_t n_samples() const noexcept {
    return static_cast<std::size_t>(job_.n_samples);
  }
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
  [[nodiscard]] std::vector<Index> twins(const JobFeatures& features, const RunContext& run);
  [[nodiscard]] std::vector<char> equal(std::span<const detail::FeaturePair> pairs);
  void distribute(const UnitFeatures& features, double* own);
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

}  // namespace sfg::mpi
