#include "groups/parts.hpp"

#include <algorithm>

#include "sfg/error.hpp"

namespace sfg::detail {

namespace {

/// Where hardly any feature is shared there is nothing that dropping the rest would bring out: at
/// least so many must be, and this share of all.
constexpr Index kFewestShared = 10;
constexpr double kSmallestSharedShare = 0.01;
/// A short description that leaves no more than this may be the beginning of an equation; one that
/// leaves no more than that is one, but for rounding.
constexpr double kMostLeftOfEquation = 0.1;
constexpr double kNothingLeft = 1e-15;
/// Multiplications that following such beginnings to their end may take: seconds. On smooth data,
/// spectra or pixels, every description is such a beginning, and none is an equation.
constexpr double kMostEquationWork = 4e10;
constexpr double kFewestFollowed = 50;
/// From so many samples per feature on all equations are found, without candidates.
constexpr Index kSamplesPerFeature = 4;

bool is_wide_and_dense(const UnitFeatures& features) {
  return !features.is_mostly_zero() && features.n_features() > features.n_samples();
}

/// Rules that say what to keep of the features, not how well they stand for each other.
bool chooses_by_itself(LevelRule rule) {
  return rule != LevelRule::mean_r2 && rule != LevelRule::overlap;
}

bool drops(const LevelOptions& level, const UnitFeatures& centred, const SharedFeatures& shared) {
  if (level.unshared != Unshared::automatic) return level.unshared == Unshared::drop;
  const auto n_regular = static_cast<Index>(regular_features(centred).size());
  const Index n_shared = n_regular - shared.n_unshared;
  return is_wide_and_dense(centred) && chooses_by_itself(level.rule()) &&
         n_shared >= kFewestShared && n_shared >= kSmallestSharedShare * n_regular;
}

/// The unshared features that go. Where a number of features is asked for and the shared ones are
/// fewer, the best known of the others fill up.
std::vector<Index> unshared_to_drop(const LevelOptions& level, const UnitFeatures& centred,
                                    const SharedFeatures& shared, const FeatureList& keep) {
  std::vector<Index> unshared;
  for (const Index feature : regular_features(centred)) {
    const bool is_protected = std::ranges::find(keep, feature) != keep.end();
    if (shared.is_unshared[feature] != 0 && !is_protected) unshared.push_back(feature);
  }
  const auto n_regular = static_cast<Index>(regular_features(centred).size());
  const Index asked = asked_features(level, centred.n_features());
  const auto n_shared = n_regular - static_cast<Index>(unshared.size());
  if (asked > n_shared) {
    std::ranges::stable_sort(unshared, {},
                             [&](Index feature) { return shared.predictability.r2[feature]; });
    unshared.resize(static_cast<std::size_t>(std::max<Index>(0, n_regular - asked)));
    std::ranges::sort(unshared);
  }
  if (static_cast<Index>(unshared.size()) == n_regular) {
    throw Error(ErrorCode::degenerate_data,
                "no feature shares anything with the others, so nothing would be left", "",
                {"unshared", "leave out {unshared=drop}"});
  }
  return unshared;
}

const EquationOptions& equations_of(const GroupingOptions& options) {
  static const EquationOptions none{.equations = false};
  if (const auto* compact = std::get_if<CompactOptions>(&options)) return compact->equations;
  const auto* cover = std::get_if<CoverOptions>(&options);
  return cover != nullptr ? cover->equations : none;
}

/// Features whose short description leaves little: those that leave nothing, and of the others
/// those that leave least, as many as can be followed. Copies are told apart: that they describe
/// each other says nothing of what both are.
void find_candidates(const UnitFeatures& centred, const EquationOptions& how,
                     const Representations& descriptions, EquationInput& input) {
  std::vector<std::pair<double, Index>> left;
  for (const Index i : regular_features(centred)) {
    const auto n_atoms = static_cast<int>(descriptions.atoms_of(i).size());
    const double residual = descriptions.residual[i];
    if (n_atoms == 1 && residual <= kNothingLeft) {
      input.copies.push_back(i);
    } else if (n_atoms <= how.max_equation_terms + 1 && residual <= kMostLeftOfEquation) {
      left.emplace_back(residual, i);
    }
  }
  std::ranges::sort(left);
  const double work_of_one = 4.0 * how.max_equation_terms * centred.n_samples() *
                             static_cast<double>(centred.n_features());
  const double most = std::max(kFewestFollowed, kMostEquationWork / work_of_one);
  double followed = 0;
  for (const auto& [residual, feature] : left) {
    if (residual > kNothingLeft && ++followed > most) break;
    input.candidates.push_back(feature);
  }
  std::ranges::sort(input.candidates);
}

std::vector<Equation> equations_in(const UnitFeatures& centred, const GroupingOptions& options,
                                   const FeatureList& keep, const Representations* descriptions,
                                   const RunContext& run) {
  const EquationOptions& how = equations_of(options);
  const LevelOptions* level = level_of(options);
  if (!how.equations || level == nullptr || level->rule() != LevelRule::automatic) return {};
  // A sum is of parts anywhere in the table.
  if (has_window(options)) return {};
  // Rare words add up to others by accident.
  if (centred.is_mostly_zero() || !std::holds_alternative<DenseMatrix>(centred.matrix)) return {};
  EquationInput input;
  input.keep = keep;
  if (const auto* compact = std::get_if<CompactOptions>(&options)) {
    input.priority = compact->priority;
  }
  // With enough samples a factorisation finds them all.
  const auto n_regular = static_cast<Index>(regular_features(centred).size());
  if (descriptions != nullptr && centred.n_samples() / kSamplesPerFeature < n_regular) {
    find_candidates(centred, how, *descriptions, input);
    if (input.candidates.empty() && input.copies.empty()) return {};
  }
  std::vector<Equation> equations = find_equations(centred, input, how, run);
  // One term is a copy, and copies are for the groups: there another feature stands for them.
  std::erase_if(equations, [](const Equation& one) { return one.combination.terms.size() < 2; });
  return equations;
}

}  // namespace

bool asks_for_shared(const GroupingOptions& options, const UnitFeatures& centred) {
  const LevelOptions* level = level_of(options);
  if (level == nullptr || centred.n_samples() < kFewestSamplesToJudge) return false;
  if (level->unshared == Unshared::drop) return true;
  if (level->rule() == LevelRule::automatic) return !centred.is_mostly_zero();
  return level->unshared == Unshared::automatic && chooses_by_itself(level->rule()) &&
         is_wide_and_dense(centred);
}

std::vector<Index> FeatureParts::dropped() const {
  std::vector<Index> all = unshared;
  for (const Equation& equation : equations) all.push_back(equation.feature);
  std::ranges::sort(all);
  return all;
}

FeatureParts take_parts(const UnitFeatures& centred, const GroupingOptions& options,
                        const FeatureList& keep, const Representations* descriptions,
                        const RunContext& run, SharedFeatures& shared) {
  FeatureParts parts;
  parts.in_groups = view_of(centred);
  parts.known = shared.predictability;
  const LevelOptions* level = level_of(options);
  if (level == nullptr) return parts;
  const auto set_apart = [&](Index feature) { parts.in_groups.kind[feature] = FeatureKind::apart; };
  if (shared.looked_at && shared.n_unshared > 0) {
    shared.dropped = drops(*level, centred, shared);
    if (shared.dropped) parts.unshared = unshared_to_drop(*level, centred, shared, keep);
    // Kept ones take part as ever where the level is asked for otherwise: it counts all features.
    const bool all_apart = shared.dropped || level->rule() == LevelRule::automatic;
    for (std::size_t i = 0; all_apart && i < shared.is_unshared.size(); ++i) {
      if (shared.is_unshared[i] != 0) set_apart(static_cast<Index>(i));
    }
  }
  parts.equations = equations_in(parts.in_groups, options, keep, descriptions, run);
  if (parts.equations.empty()) return parts;
  for (const Equation& equation : parts.equations) set_apart(equation.feature);
  if (shared.looked_at) {
    parts.known = predictability(parts.in_groups, run);
    const auto alone = left_alone(parts.in_groups, shared, parts.known, descriptions);
    for (const Index feature : alone) set_apart(feature);
    if (!alone.empty()) parts.known = predictability(parts.in_groups, run);
  }
  return parts;
}

}  // namespace sfg::detail
