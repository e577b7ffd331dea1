#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "sfg/matrix.hpp"

namespace sfg::detail {

/// A kept feature that predicts a target.
struct Predictor {
  double score;  ///< |r| over the training samples
  Index kept;    ///< number within the kept set
};

/// Products of kept features with a target, and the target's mean over the training samples.
template <typename Value>
struct TargetProducts {
  const Value* all;
  const Value* fold;
  Value mean;
};

/// r (times the target's length) of each kept feature with the target over the training samples.
template <typename Value>
void score_training(const Value* stored_sum, const Value* inverse_norm,
                    const TargetProducts<Value>& products, std::size_t count,
                    Value* scores) noexcept {
  for (std::size_t k = 0; k < count; ++k) {
    scores[k] =
        (products.all[k] - products.fold[k] - products.mean * stored_sum[k]) * inverse_norm[k];
  }
}

/// Brings the best of the scores of kept features `first`, first + 1, ... into a list of the best.
/// Scores that are a tie: the lowest index, if they come in this order.
void take_best(std::span<const double> scores, Index first, std::size_t most,
               std::vector<Predictor>& best);

/// The kept features that may be among the `most` best of one target, by scores in float whose
/// errors are bounded. An upper bound gets in as long as it reaches the `most`-th lower bound.
class LikelyPredictors {
 public:
  void start(std::size_t most);
  /// Scores of kept features first, first + 1, ...; each is off by at most error * error_scale[k],
  /// and none of these by more than `largest_error`.
  void offer(std::span<const float> scores, Index first, float error, const float* error_scale,
             float largest_error);
  /// Those that are left, ascending.
  [[nodiscard]] std::span<const Predictor> found();

 private:
  void raise(float lower);
  void drop_beaten();
  [[nodiscard]] bool may_win(double upper) const;

  std::vector<float> lowers_;      ///< the highest lower bounds, the lowest of them in front
  std::vector<Predictor> likely_;  ///< with upper bounds as scores
  std::size_t most_ = 0;
  std::size_t next_drop_ = 0;
};

}  // namespace sfg::detail
