#pragma once

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "sfg/matrix.hpp"

namespace sfg::detail {

/// sum of weight * unit feature, by feature.
using Weights = std::map<Index, double>;

/// Equations between unit features, each solved for the feature that it removes: no removed feature
/// is left on the right-hand side of any of them.
class EquationSystem {
 public:
  /// By feature. `preference`: the larger it is, the rather the feature goes; 0 never does. `size`
  /// of a unit feature, to tell which of them weighs most in a sum.
  EquationSystem(std::vector<int> preference, std::vector<double> size)
      : preference_(std::move(preference)), size_(std::move(size)), used_in_(preference_.size()) {}

  /// sum of weights = 0. Nothing happens if it follows from the equations so far, or if all its
  /// features must stay.
  void add(Weights circuit);

  /// Exchanges removed features for kept ones of their equations until none can be bettered: a less
  /// preferred one goes rather than a more preferred one, and among equals the one that weighs
  /// more. Each exchange removes what is less preferred, or lets the kept features span more (as a
  /// volume, each by its size), so that it ends.
  void exchange();

  /// Removed features with what they are the sum of.
  [[nodiscard]] const std::map<Index, Weights>& solved() const noexcept { return solved_; }

 private:
  /// Solved for `feature`, into every equation and into the list.
  void solve_for(Index feature, const Weights& circuit);
  [[nodiscard]] Index best_to_remove(const Weights& circuit) const;
  /// How much a feature gains in preference if another one goes in its place; -1: it cannot.
  [[nodiscard]] int gain_of(Index feature, Index other, double weight) const;
  [[nodiscard]] double size_ratio(Index feature, Index other, double weight) const;
  /// Whether exchange() has to look at an equation whose terms have changed.
  void look_again(Index feature, const Weights& terms);

  std::vector<int> preference_;
  std::vector<double> size_;
  std::map<Index, Weights> solved_;
  /// By feature: removed ones in whose equations it is a term, or was; each perhaps repeatedly.
  std::vector<std::vector<Index>> used_in_;
  std::set<Index> can_be_bettered_;  ///< removed features that some term is better to remove than
};

}  // namespace sfg::detail
