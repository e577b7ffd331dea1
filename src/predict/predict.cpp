#include "sfg/predict.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/random.hpp"
#include "core/text.hpp"
#include "core/threads.hpp"
#include "normalise/permuted.hpp"
#include "predict/products_of_columns.hpp"
#include "predict/ridge_factor.hpp"

namespace sfg {

namespace {

using detail::RidgeFactor;

/// Targets that one worker predicts together.
constexpr std::size_t kTargetsTogether = 128;
/// Targets that the ridge is chosen by: a random choice where there are more.
constexpr std::size_t kTunedTargets = 1000;
/// A denominator below this is zero but for rounding.
constexpr double kTiniest = 1e-300;

/// Whether a target is among the predictors; it never predicts itself.
enum class TargetPlace { outside, inside };

/// Leave-one-out prediction of targets from one set of predictors.
class LeaveOneOut {
 public:
  LeaveOneOut(const UnitFeatures& features, std::span<const Index> predictors, TargetPlace place,
              const RunContext& run)
      : features_(features), factor_(features, predictors, run), place_(place), run_(run) {}

  /// R^2 of the targets, with the ridge that is best for all of them together.
  [[nodiscard]] std::vector<double> r2(std::span<const Index> targets) {
    const std::vector<Index> all(targets.begin(), targets.end());
    detail::Random random(run_.seed);
    const auto tuned = detail::random_choice(all, kTunedTargets, random);
    const auto& ridges = detail::ridge_grid();
    const auto by_ridge = r2_with(features_, tuned, ridges);
    std::size_t best = 0;
    double highest = -std::numeric_limits<double>::infinity();
    for (std::size_t l = 0; l < ridges.size(); ++l) {
      double total = 0;
      for (const double r2 : by_ridge[l]) total += std::clamp(r2, -1.0, 1.0);
      if (total > highest) {
        highest = total;
        best = l;
      }
    }
    ridge_ = ridges[best];
    if (tuned.size() == all.size()) return by_ridge[best];
    return r2_with(features_, all, {ridge_}).front();
  }

  /// R^2 of all of other features over the same samples, with a ridge that is known.
  [[nodiscard]] std::vector<double> r2_of_others(const UnitFeatures& others, double ridge) const {
    return r2_with(others, regular_features(others), {ridge}).front();
  }

  [[nodiscard]] double ridge() const noexcept { return ridge_; }

 private:
  struct Workspace {
    std::vector<double> targets, projected, scaled, products;
  };

  /// Of one tile: the targets' values, and what every ridge needs of them.
  void take_targets(const UnitFeatures& features, std::span<const Index> targets,
                    Workspace& space) const {
    const std::size_t n = factor_.n_samples();
    space.targets.resize(n * kTargetsTogether);
    space.products.resize(n * kTargetsTogether);
    space.projected.resize(factor_.rank() * kTargetsTogether);
    space.scaled.resize(factor_.rank() * kTargetsTogether);
    detail::gather(features, targets, space.targets.data());
  }

  /// By ridge, by target.
  [[nodiscard]] std::vector<std::vector<double>> r2_with(const UnitFeatures& features,
                                                         const std::vector<Index>& targets,
                                                         const std::vector<double>& ridges) const {
    const detail::SingleThreadedBlas single_threaded;
    std::vector<std::vector<double>> diagonals;
    for (const double ridge : ridges) diagonals.push_back(factor_.diagonal(ridge));
    std::vector<std::vector<double>> result(ridges.size(), std::vector<double>(targets.size()));
    const std::size_t n = factor_.n_samples();
    // One product with B, n x n, instead of two with U, where that is less work.
    const bool by_inverse = ridges.size() == 1 && targets.size() > n && n < 2 * factor_.rank();
    const auto inverse = by_inverse ? factor_.inverse(ridges.front()) : std::vector<double>();
    std::vector<Workspace> spaces(static_cast<std::size_t>(detail::worker_count(run_)));
    const std::size_t n_tiles = (targets.size() + kTargetsTogether - 1) / kTargetsTogether;
    detail::parallel_for_workers(
        run_, {}, static_cast<std::int64_t>(n_tiles), [&](std::int64_t item, int worker) {
          Workspace& space = spaces[worker];
          const std::size_t first = static_cast<std::size_t>(item) * kTargetsTogether;
          const auto tile =
              std::span(targets).subspan(first, std::min(kTargetsTogether, targets.size() - first));
          take_targets(features, tile, space);
          if (!by_inverse)
            factor_.project(space.targets.data(), tile.size(), space.projected.data());
          for (std::size_t l = 0; l < ridges.size(); ++l) {
            if (by_inverse) {
              detail::multiply(n, tile.size(), n, inverse.data(), space.targets.data(),
                               space.products.data());
            } else {
              factor_.apply(ridges[l], space.targets.data(), space.projected.data(), tile.size(),
                            space.scaled.data(), space.products.data());
            }
            for (std::size_t t = 0; t < tile.size(); ++t) {
              const auto gaps =
                  features.gaps == nullptr ? std::span<const Index>() : features.gaps->of(tile[t]);
              result[l][first + t] = r2_of(space.targets.data() + t * n,
                                           space.products.data() + t * n, diagonals[l], gaps);
            }
          }
        });
    return result;
  }

  /// The formulas of predict.hpp: `target` is t, `product` is b = B t. Sums of squares are over the
  /// samples that have a value.
  [[nodiscard]] double r2_of(const double* target, const double* product,
                             const std::vector<double>& diagonal,
                             std::span<const Index> gaps) const {
    const std::size_t n = diagonal.size();
    const auto is_gap = [&](std::size_t k) {
      return std::ranges::binary_search(gaps, static_cast<Index>(k));
    };
    double own = 0;
    double mean = 0;
    for (std::size_t k = 0; k < n; ++k) own += target[k] * product[k];
    // The mean of all samples is 0.
    for (const Index gap : gaps) mean -= target[gap] / static_cast<double>(n - gaps.size());
    double variation = 0;
    for (std::size_t k = 0; k < n; ++k) {
      if (!is_gap(k)) variation += (target[k] - mean) * (target[k] - mean);
    }
    if (!(variation > 0)) return 0;
    const bool inside = place_ == TargetPlace::inside;
    double error = 0;
    for (std::size_t k = 0; k < n; ++k) {
      if (is_gap(k)) continue;
      const double below = inside ? (1 - own) * diagonal[k] + product[k] * product[k] : diagonal[k];
      const double residual = product[k] / std::max(below, kTiniest);
      error += residual * residual;
    }
    const double samples = static_cast<double>(n - gaps.size());
    const double of_mean = samples / (samples - 1);
    return 1 - error / (variation * of_mean * of_mean);
  }

  const UnitFeatures& features_;
  RidgeFactor factor_;
  TargetPlace place_;
  const RunContext& run_;
  double ridge_ = 0;
};

}  // namespace

Predictability predictability(const UnitFeatures& centred, const RunContext& run) {
  const UnitFeatures features = at_most_samples(centred, kMostSamplesToPredict, run);
  const std::vector<Index> regular = regular_features(features);
  Predictability result;
  result.n_samples = features.n_samples();
  result.r2.assign(static_cast<std::size_t>(features.n_features()), 0.0);
  if (regular.size() < 2 || features.n_samples() < 3) return result;
  LeaveOneOut all(features, regular, TargetPlace::inside, run);
  const std::vector<double> r2 = all.r2(regular);
  result.ridge = all.ridge();
  for (std::size_t k = 0; k < regular.size(); ++k) result.r2[regular[k]] = r2[k];
  return result;
}

std::vector<double> predictability_by_chance(const UnitFeatures& centred,
                                             const Predictability& known, const RunContext& run) {
  const UnitFeatures features = at_most_samples(centred, kMostSamplesToPredict, run);
  const std::vector<Index> regular = regular_features(features);
  if (regular.size() < 2 || features.n_samples() < 3) return {};
  detail::Random random(run.seed);
  const auto chosen =
      detail::random_choice(regular, static_cast<std::size_t>(kPermutedToPredict), random);
  const UnitFeatures permuted = detail::permuted(features, chosen, random);
  return LeaveOneOut(features, regular, TargetPlace::outside, run)
      .r2_of_others(permuted, known.ridge);
}

std::vector<double> leave_one_out_r2(const UnitFeatures& centred, std::span<const Index> predictors,
                                     std::span<const Index> targets, const RunContext& run) {
  if (predictors.empty() || targets.empty() || centred.n_samples() < 3) {
    return std::vector<double>(targets.size(), 0.0);
  }
  const UnitFeatures features = at_most_samples(centred, kMostSamplesToPredict, run);
  return LeaveOneOut(features, predictors, TargetPlace::outside, run).r2(targets);
}

std::string predictability_to_tsv(const Predictability& result,
                                  const std::vector<std::string>& feature_names) {
  std::string text = "feature\tr2\n";
  for (std::size_t i = 0; i < result.r2.size(); ++i) {
    text += fmt::format("{}\t{:.6g}\n", escaped(feature_names[i]), result.r2[i]);
  }
  return text;
}

}  // namespace sfg
