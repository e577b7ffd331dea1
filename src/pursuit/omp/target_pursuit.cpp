#include "pursuit/omp/target_pursuit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "pursuit/omp/tolerances.hpp"

namespace sfg::detail {

template <typename Space>
void TargetPursuit<Space>::start(Index target, Index self) {
  target_ = target;
  self_ = self;
  finished_ = false;
  atoms_.clear();
  forbidden_.clear();
  if (self >= 0) forbidden_.push_back(self);
  runners_up_.clear();
  const double n_shared = space_.start(target, scratch_);
  fit_.start(scratch_, n_shared);
  if (kinds_[target] != FeatureKind::regular) {
    finish(PursuitStatus::no_direction);
  }
}

template <typename Space>
Query TargetPursuit<Space>::query() {
  Query query;
  query.rows = space_.rows();
  query.atoms = atoms_;
  query.target = self_;
  if (options_.method == PursuitMethod::ols && !atoms_.empty()) {
    fit_.last_direction_coefficients(weights_);
    query.vector = &fit_.direction(fit_.n_atoms() - 1);
  } else {
    fit_.coefficients(weights_);
    for (double& weight : weights_) weight = -weight;
    query.target_weight = 1;
    query.vector = &fit_.residual();
  }
  query.weights = weights_;
  return query;
}

template <typename Space>
template <typename Value>
void TargetPursuit<Space>::take_in(std::span<Value> products, double error_bound) {
  if (options_.method == PursuitMethod::ols) {
    if (atoms_.empty()) {
      ols_.start<Value>(products, error_bound);
    } else {
      ols_.add_direction<Value>(products, error_bound, fit_.projection(fit_.n_atoms() - 1));
    }
  }
  for (const Index atom : forbidden_) exclude<Value>(products, atom);
}

template <typename Space>
template <typename Value>
void TargetPursuit<Space>::exclude(std::span<Value> products, Index atom) {
  if (options_.method == PursuitMethod::ols) {
    ols_.exclude(atom);
  } else {
    // No number passes any limit, not even one below zero.
    products[atom] = std::numeric_limits<Value>::quiet_NaN();
  }
}

template <typename Space>
template <typename Value>
void TargetPursuit<Space>::find_candidates(std::span<const Value> products, double error_bound) {
  if (options_.method == PursuitMethod::ols) {
    ols_.candidates(candidates_);
  } else {
    omp_candidates(products, error_bound, candidates_);
  }
}

/// No search finds the equal of a feature that is the first of its kind.
template <typename Space>
void TargetPursuit<Space>::add_hidden_twin() {
  const Index twin = self_ < 0 ? -1 : duplicates_.hidden_twin(self_);
  if (twin < 0 || std::ranges::find(forbidden_, twin) != forbidden_.end()) return;
  const auto place = std::ranges::lower_bound(candidates_, twin);
  if (place == candidates_.end() || *place != twin) candidates_.insert(place, twin);
}

template <typename Space>
double TargetPursuit<Space>::exact_score(Index atom) {
  const double product = std::fabs(space_.product(atom, fit_.residual()));
  if (options_.method == PursuitMethod::omp || atoms_.empty()) return product;
  space_.expand(atom, fit_, scratch_);
  const double outside = fit_.length_outside(scratch_);
  return outside < kDependent ? 0.0 : product / outside;
}

template <typename Space>
Index TargetPursuit<Space>::best_candidate() {
  scores_.clear();
  double best = 0;
  for (const Index candidate : candidates_) {
    scores_.push_back(exact_score(candidate));
    best = std::max(best, scores_.back());
  }
  if (best <= kScoreFloor) return -1;
  const auto first =
      std::ranges::find_if(scores_, [&](double score) { return score >= best - kScoreTie; });
  return candidates_[first - scores_.begin()];
}

template <typename Space>
OrthogonalFit::Added TargetPursuit<Space>::add(Index atom) {
  const double before = fit_.residual_square();
  space_.expand(atom, fit_, scratch_);
  forbidden_.push_back(atom);
  const auto added = fit_.add(scratch_);
  if (added == OrthogonalFit::Added::yes) {
    atoms_.push_back(atom);
    check_progress(before);
  }
  return added;
}

template <typename Space>
template <typename Value>
void TargetPursuit<Space>::step(std::span<Value> products, double error_bound) {
  take_in<Value>(products, error_bound);
  for (;;) {
    find_candidates<Value>(products, error_bound);
    add_hidden_twin();
    const Index atom = best_candidate();
    if (atom < 0) return finish(PursuitStatus::stalled);
    if (add(atom) == OrthogonalFit::Added::yes) return;
    exclude<Value>(products, atom);
  }
}

/// The one with the highest bound first: its exact score rules out most of the others.
template <typename Space>
void TargetPursuit<Space>::step(std::span<const Candidate> candidates) {
  candidates_.clear();
  if (candidates.size() == 1) {
    candidates_.push_back(candidates.front().feature);
  } else if (!candidates.empty()) {
    const auto likely = std::ranges::max_element(candidates, {}, &Candidate::upper);
    const double limit = exact_score(likely->feature) - kScoreTie;
    for (const Candidate& candidate : candidates) {
      if (static_cast<double>(candidate.upper) >= limit) candidates_.push_back(candidate.feature);
    }
  }
  add_hidden_twin();
  const Index atom = best_candidate();
  if (atom < 0) return finish(PursuitStatus::stalled);
  // A dependent atom is forbidden from now on; the caller screens again without it.
  add(atom);
}

template <typename Space>
double TargetPursuit<Space>::reached() const {
  double best = 0;
  const auto consider = [&](Index atom) {
    if (std::ranges::find(forbidden_, atom) != forbidden_.end()) return;
    best = std::max(best, std::fabs(space_.product(atom, fit_.residual())));
  };
  for (const Index atom : runners_up_) consider(atom);
  if (const Index twin = self_ < 0 ? -1 : duplicates_.twin[self_]; twin >= 0) {
    consider(twin);
  }
  if (runners_up_.empty() && self_ >= 0) {
    if (self_ > 0) consider(self_ - 1);
    if (static_cast<std::size_t>(self_) + 1 < kinds_.size()) consider(self_ + 1);
  }
  return best;
}

/// The stop rule: r_(k-1) - r_k < epsilon, nothing left, or as many atoms as allowed.
template <typename Space>
void TargetPursuit<Space>::check_progress(double before) {
  if (before - fit_.residual_square() < options_.epsilon - kGainTie) {
    if (options_.last_atom == LastAtom::drop) {
      fit_.remove_last();
      atoms_.pop_back();
    }
    return finish(PursuitStatus::small_gain);
  }
  if (fit_.residual_square() <= kExactResidual) return finish(PursuitStatus::exact);
  if (static_cast<int>(atoms_.size()) >= options_.max_atoms) {
    finish(PursuitStatus::reached_max_atoms);
  }
}

template class TargetPursuit<DenseSpace>;
template class TargetPursuit<SparseSpace>;
template class TargetPursuit<FetchedSpace>;
template void TargetPursuit<DenseSpace>::step(std::span<float>, double);
template void TargetPursuit<SparseSpace>::step(std::span<double>, double);

}  // namespace sfg::detail
