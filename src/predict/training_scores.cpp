#include "predict/training_scores.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "core/kernels.hpp"

namespace sfg::detail {

namespace {

/// Correlations closer than this are a tie, and the lowest index wins: counts of words have many.
constexpr double kPredictorTie = 1e-9;
/// Predictors that may gather, times those that are asked for, before beaten ones are dropped.
constexpr std::size_t kGathered = 16;

}  // namespace

void take_best(std::span<const double> scores, Index first, std::size_t most,
               std::vector<Predictor>& best) {
  const auto beaten_by = [](double score) {
    return [score](const Predictor& other) { return other.score < score - kPredictorTie; };
  };
  // Once the list is full hardly any score gets in.
  if (best.size() == most && !beaten_by(max_abs(scores.data(), scores.size()))(best.back())) return;
  for (std::size_t k = 0; k < scores.size(); ++k) {
    const double score = std::fabs(scores[k]);
    if (best.size() == most) {
      if (!beaten_by(score)(best.back())) continue;
      best.pop_back();
    }
    best.insert(std::ranges::find_if(best, beaten_by(score)),
                {score, first + static_cast<Index>(k)});
  }
}

void LikelyPredictors::start(std::size_t most) {
  most_ = most;
  next_drop_ = kGathered * most;
  lowers_.clear();
  likely_.clear();
}

void LikelyPredictors::raise(float lower) {
  if (lowers_.size() == most_) {
    if (lower <= lowers_.front()) return;
    std::ranges::pop_heap(lowers_, std::greater{});
    lowers_.pop_back();
  }
  lowers_.push_back(lower);
  std::ranges::push_heap(lowers_, std::greater{});
}

bool LikelyPredictors::may_win(double upper) const {
  return lowers_.size() < most_ || upper >= lowers_.front() - kPredictorTie;
}

void LikelyPredictors::drop_beaten() {
  std::erase_if(likely_, [&](const Predictor& one) { return !may_win(one.score); });
}

void LikelyPredictors::offer(std::span<const float> scores, Index first, float error,
                             const float* error_scale, float largest_error) {
  if (!may_win(max_abs(scores.data(), scores.size()) + largest_error)) return;
  for (std::size_t k = 0; k < scores.size(); ++k) {
    const float score = std::fabs(scores[k]);
    const float own_error = error * error_scale[k];
    if (!may_win(score + own_error)) continue;
    raise(score - own_error);
    likely_.push_back({score + own_error, first + static_cast<Index>(k)});
  }
  if (likely_.size() < next_drop_) return;
  drop_beaten();
  next_drop_ = 2 * likely_.size() + kGathered * most_;
}

std::span<const Predictor> LikelyPredictors::found() {
  drop_beaten();
  return likely_;
}

}  // namespace sfg::detail
