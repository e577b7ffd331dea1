#pragma once

#include <span>
#include <vector>

#include "groups/float_features.hpp"
#include "groups/joint_gain.hpp"

namespace sfg::detail {

/// Bounds of the joint gains, and exact ones on demand. A pick changes l and q of every feature by
/// a = f_j'u and e = f_j'v (JointGain). Here a and e come from floats, with what they may be wrong
/// by: |da| <= g |u|, |de| <= g |v| for unit f_j, so that l is off by no more than the sum of
///   (2 |a| |da| + da^2) / p,
/// and q by the like. The picks are kept: a feature whose bound says that it may be the best takes
/// the steps that it missed in double, in their order, as if it had never been left behind.
class JointBounds {
 public:
  /// The gains must be exact for all features. Keeps references to what it is given.
  JointBounds(const UnitFeatures& features, const FloatFeatures& rounded, JointGain& joint,
              const RunContext& run);
  [[nodiscard]] static double bytes(const UnitFeatures& features, std::size_t most_steps) noexcept;

  /// A pick, started and finished. If that made all gains anew, bounds are exact again.
  void pick(JointGain::Step step);
  /// Makes the gains of some features exact. Others may be settled at the same time.
  void settle(std::span<const Index> features);
  [[nodiscard]] bool is_settled(Index feature) const noexcept { return n_missed(feature) == 0; }
  /// Steps that the gain of a feature has not taken yet.
  [[nodiscard]] std::size_t n_missed(Index feature) const noexcept {
    return steps_.size() - settled_[feature];
  }
  [[nodiscard]] double bound(std::size_t feature) const noexcept { return bound_[feature]; }

 private:
  /// l or q: what floats say, and how far it may be off.
  struct Look {
    double value;
    double error;
  };
  struct Change;

  void start_anew();
  void set_exact(std::size_t feature);
  void change(std::size_t feature, const TwoProducts& products, const Change& how) noexcept;

  const UnitFeatures& features_;
  const FloatFeatures& rounded_;
  JointGain& joint_;
  const RunContext& run_;
  std::vector<JointGain::Step> steps_;  ///< since all gains were exact
  std::vector<std::size_t> settled_;    ///< steps that the exact gain has taken
  std::vector<Look> l_, q_;
  std::vector<double> bound_;
};

}  // namespace sfg::detail
