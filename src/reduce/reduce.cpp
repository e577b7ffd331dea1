#include "sfg/reduce.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/threads.hpp"
#include "groups/groups_of.hpp"
#include "reduce/combinations.hpp"
#include "reduce/promise.hpp"
#include "reduce/stand_ins.hpp"
#include "sfg/error.hpp"
#include "sfg/statistics.hpp"

namespace sfg {

namespace {

/// Who is kept at the start.
std::vector<char> kept_flags(const Grouping& grouping) {
  std::vector<char> kept(grouping.groups.group_of.size(), 0);
  for (const Index feature : grouping.representatives) kept[feature] = 1;
  for (const Index feature : grouping.drop) kept[feature] = 0;
  for (const Index feature : grouping.keep) kept[feature] = 1;
  return kept;
}

/// Groups in which every kept feature stands for itself: one that is kept whatever its group says
/// leaves it. A group whose representative was given up is represented by the kept feature that is
/// nearest to each member.
void regroup(const std::vector<char>& kept, const Grouping& grouping, const UnitFeatures& centred,
             const RunContext& run, Reduction& reduction) {
  std::vector<Index> owner(kept.size());
  std::vector<char> is_left_out(kept.size(), 0);
  for (const Index feature : grouping.drop) is_left_out[feature] = 1;
  std::vector<std::size_t> orphans;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const auto feature = static_cast<Index>(i);
    const Index own = grouping.representatives[grouping.groups.group_of[i]];
    owner[i] = kept[i] != 0 || is_left_out[i] != 0 ? feature : own;
    if (kept[owner[i]] == 0 && is_left_out[i] == 0) orphans.push_back(i);
  }
  if (!orphans.empty()) {
    const auto nearest = nearest_kept(centred, reduction.kept, grouping.window.get(), run);
    for (const std::size_t i : orphans) {
      owner[i] = nearest[i].feature >= 0 ? nearest[i].feature : static_cast<Index>(i);
    }
  }
  reduction.groups = detail::groups_by_label(owner);
  reduction.representatives.clear();
  for (Index g = 0; g < reduction.groups.n_groups(); ++g) {
    reduction.representatives.push_back(owner[reduction.groups.members_of(g).front()]);
  }
}

/// Kept and removed features, the latter with their representatives.
void fill_in(const std::vector<char>& kept, const Grouping& grouping, const UnitFeatures& centred,
             const RunContext& run, Reduction& reduction) {
  reduction.kept.clear();
  reduction.removed.clear();
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (kept[i] != 0) reduction.kept.push_back(static_cast<Index>(i));
  }
  regroup(kept, grouping, centred, run, reduction);
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (kept[i] != 0) continue;
    RemovedFeature removed;
    removed.feature = static_cast<Index>(i);
    const Index own = reduction.representatives[reduction.groups.group_of[i]];
    removed.representative = own == removed.feature ? -1 : own;
    if (removed.representative < 0) removed.reason = RemovalReason::no_variation;
    reduction.removed.push_back(std::move(removed));
  }
  const auto give_reason = [&](Index feature, RemovalReason reason) {
    const auto found =
        std::ranges::lower_bound(reduction.removed, feature, {}, &RemovedFeature::feature);
    if (found != reduction.removed.end() && found->feature == feature) found->reason = reason;
  };
  for (const Index feature : grouping.unshared) give_reason(feature, RemovalReason::unshared);
  reduction.equations.clear();
  for (const Equation& equation : grouping.equations) {
    give_reason(equation.feature, RemovalReason::exact);
    if (kept[equation.feature] == 0) reduction.equations.push_back(equation);
  }
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

/// Keeps of every group, as it is by now, the member that the choice wants. The groups stay.
[[nodiscard]] Grouping exchange_members(const Grouping& grouping, const UnitFeatures& centred,
                                        const RunContext& run, std::vector<char>& kept,
                                        Reduction& reduction) {
  const auto chosen = choose_members(reduction.groups, reduction.representatives, kept, centred,
                                     grouping.choice, run);
  Grouping exchanged = grouping;
  exchanged.groups = reduction.groups;
  for (std::size_t g = 0; g < chosen.size(); ++g) {
    if (chosen[g] == reduction.representatives[g]) continue;
    kept[reduction.representatives[g]] = 0;
    kept[chosen[g]] = 1;
  }
  exchanged.representatives = chosen;
  fill_in(kept, exchanged, centred, run, reduction);
  find_r2(centred, run, reduction);
  return exchanged;
}

/// The kept feature that is nearest to each removed one; of those in its window.
void find_best_kept(const Grouping& grouping, const UnitFeatures& centred, const RunContext& run,
                    Reduction& reduction) {
  const auto nearest = nearest_kept(centred, reduction.kept, grouping.window.get(), run);
  std::vector<double> r2;
  for (RemovedFeature& removed : reduction.removed) {
    const NearestKept& best = nearest[removed.feature];
    removed.best_kept = best.feature;
    removed.best_kept_r2 = best.feature >= 0 ? best.r2 : 0.0;
    if (best.feature >= 0) r2.push_back(best.r2);
  }
  reduction.mean_best_r2 = r2.empty() ? 1.0 : mean(r2);
}

/// Removed features that the kept ones do not predict come back: those whose r2 with their
/// representative is below `doubt`, if their held-out R^2 is below `limit`.
void rescue(double doubt, double limit, const Grouping& grouping, const UnitFeatures& centred,
            const RunContext& run, HeldOutTests& tests, std::vector<char>& kept,
            Reduction& reduction) {
  if (centred.n_samples() < kFewestSamplesToCertify) return;
  for (bool some_came_back = true; some_came_back;) {
    std::vector<HeldOutTarget> doubtful;
    for (const RemovedFeature& removed : reduction.removed) {
      if (removed.representative >= 0 && removed.r2 < doubt) {
        doubtful.push_back({removed.feature, {}});
      }
    }
    const auto r2 = tests.r2(reduction.kept, doubtful);
    some_came_back = false;
    for (std::size_t k = 0; k < doubtful.size(); ++k) {
      if (r2[k] >= limit) continue;
      kept[doubtful[k].feature] = 1;
      some_came_back = true;
      ++reduction.n_rescued;
    }
    if (!some_came_back) return;
    fill_in(kept, grouping, centred, run, reduction);
    find_r2(centred, run, reduction);
  }
}

/// Held-out R^2 of the removed features that were said to be known by the others.
void test_removed(const UnitFeatures& centred, const ReduceOptions& options, const RunContext& run,
                  HeldOutTests& tests, Reduction& reduction) {
  CertificateOptions how = options.certificate;
  if (options.certify) how.most_features = 0;
  std::vector<Index> promised;
  std::vector<Index> copies;
  for (const RemovedFeature& one : reduction.removed) {
    if (one.reason != RemovalReason::unshared) promised.push_back(one.feature);
    if (one.is_copy()) copies.push_back(one.feature);
  }
  reduction.certificate = certify(centred, reduction.kept, promised, copies, how, run, tests);
  auto removed = reduction.removed.begin();
  for (std::size_t k = 0; k < reduction.certificate.features.size(); ++k) {
    while (removed->feature != reduction.certificate.features[k]) ++removed;
    removed->held_out_r2 = reduction.certificate.r2[k];
  }
}

}  // namespace

double squared_correlation(const UnitFeatures& centred, Index feature, Index representative) {
  if (centred.kind[feature] != FeatureKind::regular) return 1;
  if (centred.kind[representative] != FeatureKind::regular) return 0;
  const double correlation = observed_correlation(centred, feature, representative);
  return std::min(1.0, correlation * correlation);
}

void check(const ReduceOptions& options) {
  check_fields(options);
}

Reduction remove_redundant(const Grouping& grouping, const UnitFeatures& centred,
                           const ReduceOptions& options, const RunContext& run) {
  check(options);
  if (options.certify && centred.n_samples() < kFewestSamplesToCertify) {
    throw Error(ErrorCode::degenerate_data,
                fmt::format("{} samples are too few to certify anything: it takes at least {}",
                            centred.n_samples(), kFewestSamplesToCertify),
                "", {"certify", "leave out {certify}"});
  }
  Reduction reduction = divide(grouping, centred, run);
  std::vector<char> kept = kept_flags(grouping);
  HeldOutTests tests(centred, options.certificate, run);
  if (grouping.rescue_below) {
    rescue(*grouping.rescue_below, *grouping.rescue_below, grouping, centred, run, tests, kept,
           reduction);
  }
  if (grouping.return_below) {
    rescue(kCopyR2, *grouping.return_below, grouping, centred, run, tests, kept, reduction);
  }
  const Grouping settled = grouping.choice.is_asked_for()
                               ? exchange_members(grouping, centred, run, kept, reduction)
                               : grouping;
  if (options.certify) {
    const detail::DemandedSet demanded =
        detail::keep_the_promise(centred, settled, kept, options, run);
    reduction.n_rescued += demanded.n_came_back;
    reduction.n_given_up = demanded.n_given_up;
    fill_in(demanded.kept, settled, centred, run, reduction);
    find_r2(centred, run, reduction);
  }
  find_best_kept(grouping, centred, run, reduction);
  test_removed(centred, options, run, tests, reduction);
  detail::find_stand_ins(centred, run, reduction);
  if (options.combinations) {
    detail::find_combinations(centred, options, grouping.window.get(), run, reduction);
  }
  detail::name_certificates(centred, grouping, options, reduction);
  return reduction;
}

Reduction divide(const Grouping& grouping, const UnitFeatures& centred, const RunContext& run) {
  Reduction reduction;
  fill_in(kept_flags(grouping), grouping, centred, run, reduction);
  find_r2(centred, run, reduction);
  return reduction;
}

std::vector<double> mean_r2_by_group(const Reduction& reduction) {
  const auto n_groups = static_cast<std::size_t>(reduction.groups.n_groups());
  std::vector<double> sums(n_groups, 0.0);
  std::vector<double> counts(n_groups, 0.0);
  for (const RemovedFeature& removed : reduction.removed) {
    const auto group = static_cast<std::size_t>(reduction.groups.group_of[removed.feature]);
    sums[group] += removed.r2;
    counts[group] += 1;
  }
  for (std::size_t g = 0; g < n_groups; ++g) sums[g] = counts[g] > 0 ? sums[g] / counts[g] : 1;
  return sums;
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
