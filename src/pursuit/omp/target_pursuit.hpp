#pragma once

#include <span>
#include <utility>
#include <vector>

#include "pursuit/engines/candidate_finder.hpp"
#include "pursuit/omp/duplicates.hpp"
#include "pursuit/omp/orthogonal_fit.hpp"
#include "pursuit/omp/sample_space.hpp"
#include "pursuit/omp/selection.hpp"
#include "sfg/pursuit.hpp"

namespace sfg::detail {

/// The representation of one target, grown atom by atom. The caller finds the candidates for
/// query() and hands them to take_best_of(), until finished().
template <typename Space>
class TargetPursuit {
 public:
  /// `kinds` are those of the targets, `duplicates` those of the dictionary; `early` may be null.
  TargetPursuit(Space space, std::span<const FeatureKind> kinds, const Duplicates& duplicates,
                const PursuitOptions& options, const EarlyEnd* early = nullptr)
      : options_(options),
        duplicates_(duplicates),
        kinds_(kinds),
        early_(early),
        space_(std::move(space)) {}

  /// `self` is the target's own number in the dictionary, -1 if it is not in there.
  void start(Index target, Index self);
  [[nodiscard]] bool finished() const noexcept { return finished_; }

  /// What the target asks a finder. Holds until the next call of a member that changes the target.
  [[nodiscard]] Query query() noexcept;
  /// Chooses the best candidate, refits, and checks the stop rule. An atom that turns out to depend
  /// on the chosen ones is forbidden from then on, and the target asks again without it.
  void take_best_of(std::span<const Candidate> candidates);
  /// Asks memory for the columns that take_best_of() will read.
  void prefetch(std::span<const Candidate> candidates) const noexcept {
    for (const Candidate& candidate : candidates) space_.prefetch(candidate.feature);
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
  /// An atom and its exact score.
  struct Scored {
    Index atom;
    double score;
  };

  void finish(PursuitStatus status) noexcept {
    finished_ = true;
    status_ = status;
  }
  [[nodiscard]] double exact_score(Index atom);
  void score(std::span<const Candidate> candidates);
  void score_hidden_twin();
  /// The first atom within a tie of the best score, -1 if that may be rounding.
  [[nodiscard]] Index choose(std::span<const Candidate> candidates);
  [[nodiscard]] OrthogonalFit::Added refit_with(Index atom);
  void check_stop_rule(double residual_square_before);
  [[nodiscard]] bool is_doubtful() const noexcept {
    return early_ != nullptr && early_->doubtful[target_] != 0;
  }
  [[nodiscard]] bool leads_nowhere(double gain, double before) noexcept;
  /// How far a target may go whose first atom is in.
  [[nodiscard]] int atoms_worth_while() const noexcept;

  const PursuitOptions& options_;
  const Duplicates& duplicates_;
  std::span<const FeatureKind> kinds_;
  const EarlyEnd* early_;
  Space space_;
  OrthogonalFit fit_;
  OlsScores ols_;
  Index target_ = -1;
  Index self_ = -1;
  bool finished_ = true;
  int most_atoms_ = 0;
  int n_weak_ = 0;  ///< last atoms that explain less than EarlyEnd::least_share
  PursuitStatus status_ = PursuitStatus::no_direction;
  std::vector<Index> atoms_;
  std::vector<Index> forbidden_;   ///< the target itself, chosen and dependent atoms
  std::vector<Index> runners_up_;  ///< for the finder, see Query
  std::vector<Scored> scored_;     ///< ascending by atom
  SampleVector scratch_;
};

extern template class TargetPursuit<DenseSpace>;
extern template class TargetPursuit<SparseSpace>;
extern template class TargetPursuit<FetchedSpace>;

}  // namespace sfg::detail
