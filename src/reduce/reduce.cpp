#include "sfg/reduce.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/text.hpp"
#include "core/threads.hpp"
#include "sfg/error.hpp"
#include "sfg/pursuit.hpp"

namespace sfg {

namespace {

/// A combination ends when a further term would explain less than this much of the variance.
constexpr double kSmallestTerm = 0.01;

std::vector<char> kept_flags(const Grouping& grouping) {
  std::vector<char> kept(grouping.groups.group_of.size(), 0);
  for (const Index feature : grouping.representatives) kept[static_cast<std::size_t>(feature)] = 1;
  for (const Index feature : grouping.drop) kept[static_cast<std::size_t>(feature)] = 0;
  for (const Index feature : grouping.keep) kept[static_cast<std::size_t>(feature)] = 1;
  return kept;
}

/// Coefficients of unit features, turned into units of the data:
///   f = (x - mean) / norm  =>  x_i = mean_i + sum_k w_k (norm_i / norm_k) (x_k - mean_k).
Combination in_data_units(const UnitFeatures& centred, Index target, std::span<const Index> atoms,
                          std::span<const double> weights) {
  const auto i = static_cast<std::size_t>(target);
  Combination combination;
  combination.intercept = centred.mean[i];
  for (std::size_t k = 0; k < atoms.size(); ++k) {
    const auto atom = static_cast<std::size_t>(atoms[k]);
    const double ratio = std::ldexp(centred.norm[i] / centred.norm[atom],
                                    centred.norm_exponent[i] - centred.norm_exponent[atom]);
    const double coefficient = weights[k] * ratio;
    combination.terms.push_back({atoms[k], coefficient});
    combination.intercept -= coefficient * centred.mean[atom];
  }
  return combination;
}

/// An intercept that is only what rounding left of a difference of larger numbers is none.
void clear_rounding(const UnitFeatures& centred, Index target, Combination& combination) {
  double magnitude = std::fabs(centred.mean[static_cast<std::size_t>(target)]);
  for (const Term& term : combination.terms) {
    magnitude += std::fabs(term.coefficient * centred.mean[static_cast<std::size_t>(term.feature)]);
  }
  constexpr double kRounding = 1e-12;
  if (std::fabs(combination.intercept) <= kRounding * magnitude) combination.intercept = 0;
}

void find_combinations(const UnitFeatures& centred, const ReduceOptions& options, const Run& run,
                       Reduction& reduction) {
  std::vector<Index> targets;
  for (const RemovedFeature& removed : reduction.removed) targets.push_back(removed.feature);
  if (targets.empty() || reduction.kept.empty()) return;
  PursuitOptions pursuit;
  pursuit.epsilon = kSmallestTerm;
  pursuit.max_atoms = options.max_terms;
  pursuit.last_atom = LastAtom::drop;
  const Representations found = pursue(select_features(centred, targets),
                                       select_features(centred, reduction.kept), pursuit, run);
  std::vector<Index> atoms;
  for (std::size_t t = 0; t < targets.size(); ++t) {
    const auto target = static_cast<Index>(t);
    atoms.clear();
    for (const Index atom : found.atoms_of(target)) {
      atoms.push_back(reduction.kept[static_cast<std::size_t>(atom)]);
    }
    auto& combination = reduction.removed[t].combination;
    combination = in_data_units(centred, targets[t], atoms, found.coefficients_of(target));
    clear_rounding(centred, targets[t], combination);
    // A constant feature is its own mean: nothing is left to explain.
    const bool constant = found.status[t] == PursuitStatus::no_direction;
    combination.r2 = constant ? 1.0 : std::clamp(1 - found.residual[t], 0.0, 1.0);
  }
}

}  // namespace

double squared_correlation(const UnitFeatures& centred, Index feature, Index representative) {
  if (centred.kind[static_cast<std::size_t>(feature)] != FeatureKind::regular) return 1;
  if (centred.kind[static_cast<std::size_t>(representative)] != FeatureKind::regular) return 0;
  const double correlation = inner_product(centred, feature, representative);
  return std::min(1.0, correlation * correlation);
}

void check(const ReduceOptions& options) {
  if (options.max_terms < 1) {
    throw Error(ErrorCode::invalid_option,
                fmt::format("max-terms must be at least 1, not {}", options.max_terms));
  }
}

Reduction remove_redundant(Grouping grouping, const UnitFeatures& centred,
                           const ReduceOptions& options, const Run& run) {
  check(options);
  Reduction reduction;
  const auto kept = kept_flags(grouping);
  reduction.groups = std::move(grouping.groups);
  reduction.representatives = std::move(grouping.representatives);
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const auto feature = static_cast<Index>(i);
    if (kept[i] != 0) {
      reduction.kept.push_back(feature);
      continue;
    }
    RemovedFeature removed;
    removed.feature = feature;
    const Index own =
        reduction.representatives[static_cast<std::size_t>(reduction.groups.group_of[i])];
    removed.representative = own == feature ? -1 : own;
    reduction.removed.push_back(std::move(removed));
  }
  detail::parallel_for(
      run, {}, static_cast<std::int64_t>(reduction.removed.size()), [&](std::int64_t item) {
        auto& removed = reduction.removed[static_cast<std::size_t>(item)];
        if (removed.representative < 0) return;
        removed.r2 = squared_correlation(centred, removed.feature, removed.representative);
      });
  double sum = 0;
  double count = 0;
  for (const RemovedFeature& removed : reduction.removed) {
    if (removed.representative < 0) continue;
    sum += removed.r2;
    count += 1;
  }
  if (count > 0) reduction.mean_r2 = sum / count;
  if (options.combinations == Combinations::find) {
    find_combinations(centred, options, run, reduction);
  }
  return reduction;
}

std::string combination_text(const Combination& combination,
                             const std::vector<std::string>& feature_names) {
  std::string text;
  const auto append = [&](double value, const std::string& factor) {
    if (text.empty()) {
      text += value < 0 ? "-" : "";
    } else {
      text += value < 0 ? " - " : " + ";
    }
    text += fmt::format("{:.6g}{}", std::fabs(value), factor);
  };
  for (const Term& term : combination.terms) {
    append(
        term.coefficient,
        fmt::format("*{}", detail::escaped(feature_names[static_cast<std::size_t>(term.feature)])));
  }
  if (combination.intercept != 0 || text.empty()) append(combination.intercept, "");
  return text;
}

}  // namespace sfg
