// What each removed feature is in terms of the kept ones, and what is promised about it.
#include "reduce/combinations.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "core/kernels.hpp"
#include "equations/exact_fit.hpp"
#include "normalise/observed_table.hpp"
#include "normalise/products.hpp"
#include "pursuit/near_pursuit.hpp"
#include "pursuit/plan.hpp"
#include "sfg/level.hpp"
#include "sfg/pursuit.hpp"

namespace sfg::detail {

namespace {

/// A combination ends when a further term would explain less than this much of the variance.
constexpr double kSmallestTerm = 0.01;
/// A combination that explains this much may be exact: then it is followed to its end.
constexpr double kMaybeExact = 0.9;
/// Squared rest of a unit feature that is rounding.
constexpr double kExactRest = 1e-17;
/// Most terms of an exact combination, and samples for each of them: fewer fit anything.
constexpr int kMostExactTerms = 8;
constexpr Index kSamplesPerTerm = 4;
/// Of so many terms one explains an eighth of what is left, and half of that where they overlap.
/// Where two terms in a row gain less they describe noise, and will not arrive.
constexpr double kSmallestExactShare = 1.0 / (2 * kMostExactTerms);

/// The targets (ascending) by kept features, or by those of them that are near; atoms are features
/// of the table. With a least share a description ends where two atoms in a row explain less of it.
Representations describe_by(const UnitFeatures& centred, const std::vector<Index>& targets,
                            std::span<const Index> kept, const Window* window,
                            const PursuitOptions& pursuit, const RunContext& run,
                            std::optional<double> least_share) {
  EarlyEnd early;
  if (least_share) {
    const std::size_t n = window != nullptr ? targets.size() : centred.kind.size();
    early = {std::vector<char>(n, 1), 0, pursuit.max_atoms, *least_share};
  }
  if (window != nullptr) {
    return pursue_near(centred, {targets, kept, *window}, pursuit, run, early);
  }
  const UnitFeatures dictionary = select_features(centred, kept);
  PursuitProblem problem{centred, dictionary, pursuit, targets, PursuitProblem::Part::rest};
  if (least_share) problem.early = &early;
  Representations found = least_share ? pursue_sample(problem, run)
                                      : pursue_some(centred, targets, dictionary, pursuit, run);
  for (Index& atom : found.atoms) atom = kept[atom];
  return found;
}

RemovedFeature& removed_one(Reduction& reduction, Index feature) {
  return *std::ranges::lower_bound(reduction.removed, feature, {}, &RemovedFeature::feature);
}

/// Least squares of a target on atoms over the samples in which all have values; atoms that leave
/// too few of these go, the last ones first. Nothing where there are no gaps.
struct ObservedCombination {
  Combination combination;
  bool is_exact = false;
};

ObservedCombination fit_observed(const UnitFeatures& centred, Index target,
                                 std::vector<Index> atoms) {
  for (; !atoms.empty(); atoms.pop_back()) {
    const ObservedTable observed(centred, target, atoms);
    const UnitFeatures& table = observed.table();
    if (!observed.has_samples(kSamplesPerTerm)) continue;
    if (table.kind[observed.target()] != FeatureKind::regular) break;
    const ExactFit fit = fit_exactly(table, observed.target(), observed.features());
    ObservedCombination result;
    Combination& combination = result.combination;
    combination = in_data_units(table, observed.target(), fit.features, fit.weights);
    result.is_exact = fit.is_exact() && combination.terms.size() == fit.features.size();
    if (result.is_exact) round_coefficients(combination, table, observed.target());
    drop_rounding(combination, table, observed.target());
    const bool is_lost = combination.terms.empty();
    combination.r2 = is_lost ? 0.0 : std::clamp(1 - fit.residual * fit.residual, 0.0, 1.0);
    if (result.is_exact) combination.r2 = 1;
    for (Term& term : combination.terms) term.feature = observed.number_of(term.feature);
    return result;
  }
  return {in_data_units(centred, target, {}, {}), false};
}

}  // namespace

std::vector<Combination> exact_combinations(const UnitFeatures& centred,
                                            std::span<const Index> kept,
                                            const std::vector<Index>& targets, const Window* window,
                                            const RunContext& run) {
  std::vector<Combination> result(targets.size());
  const int most = std::min<int>(kMostExactTerms, centred.n_samples() / kSamplesPerTerm);
  if (targets.empty() || kept.empty() || most < 1) return result;
  PursuitOptions pursuit;
  pursuit.epsilon = kExactRest;
  pursuit.max_atoms = most;
  const Representations found =
      describe_by(centred, targets, kept, window, pursuit, run, kSmallestExactShare);
  for (std::size_t t = 0; t < targets.size(); ++t) {
    const auto target = static_cast<Index>(t);
    const auto atoms = found.atoms_of(target);
    if (centred.gaps != nullptr) {
      ObservedCombination observed =
          fit_observed(centred, targets[t], {atoms.begin(), atoms.end()});
      if (observed.is_exact) result[t] = std::move(observed.combination);
      continue;
    }
    if (found.residual[t] > kExactRest) continue;
    Combination exact = in_data_units(centred, targets[t], atoms, found.coefficients_of(target));
    if (exact.terms.size() < atoms.size()) continue;
    round_coefficients(exact, centred, targets[t]);
    drop_rounding(exact, centred, targets[t]);
    exact.r2 = 1;
    result[t] = std::move(exact);
  }
  return result;
}

namespace {

/// |f - weight g|^2 of unit features. 1 - <f, g>^2 would be rounding for copies.
double rest_beside(const UnitFeatures& centred, Index feature, Index other, double weight) {
  const auto n = static_cast<std::size_t>(centred.n_samples());
  std::vector<double> left(n);
  std::vector<double> taken(n);
  expand(centred, feature, left.data());
  expand(centred, other, taken.data());
  add_multiple(-weight, taken.data(), left.data(), n);
  return dot(left.data(), left.data(), n);
}

/// One term: the copy. A feature that nothing explains is its mean, without any.
Combination simple_combination(const UnitFeatures& centred, const RemovedFeature& removed) {
  if (removed.reason == RemovalReason::unshared) {
    return in_data_units(centred, removed.feature, {}, {});
  }
  const std::array atoms{removed.best_kept};
  if (centred.gaps != nullptr) {
    return fit_observed(centred, removed.feature, {removed.best_kept}).combination;
  }
  const std::array weights{inner_product(centred, removed.feature, removed.best_kept)};
  Combination copy = in_data_units(centred, removed.feature, atoms, weights);
  if (copy.terms.empty()) return copy;
  copy.r2 = 1 - rest_beside(centred, removed.feature, removed.best_kept, weights.front());
  drop_rounding(copy, centred, removed.feature);
  return copy;
}

Representations pursue_shortly(const UnitFeatures& centred, std::span<const Index> kept,
                               const std::vector<Index>& targets, int max_terms,
                               const Window* window, const RunContext& run) {
  PursuitOptions pursuit;
  pursuit.epsilon = kSmallestTerm;
  pursuit.max_atoms = max_terms;
  pursuit.last_atom = LastAtom::drop;
  return describe_by(centred, targets, kept, window, pursuit, run, std::nullopt);
}

/// Short descriptions of the targets by the kept features; those that may be exact are returned.
std::vector<Index> describe_shortly(const UnitFeatures& centred, const std::vector<Index>& targets,
                                    int max_terms, const Window* window, const RunContext& run,
                                    Reduction& reduction) {
  std::vector<Index> maybe_exact;
  if (targets.empty()) return maybe_exact;
  const Representations found =
      pursue_shortly(centred, reduction.kept, targets, max_terms, window, run);
  for (std::size_t t = 0; t < targets.size(); ++t) {
    const auto target = static_cast<Index>(t);
    const auto atoms = found.atoms_of(target);
    RemovedFeature& removed = removed_one(reduction, targets[t]);
    Combination& combination = removed.combination;
    combination = in_data_units(centred, targets[t], atoms, found.coefficients_of(target));
    // A constant feature is its own mean: nothing is left to explain.
    const bool constant = found.status[t] == PursuitStatus::no_direction;
    if (centred.gaps != nullptr && !constant) {
      combination = fit_observed(centred, targets[t], {atoms.begin(), atoms.end()}).combination;
      if (combination.r2 >= kMaybeExact) maybe_exact.push_back(targets[t]);
      continue;
    }
    const bool is_lost = combination.terms.size() < atoms.size();
    combination.r2 = constant ? 1.0 : is_lost ? 0.0 : std::clamp(1 - found.residual[t], 0.0, 1.0);
    if (!is_lost) drop_rounding(combination, centred, targets[t]);
    const bool may_be =
        !constant && !is_lost && combination.r2 >= kMaybeExact && found.residual[t] > kExactRest;
    if (may_be || removed.reason == RemovalReason::exact) maybe_exact.push_back(targets[t]);
  }
  return maybe_exact;
}

}  // namespace

std::vector<Combination> short_combinations(const UnitFeatures& centred,
                                            std::span<const Index> kept,
                                            const std::vector<Index>& targets, int max_terms,
                                            const RunContext& run) {
  const Representations found = pursue_shortly(centred, kept, targets, max_terms, nullptr, run);
  std::vector<Combination> result;
  for (std::size_t t = 0; t < targets.size(); ++t) {
    const auto target = static_cast<Index>(t);
    result.push_back(
        in_data_units(centred, targets[t], found.atoms_of(target), found.coefficients_of(target)));
  }
  return result;
}

void find_combinations(const UnitFeatures& centred, const ReduceOptions& options,
                       const Window* window, const RunContext& run, Reduction& reduction) {
  if (reduction.kept.empty()) return;
  std::vector<Index> targets;
  for (RemovedFeature& removed : reduction.removed) {
    const bool is_copy = removed.is_copy() && removed.reason != RemovalReason::exact;
    if (is_copy || removed.reason == RemovalReason::unshared) {
      removed.combination = simple_combination(centred, removed);
    } else {
      targets.push_back(removed.feature);
    }
  }
  const auto maybe_exact =
      describe_shortly(centred, targets, options.max_terms, window, run, reduction);
  const auto exact = exact_combinations(centred, reduction.kept, maybe_exact, window, run);
  for (std::size_t k = 0; k < maybe_exact.size(); ++k) {
    if (!exact[k].terms.empty()) removed_one(reduction, maybe_exact[k]).combination = exact[k];
  }
}

void name_certificates(const UnitFeatures& centred, const Grouping& grouping,
                       const ReduceOptions& options, Reduction& reduction) {
  const double demand = options.certify.value_or(kUsualPredicted);
  const auto is_exact = [&](const RemovedFeature& removed) {
    const auto n_terms = static_cast<Index>(removed.combination.terms.size());
    return n_terms > 0 && 1 - removed.combination.r2 <= kExactRest &&
           n_terms * kSamplesPerTerm <= centred.n_samples();
  };
  const auto loses_little = [&](const RemovedFeature& removed) {
    if (grouping.predictability.empty()) return false;
    const double known = std::clamp(grouping.predictability[removed.feature], -1.0, 1.0);
    return 1 - *removed.held_out_r2 <= kUsualLossRatio * (1 - known) + kUsualLossSlack;
  };
  for (RemovedFeature& removed : reduction.removed) {
    if (removed.reason == RemovalReason::unshared) {
      removed.certificate = CertificateKind::unshared;
    } else if (removed.reason == RemovalReason::no_variation) {
      removed.certificate = CertificateKind::exact;
    } else if (removed.is_copy()) {
      removed.certificate = CertificateKind::copy;
    } else if (is_exact(removed)) {
      removed.certificate = CertificateKind::exact;
    } else if (!removed.held_out_r2) {
      removed.certificate = CertificateKind::untried;
    } else if (*removed.held_out_r2 >= demand) {
      removed.certificate = CertificateKind::predicted;
    } else {
      removed.certificate = loses_little(removed) ? CertificateKind::shared : CertificateKind::lost;
    }
  }
}

}  // namespace sfg::detail
