// Wang, Nie, Huang: Feature selection via global redundancy minimization (2015).
#include "select/global_redundancy.hpp"

#include <cblas.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/kernels.hpp"
#include "core/memory.hpp"
#include "core/threads.hpp"
#include "select/sample_gram.hpp"

namespace sfg::detail {

namespace {

/// The objective is at most this far above its minimum when the rounds end.
constexpr double kGlobalRedundancyGap = 1e-8;
/// Rounds at most.
constexpr int kGlobalRedundancyRounds = 20000;
/// What rounding may add to a curvature that is just allowed.
constexpr double kCurvatureSlack = 1e-10;
/// Features that are multiplied at once.
constexpr Index kMultipliedAtOnce = 64;

double sum_of_products(const std::vector<double>& a, const std::vector<double>& b) {
  return dot(a.data(), b.data(), a.size());
}

}  // namespace

void project_on_simplex(std::vector<double>& values) {
  std::vector<double> falling = values;
  std::ranges::sort(falling, std::greater{});
  double sum = 0;
  double shift = 0;
  for (std::size_t k = 0; k < falling.size(); ++k) {
    sum += falling[k];
    const double candidate = (sum - 1) / static_cast<double>(k + 1);
    if (falling[k] - candidate <= 0) break;
    shift = candidate;
  }
  for (double& value : values) value = std::max(0.0, value - shift);
}

std::vector<double> squared_cosine_sums(const Matrix& features, std::span<const double> weights,
                                        const RunContext& run) {
  const SingleThreadedBlas single_threaded;
  const Columns columns(features);
  const Index n = columns.n_samples();
  const Index d = columns.n_features();
  const auto n_used =
      static_cast<Index>(std::ranges::count_if(weights, [](double weight) { return weight > 0; }));
  // sum_i z_i (f_i'f_j)^2 is the squared length of B'f_j with columns sqrt(z_i) f_i of B; with more
  // of these than samples, it is f_j'(B B')f_j.
  const bool by_gram = n_used > n;
  DenseMatrix b;
  if (by_gram) {
    b = sample_gram(features, weights, run);
  } else {
    b = DenseMatrix(n, n_used);
    Index k = 0;
    for (Index j = 0; j < d; ++j) {
      if (weights[j] > 0) columns.add_multiple(std::sqrt(weights[j]), j, b.column(k++).data());
    }
  }
  const auto length = static_cast<std::size_t>(b.n_features());
  std::vector<double> sums(static_cast<std::size_t>(d));
  const Index n_blocks = (d + kMultipliedAtOnce - 1) / kMultipliedAtOnce;
  parallel_for(run, {}, n_blocks, [&](std::int64_t block) {
    const Index begin = static_cast<Index>(block) * kMultipliedAtOnce;
    const Index width = std::min(kMultipliedAtOnce, d - begin);
    DenseMatrix panel(n, width);
    for (Index k = 0; k < width; ++k) columns.add_multiple(1, begin + k, panel.column(k).data());
    DenseMatrix product(b.n_features(), width);
    if (length > 0) {
      cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, b.n_features(), width, n, 1.0, b.data(),
                  n, panel.data(), n, 0.0, product.data(), b.n_features());
    }
    for (Index k = 0; k < width; ++k) {
      const auto own = product.column(k);
      const double* other = by_gram ? panel.column(k).data() : own.data();
      sums[begin + k] = dot(own.data(), other, length);
    }
  });
  return sums;
}

namespace {

/// Accelerated projected gradient with restarts. y is a point beyond z in the last direction; the
/// products of both with A follow from one product for each round.
class RedundancyDescent {
 public:
  RedundancyDescent(const Matrix& features, const std::vector<double>& scores, double weight,
                    const RunContext& run)
      : features_(features), scores_(scores), weight_(weight), run_(run), curvature_(2 * weight) {
    z_.assign(scores.size(), 1.0 / static_cast<double>(scores.size()));
    az_ = squared_cosine_sums(features_, z_, run_);
    y_ = z_;
    ay_ = az_;
    now_ = objective(z_, az_);
  }

  /// One step, unless it shows that the curvature was too small or the direction is to be dropped.
  void improve() {
    std::vector<double> next(z_.size());
    for (std::size_t j = 0; j < next.size(); ++j) {
      next[j] = y_[j] - (2 * weight_ * ay_[j] - scores_[j]) / curvature_;
    }
    project_on_simplex(next);
    std::vector<double> a_next = squared_cosine_sums(features_, next, run_);
    if (bends_too_much(next, a_next)) {
      curvature_ *= 2;
      return;
    }
    const double then = objective(next, a_next);
    if (then > now_ && momentum_ > 1) {
      momentum_ = 1;
      y_ = z_;
      ay_ = az_;
      return;
    }
    const double grown = (1 + std::sqrt(1 + 4 * momentum_ * momentum_)) / 2;
    const double beyond = (momentum_ - 1) / grown;
    for (std::size_t j = 0; j < next.size(); ++j) {
      y_[j] = next[j] + beyond * (next[j] - z_[j]);
      ay_[j] = a_next[j] + beyond * (a_next[j] - az_[j]);
    }
    momentum_ = grown;
    z_ = std::move(next);
    az_ = std::move(a_next);
    now_ = then;
  }

  [[nodiscard]] SimplexSolution solution() const {
    SimplexSolution found;
    found.z = z_;
    for (std::size_t j = 0; j < z_.size(); ++j) {
      found.gradient.push_back(2 * weight_ * az_[j] - scores_[j]);
    }
    found.multiplier = sum_of_products(found.gradient, z_);
    found.gap = found.multiplier - std::ranges::min(found.gradient);
    found.converged = found.gap <= kGlobalRedundancyGap * std::max(1.0, weight_);
    return found;
  }

 private:
  [[nodiscard]] double objective(const std::vector<double>& at,
                                 const std::vector<double>& a_at) const {
    return weight_ * sum_of_products(at, a_at) - sum_of_products(scores_, at);
  }

  /// Whether the objective between y and the next point bends more than the curvature allows.
  [[nodiscard]] bool bends_too_much(const std::vector<double>& next,
                                    const std::vector<double>& a_next) const {
    double bend = 0;
    double squares = 0;
    for (std::size_t j = 0; j < next.size(); ++j) {
      bend += (next[j] - y_[j]) * (a_next[j] - ay_[j]);
      squares += (next[j] - y_[j]) * (next[j] - y_[j]);
    }
    return 2 * weight_ * bend > curvature_ * squares * (1 + kCurvatureSlack);
  }

  const Matrix& features_;
  const std::vector<double>& scores_;
  double weight_;
  const RunContext& run_;
  double curvature_;
  double momentum_ = 1;
  double now_ = 0;
  std::vector<double> z_, az_;
  std::vector<double> y_, ay_;
};

}  // namespace

SimplexSolution minimise_redundancy(const Matrix& features, const std::vector<double>& scores,
                                    double weight, const RunContext& run) {
  RedundancyDescent descent(features, scores, weight, run);
  SimplexSolution found = descent.solution();
  for (int round = 1; round <= kGlobalRedundancyRounds && !found.converged; ++round) {
    check_stop(run);
    descent.improve();
    found = descent.solution();
    found.n_rounds = round;
  }
  return found;
}

namespace {

/// In [0, 1], the best 1; features without a score have 0.
std::vector<double> scaled_scores(const SelectResult& base) {
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const double score : base.scores) {
    if (!std::isfinite(score)) continue;
    low = std::min(low, score);
    high = std::max(high, score);
  }
  std::vector<double> scaled;
  for (const double score : base.scores) {
    const bool says_something = std::isfinite(score) && high > low;
    const double share = says_something ? (score - low) / (high - low) : 0.0;
    const bool is_turned = says_something && base.order == ScoreOrder::smallest_first;
    scaled.push_back(is_turned ? 1 - share : share);
  }
  return scaled;
}

}  // namespace

void select_by_grm(const UnitFeatures& features, const SelectResult& base,
                   const SelectOptions& options, const RunContext& run, SelectResult& result) {
  const double n = features.n_samples();
  const double d = features.n_features();
  constexpr double kVectors = 10;
  require_memory(sizeof(double) * (2 * n * std::min(n, d) + kVectors * d), run,
                 "global redundancy minimisation", "raise {memory_limit}");
  const std::vector<double> scores = scaled_scores(base);
  std::vector<Index> varying;
  std::vector<double> chosen_scores;
  const auto spreads = spreads_of(Columns(features.matrix), run);
  for (std::size_t j = 0; j < spreads.size(); ++j) {
    if (spreads[j].length == 0) continue;
    varying.push_back(static_cast<Index>(j));
    chosen_scores.push_back(scores[j]);
  }
  result.order = ScoreOrder::largest_first;
  result.scores.assign(spreads.size(), -std::numeric_limits<double>::infinity());
  if (!varying.empty()) {
    const bool all = varying.size() == spreads.size();
    const Matrix some = all ? Matrix() : select_features(features.matrix, varying);
    const SimplexSolution found = minimise_redundancy(all ? features.matrix : some, chosen_scores,
                                                      options.redundancy.redundancy_weight, run);
    if (!found.converged) result.status = SelectStatus::reached_max_rounds;
    for (std::size_t k = 0; k < varying.size(); ++k) {
      result.scores[varying[k]] =
          found.z[k] > 0 ? found.z[k] : std::min(0.0, found.multiplier - found.gradient[k]);
    }
  }
  select_by_scores(options, result);
}

}  // namespace sfg::detail
