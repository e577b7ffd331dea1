#pragma once

#include <span>
#include <utility>
#include <vector>

#include "pursuit/omp/candidate.hpp"
#include "pursuit/omp/duplicates.hpp"
#include "pursuit/omp/orthogonal_fit.hpp"
#include "pursuit/omp/sample_space.hpp"
#include "pursuit/omp/scorer.hpp"
#include "pursuit/omp/selection.hpp"
#include "sfg/pursuit.hpp"

namespace sfg::detail {

/// The representation of one target, grown atom by atom. The caller finds the products of query()
/// with all features and hands them to step(), until finished().
template <typename Space>
class TargetPursuit {
 public:
  /// `kinds` are those of the targets, `duplicates` those of the dictionary.
  TargetPursuit(Space space, std::span<const FeatureKind> kinds, const Duplicates& duplicates,
                const PursuitOptions& options)
      : options_(options), duplicates_(duplicates), kinds_(kinds), space_(std::move(space)) {}

  /// `self` is the target's own number in the dictionary, -1 if it is not in there.
  void start(Index target, Index self);
  [[nodiscard]] bool finished() const noexcept { return finished_; }

  /// The vector whose products are wanted next: the residual (OMP, and OLS at its start) or the
  /// newest direction (OLS).
  [[nodiscard]] Query query();

  /// Adds the best atom, given the products of query() (overwritten) and their error bound.
  template <typename Value>
  void step(std::span<Value> products, double error_bound);

  /// As above, given a list (ascending) that has the best atom in it for sure.
  void step(std::span<const Candidate> candidates);

  /// Atoms that must not win: the target itself, chosen and dependent ones.
  [[nodiscard]] std::span<const Index> forbidden() const noexcept { return forbidden_; }
  /// The exact score of some allowed atom: the best of the runners-up of the last step, or of the
  /// target's neighbours in the table.
  [[nodiscard]] double reached() const;
  /// Atoms that had high scores in the last step; for the screen to fill.
  [[nodiscard]] std::vector<Index>& runners_up() noexcept { return runners_up_; }

  /// Asks memory for the columns that reached() or step() will read.
  void fetch_runners_up() const noexcept {
    for (const Index atom : runners_up_) space_.fetch(atom);
  }
  void fetch(std::span<const Candidate> candidates) const noexcept {
    for (const Candidate& candidate : candidates) space_.fetch(candidate.feature);
  }

  [[nodiscard]] Index target() const noexcept { return target_; }
  [[nodiscard]] PursuitStatus status() const noexcept { return status_; }
  [[nodiscard]] const std::vector<Index>& atoms() const noexcept { return atoms_; }
  [[nodiscard]] const OrthogonalFit& fit() const noexcept { return fit_; }
  /// What is left of the target, in [0, 1].
  [[nodiscard]] double residual_square() const noexcept {
    return status_ == PursuitStatus::no_direction ? 1 : fit_.residual_square();
  }

 private:
  void finish(PursuitStatus status) noexcept {
    finished_ = true;
    status_ = status;
  }
  template <typename Value>
  void take_in(std::span<Value> products, double error_bound);
  template <typename Value>
  void find_candidates(std::span<const Value> products, double error_bound);
  template <typename Value>
  void exclude(std::span<Value> products, Index atom);
  void add_hidden_twin();
  [[nodiscard]] double exact_score(Index atom);
  /// The first candidate within a tie of the best score, -1 if that is not above the rounding
  /// level.
  [[nodiscard]] Index best_candidate();
  /// Puts the atom in, or notes that it is dependent.
  OrthogonalFit::Added add(Index atom);
  void check_progress(double before);

  const PursuitOptions& options_;
  const Duplicates& duplicates_;
  std::span<const FeatureKind> kinds_;
  Space space_;
  OrthogonalFit fit_;
  OlsScores ols_;
  Index target_ = -1;
  Index self_ = -1;
  bool finished_ = true;
  PursuitStatus status_ = PursuitStatus::no_direction;
  std::vector<Index> atoms_;
  std::vector<Index> forbidden_;
  std::vector<Index> runners_up_;
  std::vector<double> weights_;  ///< of the query
  std::vector<Index> candidates_;
  std::vector<double> scores_;
  SampleVector scratch_;
};

extern template class TargetPursuit<DenseSpace>;
extern template class TargetPursuit<SparseSpace>;
extern template class TargetPursuit<FetchedSpace>;

}  // namespace sfg::detail
