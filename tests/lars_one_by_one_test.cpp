// The rule of the original program for ties: one feature after the other.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/random.hpp"
#include "lars_path.hpp"
#include "reference.hpp"
#include "select/cholesky.hpp"

namespace sfg {
namespace {

using detail::LarsPath;
using detail::LarsTies;
using testing::dense_coefficients;
using testing::kCloseCoefficient;
using testing::one_path;
using testing::random_matrix;

using Vector = std::vector<double>;

double product(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// The original's rules, written out: the largest correlation enters (first index on ties), the
/// step is the smallest positive candidate, a drop is followed by a step that adds nothing.
class OneByOne {
 public:
  OneByOne(const DenseMatrix& x, std::span<const double> y, double ridge)
      : x_(x), y_(y), ridge_(ridge), b_(static_cast<std::size_t>(x.n_features()), 0.0) {}

  /// The coefficients after every step.
  std::vector<Vector> path(std::size_t max_active) {
    std::vector<Vector> path;
    while (active_.size() < max_active || path.empty()) {
      correlate();
      if (tie_ < 0) tie_ = kTieShare * largest_;
      if (largest_ <= tie_) break;
      if (!dropped_) enter();
      const Vector w = direction();
      move(w, step_before_the_next_enters(w));
      path.push_back(b_);
    }
    return path;
  }

 private:
  static constexpr double kTieShare = 1e-10;

  [[nodiscard]] std::span<const double> column(std::size_t j) const {
    return x_.column(static_cast<Index>(j));
  }
  [[nodiscard]] bool outside(std::size_t j) const { return std::ranges::count(active_, j) == 0; }

  /// Correlations with the residual, and the largest of those outside.
  void correlate() {
    Vector residual(y_.begin(), y_.end());
    for (std::size_t j = 0; j < b_.size(); ++j) {
      for (std::size_t i = 0; i < y_.size(); ++i) residual[i] -= column(j)[i] * b_[j];
    }
    c_.resize(b_.size());
    largest_ = 0;
    for (std::size_t j = 0; j < b_.size(); ++j) {
      c_[j] = product(column(j), residual);
      if (outside(j)) largest_ = std::max(largest_, std::fabs(c_[j]));
    }
  }

  void enter() {
    for (std::size_t j = 0; j < b_.size(); ++j) {
      if (!outside(j) || std::fabs(c_[j]) < largest_ - tie_) continue;
      active_.push_back(j);
      return;
    }
  }

  /// The change of the active coefficients along which their correlations fall together.
  [[nodiscard]] Vector direction() const {
    detail::CholeskyFactor factor;
    Vector w;
    for (std::size_t k = 0; k < active_.size(); ++k) {
      Vector products;
      for (std::size_t l = 0; l <= k; ++l) {
        products.push_back(product(column(active_[l]), column(active_[k])));
      }
      products.back() += ridge_;
      (void)factor.insert(products);
      w.push_back(std::copysign(1.0, c_[active_[k]]));
    }
    factor.solve(w);
    return w;
  }

  [[nodiscard]] double step_before_the_next_enters(const Vector& w) const {
    Vector u(y_.size(), 0.0);
    for (std::size_t k = 0; k < active_.size(); ++k) {
      for (std::size_t i = 0; i < u.size(); ++i) u[i] += column(active_[k])[i] * w[k];
    }
    double step = largest_;
    for (std::size_t j = 0; j < b_.size(); ++j) {
      if (!outside(j)) continue;
      for (const double sign : {1.0, -1.0}) {
        const double ahead = largest_ - sign * c_[j];
        const double slower = 1 - sign * product(column(j), u);
        if (ahead > tie_ && slower > 0) step = std::min(step, ahead / slower);
      }
    }
    return step;
  }

  /// Moves by the step, or to where the first coefficient reaches zero and is dropped.
  void move(const Vector& w, double step) {
    dropped_ = false;
    std::size_t leaving = 0;
    for (std::size_t k = 0; k < active_.size(); ++k) {
      const double to_zero = -b_[active_[k]] / w[k];
      if (!(to_zero > 0 && to_zero < step)) continue;
      step = to_zero;
      leaving = k;
      dropped_ = true;
    }
    for (std::size_t k = 0; k < active_.size(); ++k) b_[active_[k]] += step * w[k];
    if (!dropped_) return;
    b_[active_[leaving]] = 0;
    active_.erase(active_.begin() + static_cast<std::ptrdiff_t>(leaving));
  }

  const DenseMatrix& x_;
  std::span<const double> y_;
  double ridge_;
  Vector b_;
  Vector c_;
  std::vector<std::size_t> active_;
  double largest_ = 0;
  double tie_ = -1;
  bool dropped_ = false;
};

RC_GTEST_PROP(LarsOneByOne, follows_the_original_s_rules_at_copies_too, ()) {
  const auto n = *rc::gen::inRange<Index>(6, 20);
  const auto d = *rc::gen::inRange<Index>(6, 30);
  const auto seed = *rc::gen::arbitrary<std::uint32_t>();
  constexpr double kRidge = 0.01;
  DenseMatrix x = random_matrix(n, d, seed);
  detail::Random random(seed);
  for (Index j = 1; j < d; ++j) {
    if (random.below(3) != 0) continue;
    const auto from = static_cast<Index>(random.below(static_cast<std::uint64_t>(j)));
    std::ranges::copy(x.column(from), x.column(j).begin());
  }
  const DenseMatrix y = random_matrix(n, 1, seed + 1ULL);
  const LarsPath path = one_path(x, y, {kRidge, 5, 0, LarsTies::one_by_one});
  const auto expected = OneByOne(x, y.column(0), kRidge).path(5);
  RC_ASSERT(path.steps.size() == expected.size());
  for (std::size_t k = 0; k < expected.size(); ++k) {
    const auto found = dense_coefficients(path.steps[k], d);
    for (std::size_t j = 0; j < found.size(); ++j) {
      RC_ASSERT(std::fabs(found[j] - expected[k][j]) < kCloseCoefficient);
    }
  }
}

RC_GTEST_PROP(LarsOneByOne, is_the_optimal_path_where_nothing_is_tied, ()) {
  const auto n = *rc::gen::inRange<Index>(4, 20);
  const auto d = *rc::gen::inRange<Index>(1, 40);
  const auto seed = *rc::gen::arbitrary<std::uint32_t>();
  const double ridge = *rc::gen::element(0.0, 0.001);
  const DenseMatrix x = random_matrix(n, d, seed);
  const DenseMatrix y = random_matrix(n, 1, seed + 1ULL);
  const Index most = std::min(n, d) - 1;
  const LarsPath expected = one_path(x, y, {ridge, most, 0, LarsTies::optimal});
  const LarsPath path = one_path(x, y, {ridge, most, 0, LarsTies::one_by_one});
  RC_ASSERT(path.status == expected.status);
  RC_ASSERT(path.steps.size() == expected.steps.size());
  for (std::size_t k = 0; k < path.steps.size(); ++k) {
    RC_ASSERT(path.steps[k].features == expected.steps[k].features);
  }
}

}  // namespace
}  // namespace sfg
