#include <algorithm>
#include <cmath>

#include "pursuit/omp/selection.hpp"
#include "pursuit/omp/tolerances.hpp"

namespace sfg::detail {

namespace {

constexpr double kExcluded = -1;
/// Roundings of the update itself, beside the error of the products.
constexpr double kUpdateRoundoff = 8 * kUnitRoundoff;

}  // namespace

template <typename Value>
void OlsScores::start(std::span<const Value> products, double error_bound) {
  product_.assign(products.begin(), products.end());
  outside_square_.assign(products.size(), 1.0);
  product_error_ = error_bound;
  outside_error_ = kUpdateRoundoff;
  n_seen_ = 1;
}

template <typename Value>
void OlsScores::add_direction(std::span<const Value> products, double error_bound, double y) {
  for (std::size_t k = 0; k < products.size(); ++k) {
    if (outside_square_[k] == kExcluded) continue;
    const auto product = static_cast<double>(products[k]);
    product_[k] -= y * product;
    outside_square_[k] = std::max(0.0, outside_square_[k] - product * product);
  }
  product_error_ += std::fabs(y) * error_bound + kUpdateRoundoff;
  outside_error_ += error_bound * (2 + error_bound) + kUpdateRoundoff;
  ++n_seen_;
}

template void OlsScores::start(std::span<const float>, double);
template void OlsScores::start(std::span<const double>, double);
template void OlsScores::add_direction(std::span<const float>, double, double);
template void OlsScores::add_direction(std::span<const double>, double, double);

void OlsScores::exclude(Index k) noexcept {
  product_[k] = 0;
  outside_square_[k] = kExcluded;
}

void OlsScores::candidates(std::vector<Candidate>& candidates) const {
  candidates.clear();
  constexpr double kSmallestSquare = kDependent * kDependent;
  const auto possible = [&](std::size_t k) {
    return outside_square_[k] >= 0 && outside_square_[k] + outside_error_ >= kSmallestSquare;
  };
  double surely_reached = 0;
  for (std::size_t k = 0; k < product_.size(); ++k) {
    // Only an atom that surely is independent may raise the limit.
    if (outside_square_[k] - outside_error_ < kSmallestSquare) continue;
    const double numerator = std::fabs(product_[k]) - product_error_;
    surely_reached =
        std::max(surely_reached, numerator / std::sqrt(outside_square_[k] + outside_error_));
  }
  const double limit = std::max(surely_reached - kScoreTie, kScoreFloor);
  for (std::size_t k = 0; k < product_.size(); ++k) {
    if (!possible(k)) continue;
    const double denominator =
        std::sqrt(std::max(outside_square_[k] - outside_error_, kSmallestSquare));
    const double upper = (std::fabs(product_[k]) + product_error_) / denominator;
    if (upper >= limit) candidates.push_back({static_cast<Index>(k), float_above(upper)});
  }
}

}  // namespace sfg::detail
