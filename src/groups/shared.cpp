#include "sfg/shared.hpp"

#include <algorithm>

#include "core/random.hpp"
#include "normalise/permuted.hpp"
#include "normalise/products.hpp"
#include "sfg/statistics.hpp"

namespace sfg {

namespace {

/// Permuted features that say what chance reaches.
constexpr std::size_t kPermutedForChance = 100;
constexpr double kChanceQuantile = 0.95;
/// The third witness: the graph's descriptions, but short.
PursuitOptions short_descriptions(PursuitOptions pursuit) {
  pursuit.max_atoms = kWitnessAtoms;
  return pursuit;
}

double beyond_chance(double r2, double chance) {
  return chance < 1 ? (r2 - chance) / (1 - chance) : 0.0;
}

double squared(double value) {
  return value * value;
}

/// Squared correlation of a feature with the atom that its description began with: the nearest.
double nearest_r2(const UnitFeatures& centred, Index feature, std::span<const Index> atoms) {
  return atoms.empty() ? 0.0 : squared(inner_product(centred, feature, atoms.front()));
}

}  // namespace

Chance measure_chance(const UnitFeatures& centred, const PursuitOptions& pursuit,
                      const RunContext& run) {
  detail::Random random(run.seed);
  const auto chosen = detail::random_choice(regular_features(centred), kPermutedForChance, random);
  Chance chance;
  chance.n_permuted = static_cast<Index>(chosen.size());
  if (chosen.empty()) return chance;
  const UnitFeatures permuted = detail::permuted(centred, chosen, random);
  const Representations found = pursue(permuted, centred, short_descriptions(pursuit), run);
  const auto n = static_cast<std::size_t>(centred.n_samples());
  std::vector<double> target(n);
  std::vector<double> atom(n);
  std::vector<double> nearest;
  std::vector<double> explained;
  for (Index t = 0; t < found.n_targets(); ++t) {
    const auto atoms = found.atoms_of(t);
    double r = 0;
    if (!atoms.empty()) {
      detail::expand(permuted, t, target.data());
      detail::expand(centred, atoms.front(), atom.data());
      for (std::size_t i = 0; i < n; ++i) r += target[i] * atom[i];
    }
    nearest.push_back(squared(r));
    explained.push_back(1 - found.residual[t]);
  }
  chance.nearest_r2 = quantile(nearest, kChanceQuantile);
  chance.explained = quantile(explained, kChanceQuantile);
  return chance;
}

EarlyEnd early_end(const Predictability& predictability, const Chance& chance) {
  EarlyEnd early;
  for (const double h : predictability.r2) {
    early.doubtful.push_back(h > kSharedBeyondChance ? 0 : 1);
  }
  early.enough = chance.nearest_r2 + kSharedBeyondChance * (1 - chance.nearest_r2);
  early.most_atoms = kWitnessAtoms;
  return early;
}

SharedFeatures find_shared(const UnitFeatures& centred, Predictability predictability,
                           const Chance& chance, const PursuitOptions& pursuit,
                           const Representations* descriptions, const RunContext& run) {
  SharedFeatures shared;
  shared.looked_at = true;
  shared.chance = chance;
  shared.predictability = std::move(predictability);
  shared.is_unshared.assign(centred.kind.size(), 0);
  std::vector<Index> doubtful;
  for (const Index feature : regular_features(centred)) {
    if (shared.predictability.r2[feature] <= kSharedBeyondChance) doubtful.push_back(feature);
  }
  const Representations own =
      descriptions != nullptr ? Representations()
                              : pursue_some(centred, doubtful, short_descriptions(pursuit), run);
  for (std::size_t k = 0; k < doubtful.size(); ++k) {
    const Index feature = doubtful[k];
    const Representations& found = descriptions != nullptr ? *descriptions : own;
    const Index row = descriptions != nullptr ? feature : static_cast<Index>(k);
    const double nearest = nearest_r2(centred, feature, found.atoms_of(row));
    const double explained = 1 - found.residual[row];
    // Long descriptions explain more than short ones of permuted features do: they are no witness.
    const bool is_short = found.atoms_of(row).size() <= static_cast<std::size_t>(kWitnessAtoms);
    const bool is_shared = beyond_chance(nearest, chance.nearest_r2) > kSharedBeyondChance ||
                           (is_short && explained >= chance.explained + kSharedBeyondChance);
    if (is_shared) continue;
    shared.is_unshared[feature] = 1;
    ++shared.n_unshared;
  }
  return shared;
}

std::vector<Index> left_alone(const UnitFeatures& centred, const SharedFeatures& shared,
                              const Predictability& now, const Representations* descriptions) {
  std::vector<Index> alone;
  if (!shared.looked_at) return alone;
  for (const Index feature : regular_features(centred)) {
    if (now.r2[feature] > kSharedBeyondChance) continue;
    double nearest = 0;
    if (descriptions != nullptr) {
      for (const Index atom : descriptions->atoms_of(feature)) {
        if (centred.kind[atom] != FeatureKind::regular) continue;
        nearest = std::max(nearest, squared(inner_product(centred, feature, atom)));
      }
    }
    if (beyond_chance(nearest, shared.chance.nearest_r2) <= kSharedBeyondChance) {
      alone.push_back(feature);
    }
  }
  return alone;
}

}  // namespace sfg
