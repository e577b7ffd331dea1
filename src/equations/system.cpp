#include "equations/system.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "equations/tolerances.hpp"

namespace sfg::detail {

namespace {

/// to += factor * from; what cancels is gone.
void add_multiple_of(const Weights& from, double factor, Weights& to) {
  for (const auto& [feature, weight] : from) {
    double& sum = to[feature];
    sum += factor * weight;
    if (std::fabs(sum) <= kNoWeight) to.erase(feature);
  }
}

}  // namespace

/// The lowest preference that goes, then the largest weight; the lowest index stays in a tie. -1 if
/// none may go.
Index EquationSystem::best_to_remove(const Weights& circuit) const {
  Index best = -1;
  int best_preference = 0;
  double largest = 0;
  for (const auto& [feature, weight] : circuit) {
    const int preference = preference_[feature];
    const double size = std::fabs(weight) * size_[feature];
    const bool ties = preference == best_preference && size >= largest * (1 - kWeightTie);
    if (preference > best_preference || (preference > 0 && ties)) {
      largest = preference > best_preference ? size : std::max(size, largest);
      best = feature;
      best_preference = preference;
    }
  }
  return best;
}

void EquationSystem::solve_for(Index feature, const Weights& circuit) {
  Weights sum;
  add_multiple_of(circuit, -1 / circuit.at(feature), sum);
  sum.erase(feature);
  for (const Index removed : std::exchange(used_in_[feature], {})) {
    const auto equation = solved_.find(removed);
    if (equation == solved_.end()) continue;
    Weights& terms = equation->second;
    const auto found = terms.find(feature);
    if (found == terms.end()) continue;
    const double weight = found->second;
    terms.erase(found);
    add_multiple_of(sum, weight, terms);
    for (const auto& [term, share] : sum) used_in_[term].push_back(removed);
    look_again(removed, terms);
  }
  for (const auto& [term, share] : sum) used_in_[term].push_back(feature);
  look_again(feature, sum);
  solved_[feature] = std::move(sum);
}

int EquationSystem::gain_of(Index feature, Index other, double weight) const {
  if (preference_[other] == 0 || std::fabs(weight) <= kDoubtfulWeight) return -1;
  return preference_[other] - preference_[feature];
}

double EquationSystem::size_ratio(Index feature, Index other, double weight) const {
  return std::fabs(weight) * size_[other] / size_[feature];
}

void EquationSystem::look_again(Index feature, const Weights& terms) {
  const bool can_be = std::ranges::any_of(terms, [&](const auto& term) {
    const int gain = gain_of(feature, term.first, term.second);
    return gain > 0 || (gain == 0 && size_ratio(feature, term.first, term.second) > 1);
  });
  if (can_be) {
    can_be_bettered_.insert(feature);
  } else {
    can_be_bettered_.erase(feature);
  }
}

void EquationSystem::add(Weights circuit) {
  double largest = 0;
  for (const auto& [feature, weight] : circuit) largest = std::max(largest, std::fabs(weight));
  Weights left;
  add_multiple_of(circuit, 1 / largest, left);
  for (const auto& [feature, weight] : circuit) {
    const auto removed = solved_.find(feature);
    if (removed == solved_.end()) continue;
    left.erase(feature);
    add_multiple_of(removed->second, weight / largest, left);
  }
  // What follows from the others leaves their rounding, which is larger than that of one weight.
  const bool follows = std::ranges::all_of(
      left, [](const auto& term) { return std::fabs(term.second) <= kDoubtfulWeight; });
  if (follows) return;
  if (const Index feature = best_to_remove(left); feature >= 0) solve_for(feature, left);
}

void EquationSystem::exchange() {
  for (;;) {
    Index removed = -1;
    Index kept = -1;
    int most_gained = 0;
    double largest = 1 + kWeightTie;
    for (const Index feature : can_be_bettered_) {
      for (const auto& [other, weight] : solved_.at(feature)) {
        const int gain = gain_of(feature, other, weight);
        if (gain < most_gained) continue;
        const double size = size_ratio(feature, other, weight);
        if (gain == most_gained && size <= largest * (1 + kWeightTie)) continue;
        removed = feature;
        kept = other;
        largest = size;
        most_gained = gain;
      }
    }
    if (removed < 0) return;
    Weights circuit = std::move(solved_[removed]);
    solved_.erase(removed);
    can_be_bettered_.erase(removed);
    circuit[removed] = -1;
    solve_for(kept, circuit);
  }
}

}  // namespace sfg::detail
