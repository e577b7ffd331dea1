// The scale on which features are compared: transformed, without batches, without gaps.
#include "scale/on_scale.hpp"

#include <fmt/format.h>

#include <cmath>

#include "core/threads.hpp"
#include "sfg/error.hpp"
#include "sfg/text.hpp"

namespace sfg::detail {

namespace {

/// An intercept below this share of the numbers that it is a difference of is rounding.
constexpr double kOriginRounding = 1e-12;

/// A feature with next to no values has no evidence for or against anything.
void require_values(const Dataset& dataset, const Gaps& gaps) {
  const auto most = std::max<Index>(0, n_samples(dataset.matrix) - kFewestCommon);
  std::string names;
  Index n_found = 0;
  for (Index i = 0; i < n_features(dataset.matrix); ++i) {
    if (gaps.of(i).empty() || static_cast<Index>(gaps.of(i).size()) <= most) continue;
    constexpr Index kNamed = 5;
    if (n_found++ < kNamed) {
      names += fmt::format("{}'{}'", names.empty() ? "" : ", ", escaped(dataset.feature_names[i]));
    } else if (n_found == kNamed + 1) {
      names += ", ...";
    }
  }
  if (n_found == 0) return;
  throw Error(
      ErrorCode::degenerate_data,
      fmt::format("{} with gaps ha{} fewer than {} values, too few to compare with others: "
                  "{}; leave {} out",
                  n_found == 1 ? "a feature" : fmt::format("{} features", n_found),
                  n_found == 1 ? "s" : "ve", kFewestCommon, names, n_found == 1 ? "it" : "them"),
      dataset.source);
}

}  // namespace

ScaleOrigin bring_to_scale(Dataset& dataset, const ScaleOptions& options, const RunContext& run) {
  ScaleOrigin result;
  result.gaps = find_gaps(dataset.matrix);
  if (result.gaps != nullptr) require_values(dataset, *result.gaps);
  result.origin = transform(dataset, options.transform, options.centering, run);
  if (dataset.batch) {
    const Batches batches = read_batches(*dataset.batch, n_samples(dataset.matrix));
    result.within_batches = batches.count() > 1;
    adjust_within_batches(dataset.matrix, batches, options.batch_adjustment, run);
  }
  if (result.gaps != nullptr) result.filled = fill_gaps(dataset.matrix, *result.gaps, run);
  return result;
}

OnScale::OnScale(const Dataset& dataset, const ScaleOptions& options, const RunContext& run)
    : data_(&dataset), run_(run), has_combinations_(options.has_combinations) {
  const bool stays = options.transform == Transform::none && !dataset.batch &&
                     find_gaps(dataset.matrix) == nullptr;
  if (stays) return;
  run_ = while_holding(dataset.matrix, run);
  copy_ = dataset;
  origin_ = bring_to_scale(*copy_, options, run_);
  data_ = &*copy_;
}

UnitFeatures OnScale::normalised(Centering centering) const {
  UnitFeatures features = normalise(data_->matrix, {centering}, run_);
  features.gaps = origin_.gaps;
  return features;
}

/// Ranks r - o, counted from that of zero, are for the machine: y - o_y = c + sum w_k (r_k - o_k)
/// says y = (c + o_y - sum w_k o_k) + sum w_k r_k of ranks from 1. Within batches there is no
/// origin: a constant differs from batch to batch.
void OnScale::restore_origin(Reduction& reduction) const {
  const std::vector<double>& origin = origin_.origin;
  if (origin.empty() && !origin_.within_batches) return;
  const auto restore = [&](Index target, Combination& combination) {
    if (origin_.within_batches) {
      combination.intercept = 0;
      return;
    }
    double size = std::fabs(combination.intercept) + origin[target];
    combination.intercept += origin[target];
    for (const Term& term : combination.terms) {
      const double share = term.coefficient * origin[term.feature];
      combination.intercept -= share;
      size += std::fabs(share);
    }
    if (std::fabs(combination.intercept) <= kOriginRounding * size) combination.intercept = 0;
  };
  for (Equation& one : reduction.equations) restore(one.feature, one.combination);
  if (!has_combinations_) return;
  for (RemovedFeature& one : reduction.removed) restore(one.feature, one.combination);
}

}  // namespace sfg::detail
