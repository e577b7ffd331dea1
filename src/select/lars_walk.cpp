#include "select/lars_walk.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/kernels.hpp"

namespace sfg::detail {

namespace {

/// Correlations this close to the largest one, as a share of the very first, are tied with it: far
/// above the rounding of a product (n * 1e-16), far below differences that mean anything.
constexpr double kCorrelationTie = 1e-10;
/// Correlations up to this share of what they could be at most are rounding.
constexpr double kNoCorrelation = 1e-13;
/// A tied feature stays tied, and need not enter, if its correlation falls as fast as those of the
/// active features up to this share; the direction carries the rounding of a linear system.
constexpr double kSlopeTie = 1e-9;
/// Coefficients that reach zero within this share of a step of each other do so together.
constexpr double kDropTie = 1e-12;
/// Steps that a path may take for each feature that it may have: a path without detours takes one.
constexpr std::size_t kStepsPerFeature = 20;
constexpr std::size_t kFewestSteps = 1000;
/// Exchanges at one place for each feature that is tied there: one is usual.
constexpr std::size_t kExchangesPerTie = 20;

constexpr Index kNone = -1;

}  // namespace

LarsWalk::LarsWalk(const Columns& columns, const LarsOptions& options)
    : columns_(columns),
      options_(options),
      correlations_(static_cast<std::size_t>(columns.n_features())),
      slopes_(correlations_.size()),
      states_(correlations_.size(), State::outside),
      direction_(static_cast<std::size_t>(columns.n_samples())),
      column_(direction_.size()) {
  // Without a ridge at most as many features are independent as there are samples.
  const auto most = options.max_active > 0 ? static_cast<std::size_t>(options.max_active)
                                           : std::min(direction_.size(), correlations_.size());
  max_steps_ = kFewestSteps + kStepsPerFeature * most;
}

void LarsWalk::start(double largest_product) {
  lambda_ = max_abs(correlations_.data(), correlations_.size());
  tie_ = kCorrelationTie * lambda_;
  under_way_ = true;
  if (lambda_ <= kNoCorrelation * largest_product) {
    end(LarsStatus::no_correlation);
  } else if (lambda_ <= options_.min_correlation) {
    end(LarsStatus::reached_min_correlation);
  }
}

void LarsWalk::end(LarsStatus status) {
  path_.status = status;
  under_way_ = false;
}

bool LarsWalk::is_tied(Index feature) const noexcept {
  return std::fabs(correlations_[feature]) >= lambda_ - tie_;
}

std::vector<Index> LarsWalk::tied_features() const {
  std::vector<Index> tied;
  for (Index j = 0; j < columns_.n_features(); ++j) {
    if (is_tied(j)) tied.push_back(j);
  }
  return tied;
}

void LarsWalk::find_direction() {
  changes_ = signs_;
  factor_.solve(changes_);
  std::ranges::fill(direction_, 0.0);
  for (std::size_t k = 0; k < active_.size(); ++k) {
    columns_.add_multiple(changes_[k], active_[k], direction_.data());
  }
  direction_holds_ = true;
}

/// Which features at the edge (zero coefficient, correlation lambda) move is a linear
/// complementarity problem: an active one must not grow against its sign, the correlation of one
/// outside must not fall slower than lambda. Murty's rule solves it by exchanging the fault of
/// lowest index again and again; it never goes in circles, as the matrix is positive definite.
Index LarsWalk::first_fault(const std::vector<Index>& tied) const {
  Index fault = std::numeric_limits<Index>::max();
  for (std::size_t k = 0; k < active_.size(); ++k) {
    if (coefficients_[k] == 0 && signs_[k] * changes_[k] < 0) fault = std::min(fault, active_[k]);
  }
  for (const Index j : tied) {
    if (j >= fault) break;
    if (states_[j] != State::outside) continue;
    const double sign = std::copysign(1.0, correlations_[j]);
    if (sign * columns_.product(j, direction_.data()) < 1 - kSlopeTie) fault = j;
  }
  return fault == std::numeric_limits<Index>::max() ? kNone : fault;
}

void LarsWalk::set_out() {
  if (options_.ties == LarsTies::optimal) {
    settle_ties();
  } else {
    add_one();
  }
}

void LarsWalk::settle_ties() {
  const std::vector<Index> tied = tied_features();
  const std::size_t most_exchanges = kExchangesPerTie * (tied.size() + 1);
  for (std::size_t exchange = 0; exchange <= most_exchanges; ++exchange) {
    if (!direction_holds_) find_direction();
    const Index fault = first_fault(tied);
    if (fault == kNone) {
      if (active_.empty()) end(LarsStatus::complete);
      return;
    }
    if (states_[fault] == State::active) {
      leave(fault);
    } else {
      enter(fault);
    }
  }
  end(LarsStatus::degenerate);
}

Index LarsWalk::first_of_largest() const {
  double largest = 0;
  Index first = kNone;
  for (Index feature = 0; feature < columns_.n_features(); ++feature) {
    const auto j = static_cast<std::size_t>(feature);
    const double size = std::fabs(correlations_[j]);
    if (states_[j] != State::outside || (first != kNone && size <= largest + tie_)) continue;
    largest = size;
    first = feature;
  }
  return first;
}

/// A feature passed over in a tie may by now correlate more than the active ones: lambda is its
/// correlation then. After a drop one step is made without adding a feature.
void LarsWalk::add_one() {
  for (Index feature = first_of_largest(); feature != kNone; feature = first_of_largest()) {
    lambda_ = std::fabs(correlations_[feature]);
    if (dropped_) break;
    enter(feature);
    if (states_[feature] == State::active) break;
  }
  // With different correlations some active ones may pass through zero.
  for (std::size_t k = 0; k < active_.size(); ++k) {
    const double correlation = correlations_[active_[k]] + options_.ridge * coefficients_[k];
    const double sign = std::copysign(1.0, correlation);
    if (sign != signs_[k]) direction_holds_ = false;
    signs_[k] = sign;
  }
  if (!direction_holds_) find_direction();
  if (active_.empty() || lambda_ <= tie_) end(LarsStatus::complete);
}

void LarsWalk::enter(Index feature) {
  columns_.copy(feature, column_);
  std::vector<double> products;
  products.reserve(active_.size() + 1);
  for (const Index other : active_) products.push_back(columns_.product(other, column_.data()));
  products.push_back(columns_.product(feature, column_.data()) + options_.ridge);
  State& state = states_[feature];
  if (factor_.insert(products) == CholeskyFactor::Inserted::dependent) {
    state = State::dependent;
    return;
  }
  state = State::active;
  direction_holds_ = false;
  active_.push_back(feature);
  signs_.push_back(std::copysign(1.0, correlations_[feature]));
  coefficients_.push_back(0);
}

void LarsWalk::leave(Index feature) {
  direction_holds_ = false;
  const auto place = std::ranges::find(active_, feature) - active_.begin();
  factor_.remove(static_cast<std::size_t>(place));
  active_.erase(active_.begin() + place);
  signs_.erase(signs_.begin() + place);
  coefficients_.erase(coefficients_.begin() + place);
  states_[feature] = State::outside;
  for (State& state : states_) {
    if (state == State::dependent) state = State::outside;
  }
}

/// How far each active coefficient is from zero, infinity if it moves away.
std::vector<double> LarsWalk::steps_to_zero() const {
  std::vector<double> steps(active_.size(), std::numeric_limits<double>::infinity());
  for (std::size_t k = 0; k < active_.size(); ++k) {
    const double step = -coefficients_[k] / changes_[k];
    if (step > 0) steps[k] = step;
  }
  return steps;
}

/// The first of: lambda - t meets the correlation c_j - t a_j of a feature outside, or its
/// negative; a coefficient becomes zero; lambda is low enough.
double LarsWalk::longest_step() const {
  double longest = lambda_ - options_.min_correlation;
  for (const double step : steps_to_zero()) longest = std::min(longest, step);
  for (Index feature = 0; feature < columns_.n_features(); ++feature) {
    const auto j = static_cast<std::size_t>(feature);
    if (states_[j] != State::outside) continue;
    const double sign = std::copysign(1.0, correlations_[j]);
    const double correlation = sign * correlations_[j];
    const double slope = sign * slopes_[j];
    // A tied one was found to fall at least as fast as lambda, or waits for its turn.
    if (!is_tied(feature) && slope < 1) {
      longest = std::min(longest, (lambda_ - correlation) / (1 - slope));
    }
    if (slope > -1) longest = std::min(longest, (lambda_ + correlation) / (1 + slope));
  }
  return longest;
}

void LarsWalk::move_by(double step) {
  lambda_ = std::max(lambda_ - step, options_.min_correlation);
  // Those of active features fall as lambda does, by definition; the ridge is part of them.
  for (std::size_t k = 0; k < active_.size(); ++k) {
    slopes_[active_[k]] = signs_[k];
    coefficients_[k] += step * changes_[k];
  }
  add_multiple(-step, slopes_.data(), correlations_.data(), correlations_.size());
  if (options_.ties == LarsTies::one_by_one) return;
  for (std::size_t k = 0; k < active_.size(); ++k) {
    correlations_[active_[k]] = signs_[k] * lambda_;
  }
}

void LarsWalk::walk() {
  const double step = longest_step();
  std::vector<Index> leaving;
  const std::vector<double> to_zero = steps_to_zero();
  for (std::size_t k = 0; k < active_.size(); ++k) {
    if (to_zero[k] <= step * (1 + kDropTie)) leaving.push_back(active_[k]);
  }
  move_by(step);
  dropped_ = !leaving.empty();
  for (const Index feature : leaving) leave(feature);
  path_.steps.push_back({lambda_, active_, coefficients_});

  // Where ties were passed over, lambda says nothing about the others before it is looked up again.
  const bool known = options_.ties == LarsTies::optimal;
  if (options_.min_correlation > 0 && lambda_ <= options_.min_correlation) {
    end(LarsStatus::reached_min_correlation);
  } else if (known && lambda_ <= tie_) {
    end(LarsStatus::complete);
  } else if (options_.max_active > 0 && static_cast<Index>(active_.size()) >= options_.max_active) {
    end(LarsStatus::reached_max_active);
  } else if (path_.steps.size() >= max_steps_) {
    end(LarsStatus::reached_max_steps);
  }
}

}  // namespace sfg::detail
