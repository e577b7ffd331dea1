// How the combinations of a reduction hold where it was made.
#include "sfg/baseline.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/random.hpp"
#include "core/threads.hpp"
#include "reduce/combinations.hpp"
#include "reduce/relation_values.hpp"
#include "sfg/predict.hpp"
#include "sfg/pursuit.hpp"

namespace sfg {

namespace {

using detail::Digits;
using detail::Residuals;

/// An equation whose rest stays below this share of the feature's deviation is exact.
constexpr double kExactShare = 1e-7;
/// So is one with no more than its rounding, where that is below this share of the deviation.
constexpr double kRoundingShare = 0.1;
/// Room above what was seen, since coefficients were fitted to rounded numbers too.
constexpr double kExactRoom = 2;
/// With no more different values than this, or than half the samples, two features agree
/// everywhere by chance: then it takes several rows to break an equation.
constexpr std::size_t kFewValues = 20;
constexpr std::size_t kBaselineFolds = 5;
/// This share of the held-out samples lies at or beyond the limit of a predicted relation.
constexpr double kShareBeyond = 0.01;
/// A single row this many times beyond the largest held-out residual breaks a relation.
constexpr double kFarBeyond = 10;
/// A normal distribution's deviation in terms of its median absolute one.
constexpr double kDeviationPerMedian = 1.4826;

double square_sum(std::span<const double> values) {
  return std::inner_product(values.begin(), values.end(), values.begin(), 0.0);
}

FeatureRange range_of(std::vector<double> values) {
  const auto [min, max] = std::ranges::minmax(values);
  FeatureRange range{.min = min, .max = max};
  // Shares of the largest deviation: sums and squares of values may be too large for a double.
  const double middle = 0.5 * min + 0.5 * max;
  const double largest = std::max(max - middle, std::numeric_limits<double>::min());
  for (double& value : values) value = (value - middle) / largest;
  const double n = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  for (double& value : values) value -= mean;
  range.mean = middle + mean * largest;
  range.sd = max > min ? largest * std::sqrt(square_sum(values) / n) : 0;
  return range;
}

bool has_few_values(std::vector<double> values) {
  const std::size_t n = values.size();
  std::ranges::sort(values);
  const auto end = std::unique(values.begin(), values.end());
  return static_cast<std::size_t>(end - values.begin()) <= std::min(kFewValues, n / 2);
}

std::vector<Index> columns_of(const RemovedFeature& removed) {
  std::vector<Index> columns{removed.feature};
  for (const Term& term : removed.combination.terms) columns.push_back(term.feature);
  return columns;
}

/// The relation if it is exact or a rest of rounding; else its feature is -1.
Relation exact_relation(const Dataset& dataset, const RemovedFeature& removed, Transform how,
                        const std::vector<Digits>& digits) {
  const auto columns = columns_of(removed);
  std::vector<Digits> own;
  for (const Index column : columns) own.push_back(digits[column]);
  const Residuals found =
      detail::residuals_of(removed.combination, dataset.matrix, columns, own, how);
  auto values = detail::values_of(dataset.matrix, removed.feature);
  for (double& value : values) value = detail::on_row_scale(value, how);
  const FeatureRange range = range_of(values);
  const double sd = range.sd;
  double largest = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    largest =
        std::max(largest, std::fabs(found.value[i]) - detail::kDoubleRounding * found.size[i]);
  }
  Relation relation{.kind = RelationKind::exact, .r2 = removed.combination.r2};
  relation.rounding = *std::ranges::max_element(found.rounding);
  relation.scale = std::sqrt(square_sum(found.value) / static_cast<double>(values.size()));
  const bool is_rounding = relation.rounding <= kRoundingShare * sd && largest <= relation.rounding;
  if (largest <= kExactShare * sd) {
    relation.limit = kExactRoom * kExactShare * sd;
  } else if (is_rounding) {
    relation.limit = kExactRoom * relation.rounding;
  } else {
    return {};
  }
  relation.far = has_few_values(std::move(values))
                     ? std::max(relation.limit, kFarBeyond * (range.max - range.min))
                     : relation.limit;
  relation.feature = removed.feature;
  const bool is_finite = std::isfinite(relation.far) && std::isfinite(relation.scale) &&
                         std::isfinite(relation.rounding);
  return is_finite ? relation : Relation{};
}

/// Held-out residuals of combinations that are found anew without each fold.
class HeldOutCombinations {
 public:
  HeldOutCombinations(const Dataset& dataset, std::span<const Index> kept,
                      std::vector<Index> targets, Transform how, int max_terms,
                      const RunContext& run);

  void add_to(Baseline& baseline) const;

 private:
  void hold_out(const Dataset& data, const std::vector<std::size_t>& order, std::size_t fold,
                const RunContext& run);
  [[nodiscard]] Relation relation_of(std::size_t target, std::size_t n_beyond) const;

  std::size_t n_kept_;
  std::vector<Index> targets_;
  int max_terms_;
  std::vector<std::vector<double>> residuals_;  ///< by target
  std::vector<double> squares_of_mean_;         ///< what the training mean leaves, by target
};

/// The columns that are needed, kept ones first, of so many rows as are looked at.
Dataset chosen_part(const Dataset& dataset, std::span<const Index> kept,
                    const std::vector<Index>& targets, Transform how, const RunContext& run) {
  std::vector<Index> columns(kept.begin(), kept.end());
  columns.insert(columns.end(), targets.begin(), targets.end());
  std::vector<Index> samples(static_cast<std::size_t>(n_samples(dataset.matrix)));
  std::iota(samples.begin(), samples.end(), Index{0});
  detail::Random random(run.seed);
  samples = detail::random_choice(samples, kMostSamplesToPredict, random);
  // The fewer samples first: a long table is not copied.
  const bool is_long = samples.size() < static_cast<std::size_t>(n_samples(dataset.matrix));
  Dataset part;
  part.matrix = is_long ? select_features(select_samples(dataset, samples).matrix, columns)
                        : select_features(dataset.matrix, columns);
  part.feature_names = generated_names(static_cast<Index>(columns.size()));
  if (how != Transform::none) transform(part, how, Centering::none, run);
  return part;
}

HeldOutCombinations::HeldOutCombinations(const Dataset& dataset, std::span<const Index> kept,
                                         std::vector<Index> targets, Transform how, int max_terms,
                                         const RunContext& run)
    : n_kept_(kept.size()),
      targets_(std::move(targets)),
      max_terms_(max_terms),
      residuals_(targets_.size()),
      squares_of_mean_(targets_.size()) {
  const Dataset part = chosen_part(dataset, kept, targets_, how, run);
  std::vector<std::size_t> order(static_cast<std::size_t>(n_samples(part.matrix)));
  std::iota(order.begin(), order.end(), std::size_t{0});
  detail::Random random(run.seed);
  detail::shuffle(order, random);
  const RunContext inner = detail::while_holding(part.matrix, run);
  for (std::size_t fold = 0; fold < kBaselineFolds; ++fold) hold_out(part, order, fold, inner);
}

void HeldOutCombinations::hold_out(const Dataset& data, const std::vector<std::size_t>& order,
                                   std::size_t fold, const RunContext& run) {
  std::vector<Index> training;
  std::vector<std::size_t> held_out;
  std::vector<char> is_out(order.size(), 0);
  for (std::size_t k = fold; k < order.size(); k += kBaselineFolds) is_out[order[k]] = 1;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (is_out[i] != 0) {
      held_out.push_back(i);
    } else {
      training.push_back(static_cast<Index>(i));
    }
  }
  Dataset rest = select_samples(data, training);
  const UnitFeatures centred = normalise(std::move(rest.matrix), {Centering::mean}, run);
  std::vector<Index> kept(n_kept_);
  std::iota(kept.begin(), kept.end(), Index{0});
  std::vector<Index> targets(targets_.size());
  std::iota(targets.begin(), targets.end(), static_cast<Index>(n_kept_));
  const auto found = detail::short_combinations(centred, kept, targets, max_terms_, run);
  detail::parallel_for(run, {}, static_cast<std::int64_t>(targets.size()), [&](std::int64_t item) {
    const auto values = detail::values_of(data.matrix, targets[item]);
    std::vector<double> left = values;
    for (double& one : left) one -= found[item].intercept;
    for (const Term& term : found[item].terms) {
      const auto column = detail::values_of(data.matrix, term.feature);
      for (const std::size_t i : held_out) left[i] -= term.coefficient * column[i];
    }
    const double mean = centred.mean[targets[item]];
    for (const std::size_t i : held_out) {
      residuals_[item].push_back(std::fabs(left[i]));
      squares_of_mean_[item] += (values[i] - mean) * (values[i] - mean);
    }
  });
}

Relation HeldOutCombinations::relation_of(std::size_t target, std::size_t n_beyond) const {
  std::vector<double> sizes = residuals_[target];
  std::ranges::sort(sizes);
  const std::size_t n = sizes.size();
  Relation relation{.feature = targets_[target], .kind = RelationKind::predicted};
  relation.scale = kDeviationPerMedian * sizes[n / 2];
  relation.limit = sizes[n - n_beyond];
  relation.far = kFarBeyond * sizes[n - 1];
  relation.r2 = 1 - square_sum(sizes) / squares_of_mean_[target];
  const bool is_watched = relation.r2 >= kWatchedR2 && std::isfinite(relation.far);
  return is_watched ? relation : Relation{};
}

void HeldOutCombinations::add_to(Baseline& baseline) const {
  if (targets_.empty()) return;
  const std::size_t n = residuals_.front().size();
  const auto n_beyond =
      std::max<std::size_t>(1, static_cast<std::size_t>(kShareBeyond * static_cast<double>(n)));
  baseline.n_tested = static_cast<Index>(n);
  baseline.n_beyond = static_cast<Index>(n_beyond);
  for (std::size_t t = 0; t < targets_.size(); ++t) {
    const Relation relation = relation_of(t, n_beyond);
    if (relation.feature >= 0) baseline.relations.push_back(relation);
  }
}

/// Digits of the columns that possible relations speak of.
std::vector<Digits> find_digits(const Dataset& dataset,
                                const std::vector<const RemovedFeature*>& candidates,
                                const RunContext& run) {
  std::vector<Digits> digits(static_cast<std::size_t>(n_features(dataset.matrix)));
  std::vector<Index> columns;
  for (const RemovedFeature* one : candidates) {
    const auto own = columns_of(*one);
    columns.insert(columns.end(), own.begin(), own.end());
  }
  std::ranges::sort(columns);
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  detail::parallel_for(run, {}, static_cast<std::int64_t>(columns.size()), [&](std::int64_t k) {
    digits[columns[k]] = Digits(detail::values_of(dataset.matrix, columns[k]));
  });
  return digits;
}

}  // namespace

bool is_row_wise(Transform how) noexcept {
  return how == Transform::none || how == Transform::log1p || how == Transform::sqrt;
}

Baseline find_baseline(const Dataset& dataset, const Reduction& reduction, Transform how,
                       int max_terms, const RunContext& run) {
  Baseline baseline;
  baseline.n_samples = n_samples(dataset.matrix);
  baseline.kept.resize(reduction.kept.size());
  detail::parallel_for(
      run, {}, static_cast<std::int64_t>(reduction.kept.size()), [&](std::int64_t k) {
        baseline.kept[k] = range_of(detail::values_of(dataset.matrix, reduction.kept[k]));
      });
  if (!is_row_wise(how)) return baseline;
  std::vector<const RemovedFeature*> candidates;
  for (const RemovedFeature& one : reduction.removed) {
    const bool may_hold = !one.combination.terms.empty() && one.combination.r2 >= kWatchedR2;
    if (may_hold) candidates.push_back(&one);
  }
  const auto digits = find_digits(dataset, candidates, run);
  std::vector<Relation> exact(candidates.size());
  detail::parallel_for(run, {}, static_cast<std::int64_t>(candidates.size()), [&](std::int64_t k) {
    exact[k] = exact_relation(dataset, *candidates[k], how, digits);
  });
  std::vector<Index> others;
  for (std::size_t k = 0; k < candidates.size(); ++k) {
    if (exact[k].feature >= 0) {
      baseline.relations.push_back(exact[k]);
    } else {
      others.push_back(candidates[k]->feature);
    }
  }
  if (baseline.n_samples >= kFewestSamplesToCertify && !others.empty()) {
    HeldOutCombinations(dataset, reduction.kept, std::move(others), how, max_terms, run)
        .add_to(baseline);
  }
  std::ranges::sort(baseline.relations, {}, &Relation::feature);
  return baseline;
}

}  // namespace sfg
