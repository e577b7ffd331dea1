#include "groups/joint_bounds.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/kernels.hpp"

namespace sfg::detail {

namespace {

/// Rounding in double of what is brought up to date by differences, relatively: some hundred steps
/// of 2^-53 each, with room.
constexpr double kDifferenceRounding = 1e-12;

double length_of(const std::vector<double>& x) {
  return std::sqrt(dot(x.data(), x.data(), x.size()));
}

}  // namespace

/// What a step does to every feature: |da| and |de| at most, 1 / p and u'Gu / p^2.
struct JointBounds::Change {
  double a_error;
  double e_error;
  double inverse;
  double curvature;
};

JointBounds::JointBounds(const UnitFeatures& features, const FloatFeatures& rounded,
                         JointGain& joint, const RunContext& run)
    : features_(features),
      rounded_(rounded),
      joint_(joint),
      run_(run),
      settled_(static_cast<std::size_t>(features.n_features())),
      l_(settled_.size()),
      q_(settled_.size()),
      bound_(settled_.size()) {
  start_anew();
}

double JointBounds::bytes(const UnitFeatures& features, std::size_t most_steps) noexcept {
  return static_cast<double>(2 * sizeof(Look) + sizeof(double) + sizeof(std::size_t)) *
             features.n_features() +
         2 * sizeof(double) * static_cast<double>(most_steps) * features.n_samples();
}

void JointBounds::start_anew() {
  steps_.clear();
  std::ranges::fill(settled_, std::size_t{0});
  for (std::size_t j = 0; j < bound_.size(); ++j) set_exact(j);
}

void JointBounds::set_exact(std::size_t feature) {
  const double l = joint_.lengths()[feature];
  const double q = joint_.squares()[feature];
  l_[feature] = {l, kDifferenceRounding};
  q_[feature] = {q, kDifferenceRounding * std::fabs(q)};
  bound_[feature] = joint_.gains()[feature];
}

void JointBounds::change(std::size_t feature, const TwoProducts& products,
                         const Change& how) noexcept {
  const double a = products.with_u;
  const double e = products.with_v;
  const double square_error = (2 * std::fabs(a) + how.a_error) * how.a_error;
  const double product_error =
      std::fabs(a) * how.e_error + std::fabs(e) * how.a_error + how.a_error * how.e_error;
  Look& l = l_[feature];
  Look& q = q_[feature];
  l.value -= a * a * how.inverse;
  l.error += square_error * how.inverse;
  q.value -= 2 * a * e * how.inverse - a * a * how.curvature;
  q.error += 2 * product_error * how.inverse + square_error * how.curvature;
  bound_[feature] = std::max(0.0, q.value + q.error) / (1 + std::max(0.0, l.value - l.error));
}

void JointBounds::pick(JointGain::Step step) {
  if (joint_.is_fresh()) return start_anew();
  const double error = rounded_.lane_error();
  const Change how{error * length_of(step.u), error * length_of(step.v), 1 / step.p,
                   step.ugu / (step.p * step.p)};
  const std::vector<float> u = rounded_.rounded(step.u);
  const std::vector<float> v = rounded_.rounded(step.v);
  for_each_feature_block(features_, run_, [&](Index first, Index count) {
    std::array<TwoProducts, kFeatureBlock> products;
    const auto start = static_cast<std::size_t>(first);
    const auto width = static_cast<std::size_t>(count);
    multiply_with_two(rounded_.column(start), rounded_.stride(), width, u.data(), v.data(),
                      products.data());
    for (std::size_t k = 0; k < width; ++k) change(start + k, products[k], how);
  });
  steps_.push_back(std::move(step));
}

void JointBounds::settle(std::span<const Index> features) {
  const auto& data = std::get<DenseMatrix>(features_.matrix);
  std::size_t first = steps_.size();
  for (const Index feature : features) first = std::min(first, settled_[feature]);
  // Step by step for all of them: the features stay in the cache, and each step is read once.
  for (std::size_t k = first; k < steps_.size(); ++k) {
    const JointGain::Step& step = steps_[k];
    for (const Index feature : features) {
      if (settled_[feature] > k) continue;
      const double* column = data.column(feature).data();
      joint_.update(static_cast<std::size_t>(feature), dot(column, step.u.data(), step.u.size()),
                    dot(column, step.v.data(), step.v.size()), step);
    }
  }
  for (const Index feature : features) {
    if (is_settled(feature)) continue;
    settled_[feature] = steps_.size();
    set_exact(static_cast<std::size_t>(feature));
  }
}

}  // namespace sfg::detail
