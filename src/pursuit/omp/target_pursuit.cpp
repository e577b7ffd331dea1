#include "pursuit/omp/target_pursuit.hpp"

#include <algorithm>
#include <cmath>

#include "pursuit/omp/tolerances.hpp"

namespace sfg::detail {

namespace {

/// One wrong atom may be chosen on the way to a sum: two are no way.
constexpr int kWeakInARow = 2;

}  // namespace

template <typename Space>
void TargetPursuit<Space>::start(Index target, Index self) {
  target_ = target;
  self_ = self;
  finished_ = false;
  most_atoms_ = options_.max_atoms;
  n_weak_ = 0;
  atoms_.clear();
  forbidden_.clear();
  if (self >= 0) forbidden_.push_back(self);
  runners_up_.clear();
  ols_.reset();
  const double n_shared = space_.start(target, scratch_);
  fit_.start(scratch_, n_shared);
  if (kinds_[target] != FeatureKind::regular) finish(PursuitStatus::no_direction);
}

template <typename Space>
Query TargetPursuit<Space>::query() noexcept {
  Query query;
  query.residual = &fit_.residual();
  query.forbidden = forbidden_;
  query.runners_up = &runners_up_;
  query.self = self_;
  query.rows = space_.rows();
  query.atoms = atoms_;
  query.fit = &fit_;
  query.ols = options_.method == PursuitMethod::ols ? &ols_ : nullptr;
  return query;
}

template <typename Space>
void TargetPursuit<Space>::take_best_of(std::span<const Candidate> candidates) {
  const Index atom = choose(candidates);
  if (atom < 0) return finish(PursuitStatus::stalled);
  const double before = fit_.residual_square();
  if (refit_with(atom) == OrthogonalFit::Added::yes) check_stop_rule(before);
}

template <typename Space>
double TargetPursuit<Space>::exact_score(Index atom) {
  const double product = std::fabs(space_.product(atom, fit_.residual()));
  if (options_.method == PursuitMethod::omp || atoms_.empty()) return product;
  space_.expand(atom, fit_, scratch_);
  const double outside = fit_.length_outside(scratch_);
  return outside < kDependent ? 0.0 : product / outside;
}

/// OMP: the one with the highest bound first, as its exact score rules out most of the others. OLS:
/// all in order, because scoring an atom of sparse data gives its samples their places in the fit:
/// the order of the sums must not depend on the bounds.
template <typename Space>
void TargetPursuit<Space>::score(std::span<const Candidate> candidates) {
  scored_.clear();
  if (options_.method == PursuitMethod::ols) {
    for (const Candidate& one : candidates) {
      scored_.push_back({one.feature, exact_score(one.feature)});
    }
    return;
  }
  if (candidates.empty()) return;
  const auto likely = std::ranges::max_element(candidates, {}, &Candidate::upper);
  const double likely_score = exact_score(likely->feature);
  for (auto candidate = candidates.begin(); candidate != candidates.end(); ++candidate) {
    if (candidate == likely) {
      scored_.push_back({candidate->feature, likely_score});
    } else if (static_cast<double>(candidate->upper) >= likely_score - kScoreTie) {
      scored_.push_back({candidate->feature, exact_score(candidate->feature)});
    }
  }
}

/// No finder finds the equal of a feature that is the first of its kind.
template <typename Space>
void TargetPursuit<Space>::score_hidden_twin() {
  const Index twin = self_ < 0 ? -1 : duplicates_.hidden_twin(self_);
  if (twin < 0 || std::ranges::find(forbidden_, twin) != forbidden_.end()) return;
  const auto place = std::ranges::lower_bound(scored_, twin, {}, &Scored::atom);
  if (place != scored_.end() && place->atom == twin) return;
  scored_.insert(place, {twin, exact_score(twin)});
}

template <typename Space>
Index TargetPursuit<Space>::choose(std::span<const Candidate> candidates) {
  score(candidates);
  score_hidden_twin();
  double best = 0;
  for (const Scored& one : scored_) best = std::max(best, one.score);
  if (best <= kScoreFloor) return -1;
  const auto is_tied = [best](const Scored& one) { return one.score >= best - kScoreTie; };
  return std::ranges::find_if(scored_, is_tied)->atom;
}

template <typename Space>
OrthogonalFit::Added TargetPursuit<Space>::refit_with(Index atom) {
  space_.expand(atom, fit_, scratch_);
  forbidden_.push_back(atom);
  const auto added = fit_.add(scratch_);
  if (added == OrthogonalFit::Added::yes) atoms_.push_back(atom);
  return added;
}

/// r_(k-1) - r_k < epsilon (or a doubtful target's share), nothing left, or as many atoms as
/// allowed.
template <typename Space>
void TargetPursuit<Space>::check_stop_rule(double residual_square_before) {
  const double gain = residual_square_before - fit_.residual_square();
  if (leads_nowhere(gain, residual_square_before) || gain < options_.epsilon - kEpsilonSlack) {
    if (options_.last_atom == LastAtom::drop) {
      fit_.remove_last();
      atoms_.pop_back();
    }
    return finish(PursuitStatus::small_gain);
  }
  if (fit_.residual_square() <= kExactResidual) return finish(PursuitStatus::exact);
  if (atoms_.size() == 1) most_atoms_ = atoms_worth_while();
  if (static_cast<int>(atoms_.size()) >= most_atoms_) {
    finish(PursuitStatus::reached_max_atoms);
  }
}

template <typename Space>
bool TargetPursuit<Space>::leads_nowhere(double gain, double before) noexcept {
  if (!is_doubtful()) return false;
  n_weak_ = gain < early_->least_share * before ? n_weak_ + 1 : 0;
  return n_weak_ == kWeakInARow;
}

template <typename Space>
int TargetPursuit<Space>::atoms_worth_while() const noexcept {
  const bool is_noise = is_doubtful() && 1 - fit_.residual_square() < early_->enough;
  return is_noise ? std::min(options_.max_atoms, early_->most_atoms) : options_.max_atoms;
}

template class TargetPursuit<DenseSpace>;
template class TargetPursuit<SparseSpace>;
template class TargetPursuit<FetchedSpace>;

}  // namespace sfg::detail
