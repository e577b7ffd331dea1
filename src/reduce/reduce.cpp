#include "sfg/reduce.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/threads.hpp"
#include "sfg/error.hpp"
#include "sfg/pursuit.hpp"
#include "sfg/statistics.hpp"

namespace sfg {

namespace {

/// A combination ends when a further term would explain less than this much of the variance.
constexpr double kSmallestTerm = 0.01;

std::vector<char> kept_flags(const Reduction& reduction, const Grouping& grouping) {
  std::vector<char> kept(reduction.groups.group_of.size(), 0);
  for (const Index feature : reduction.representatives) kept[feature] = 1;
  for (const Index feature : grouping.drop) kept[feature] = 0;
  for (const Index feature : grouping.keep) kept[feature] = 1;
  return kept;
}

/// Kept and removed features, the latter with their representatives.
void fill_in(const std::vector<char>& kept, Reduction& reduction) {
  reduction.kept.clear();
  reduction.removed.clear();
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const auto feature = static_cast<Index>(i);
    if (kept[i] != 0) {
      reduction.kept.push_back(feature);
      continue;
    }
    RemovedFeature removed;
    removed.feature = feature;
    const Index own = reduction.representatives[reduction.groups.group_of[i]];
    removed.representative = own == feature ? -1 : own;
    reduction.removed.push_back(std::move(removed));
  }
}

/// Takes the grouping over; returns who is kept.
std::vector<char> start(Grouping grouping, Reduction& reduction) {
  reduction.groups = std::move(grouping.groups);
  reduction.representatives = std::move(grouping.representatives);
  std::vector<char> kept = kept_flags(reduction, grouping);
  fill_in(kept, reduction);
  return kept;
}

void find_r2(const UnitFeatures& centred, const RunContext& run, Reduction& reduction) {
  detail::parallel_for(
      run, {}, static_cast<std::int64_t>(reduction.removed.size()), [&](std::int64_t item) {
        auto& removed = reduction.removed[item];
        if (removed.representative < 0) return;
        removed.r2 = squared_correlation(centred, removed.feature, removed.representative);
      });
  std::vector<double> r2;
  for (const RemovedFeature& removed : reduction.removed) {
    if (removed.representative >= 0) r2.push_back(removed.r2);
  }
  reduction.mean_r2 = r2.empty() ? 1.0 : mean(r2);
  reduction.quantile_10_r2 = r2.empty() ? 1.0 : quantile(r2, 0.10);
}

/// Removed features that neither their representative nor the kept features explain come back.
void rescue(double limit, const UnitFeatures& centred, const CertificateOptions& options,
            const RunContext& run, std::vector<char>& kept, Reduction& reduction) {
  if (centred.n_samples() < kFewestSamplesToCertify) return;
  for (bool some_came_back = true; some_came_back;) {
    std::vector<HeldOutTarget> doubtful;
    for (const RemovedFeature& removed : reduction.removed) {
      if (removed.representative >= 0 && removed.r2 < limit) {
        doubtful.push_back({removed.feature, {}});
      }
    }
    const auto r2 = held_out_r2(centred, reduction.kept, doubtful, options, run);
    some_came_back = false;
    for (std::size_t k = 0; k < doubtful.size(); ++k) {
      if (r2[k] >= limit) continue;
      kept[doubtful[k].feature] = 1;
      some_came_back = true;
      ++reduction.n_rescued;
    }
    if (!some_came_back) return;
    fill_in(kept, reduction);
    find_r2(centred, run, reduction);
  }
}

/// Held-out R^2 of the removed features; those below the demand come back, and then all are tried
/// again with the larger set. That set only grows, so it ends.
void certify_removed(const UnitFeatures& centred, const ReduceOptions& options,
                     const RunContext& run, std::vector<char>& kept, Reduction& reduction) {
  CertificateOptions how = options.certificate;
  if (options.certify) how.most_features = 0;
  for (bool some_came_back = true; some_came_back;) {
    std::vector<Index> removed;
    for (const RemovedFeature& one : reduction.removed) removed.push_back(one.feature);
    reduction.certificate = certify(centred, reduction.kept, removed, how, run);
    some_came_back = false;
    const Certificate& certificate = reduction.certificate;
    for (std::size_t k = 0; options.certify && k < certificate.features.size(); ++k) {
      if (certificate.r2[k] >= *options.certify) continue;
      kept[certificate.features[k]] = 1;
      some_came_back = true;
      ++reduction.n_rescued;
    }
    if (some_came_back) fill_in(kept, reduction);
  }
  auto removed = reduction.removed.begin();
  for (std::size_t k = 0; k < reduction.certificate.features.size(); ++k) {
    while (removed->feature != reduction.certificate.features[k]) ++removed;
    removed->held_out_r2 = reduction.certificate.r2[k];
  }
}

void find_combinations(const UnitFeatures& centred, const ReduceOptions& options,
                       const RunContext& run, Reduction& reduction) {
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
      atoms.push_back(reduction.kept[atom]);
    }
    auto& combination = reduction.removed[t].combination;
    combination = in_data_units(centred, targets[t], atoms, found.coefficients_of(target));
    // A constant feature is its own mean: nothing is left to explain.
    const bool constant = found.status[t] == PursuitStatus::no_direction;
    const bool is_lost = combination.terms.size() < atoms.size();
    combination.r2 = constant ? 1.0 : is_lost ? 0.0 : std::clamp(1 - found.residual[t], 0.0, 1.0);
    if (!is_lost) drop_rounding(combination, centred, targets[t]);
  }
}

}  // namespace

double squared_correlation(const UnitFeatures& centred, Index feature, Index representative) {
  if (centred.kind[feature] != FeatureKind::regular) return 1;
  if (centred.kind[representative] != FeatureKind::regular) return 0;
  const double correlation = inner_product(centred, feature, representative);
  return std::min(1.0, correlation * correlation);
}

void check(const ReduceOptions& options) {
  check_fields(options);
}

Reduction remove_redundant(Grouping grouping, const UnitFeatures& centred,
                           const ReduceOptions& options, const RunContext& run) {
  check(options);
  if (options.certify && centred.n_samples() < kFewestSamplesToCertify) {
    throw Error(ErrorCode::degenerate_data,
                fmt::format("{} samples are too few to certify anything: it takes at least {}",
                            centred.n_samples(), kFewestSamplesToCertify),
                "", {"certify", "leave out {certify}"});
  }
  Reduction reduction;
  const std::optional<double> limit = grouping.rescue_below;
  std::vector<char> kept = start(std::move(grouping), reduction);
  find_r2(centred, run, reduction);
  if (limit) rescue(*limit, centred, options.certificate, run, kept, reduction);
  certify_removed(centred, options, run, kept, reduction);
  if (options.certify) find_r2(centred, run, reduction);
  if (options.combinations) find_combinations(centred, options, run, reduction);
  return reduction;
}

Reduction divide(Grouping grouping, const UnitFeatures& centred, const RunContext& run) {
  Reduction reduction;
  start(std::move(grouping), reduction);
  find_r2(centred, run, reduction);
  return reduction;
}

std::vector<double> weights(const Reduction& reduction) {
  std::vector<double> standing_for(reduction.groups.group_of.size(), 1.0);
  for (const RemovedFeature& removed : reduction.removed) {
    if (removed.representative < 0) continue;
    standing_for[removed.representative] += 1;
  }
  std::vector<double> result;
  for (const Index feature : reduction.kept) {
    result.push_back(std::sqrt(standing_for[feature]));
  }
  return result;
}

}  // namespace sfg
