#pragma once

#include <cmath>
#include <optional>
#include <span>
#include <vector>

#include "core/kernels.hpp"
#include "groups/cover_ceilings.hpp"
#include "groups/cover_lists.hpp"
#include "groups/cover_phases.hpp"
#include "groups/joint_bounds.hpp"
#include "groups/joint_gain.hpp"

namespace sfg::detail {

/// Gains this close, relatively, are a tie, and the lowest index wins. Relative, because a gain is
/// a sum over all features and may be of any size.
inline constexpr double kRelativeGainTie = 1e-12;
/// The lowest gain that ties with the best one.
[[nodiscard]] inline double tied_with(double best) noexcept {
  return best - kRelativeGainTie * std::fabs(best);
}

/// G, M and, now and then, two more matrices of the same size, beside the data.
[[nodiscard]] double memory_of_inverse(const UnitFeatures& features);

/// Greedy cover. Symbols: S = picks, b_i = max over S of r_is^2, c_j = sum_i max(0, r_ij^2 - b_i).
/// Picking j raises J by 1/2 c_j + 1/2 of what it explains of all features together (JointGain).
/// c only falls, so an old one bounds a gain from above, and few features need a second look. First
/// each look takes a pass over the data (cover_passes.cpp). Once the pairs that still count are
/// few, they are listed, and the gains of all features have bounds from floats (CoverPhases).
class GreedyCover {
 public:
  GreedyCover(const UnitFeatures& features, const RunContext& run, const CoverPhases& phases);

  /// The best feature that is not picked yet; -1 if there is none.
  [[nodiscard]] Index best();
  void pick(Index feature);
  /// Mean of b over the features that are not picked.
  [[nodiscard]] double mean_r2() const;
  [[nodiscard]] double lowest_r2() const;
  [[nodiscard]] bool is_open(Index feature) const noexcept { return open_[feature] != 0; }

 private:
  [[nodiscard]] double gain(Index feature) const noexcept {
    const auto j = static_cast<std::size_t>(feature);
    return (c_[j] + joint_.gains()[j]) / 2;
  }
  /// At least the gain.
  [[nodiscard]] double bound(std::size_t j) const noexcept {
    return (c_[j] + bounds_->bound(j)) / 2;
  }
  void find_cover_gains(std::span<const Index> features);
  [[nodiscard]] Index best_by_passes();
  [[nodiscard]] Index best_listed();
  /// The lowest of those up to date with the highest gain.
  [[nodiscard]] Index best_up_to_date() const;
  void pick_by_pass(Index feature);
  void pick_listed(Index feature);
  void list_if_it_pays();
  [[nodiscard]] std::vector<Index> possible(double limit) const;
  void settle(std::span<const Index> features, double limit);
  /// The same with several threads if that is enough work for them.
  void settle_together(std::span<const Index> features, double limit);
  /// Puts a vector into place v of the eight.
  void set_vector(std::size_t v, const double* values);
  void set_feature(std::size_t v, Index feature);
  /// Adds up the blocks' parts of cover gains; those of the first feature are in `first_place`.
  void take_cover_gains(std::span<const Index> features, std::size_t first_place,
                        const std::vector<double>& sums);
  [[nodiscard]] std::vector<Index> stale_candidates(std::size_t most) const;
  /// Lowers all c if that is less work than a look at each feature that may be the best.
  void lower_all_if_it_pays();
  [[nodiscard]] std::size_t n_blocks() const noexcept {
    return (d_ + kFeatureBlock - 1) / kFeatureBlock;
  }

  /// Vectors that are multiplied with the features in one round at most.
  static constexpr std::size_t kMostVectors = 4 * kEight;

  const UnitFeatures& features_;
  RunContext run_;
  CoverPhases phases_;
  std::size_t n_;
  std::size_t d_;
  std::vector<char> open_;  ///< regular and not picked
  Index n_open_ = 0;
  JointGain joint_;
  std::vector<double> c_, b_;
  std::vector<Index> up_to_date_;     ///< features whose c was found after the last pick
  std::size_t n_late_ = 0;            ///< how many of them were not foreseen by the last pick
  std::vector<std::size_t> c_as_of_;  ///< picks when c_j was found: before, it is an upper bound
  std::vector<double> vectors_;       ///< batches of eight vectors over the samples, interleaved
  std::vector<double> column_;
  double most_entries_;         ///< of lists; 0: none
  double n_multiplied_ = 0;     ///< vectors, with all features
  std::size_t next_count_ = 0;  ///< picks before it is worth looking how long lists would be
  std::optional<FloatFeatures> rounded_;
  std::optional<CoverCeilings> ceilings_;
  std::optional<CoverLists> lists_;
  std::optional<JointBounds> bounds_;
};

}  // namespace sfg::detail
