// Equations from descriptions that leave nothing, where there are too few samples for the rank.
#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>

#include "core/threads.hpp"
#include "equations/circuits.hpp"
#include "equations/exact_fit.hpp"
#include "equations/tolerances.hpp"
#include "pursuit/plan.hpp"
#include "sfg/pursuit.hpp"

namespace sfg::detail {

namespace {

/// A sum of few features is explained to more than this by a short description, even one with a
/// wrong atom or two; what is not is no candidate.
constexpr double kNearlyDescribed = 0.9;
/// A first look ends where the graph's pursuit does.
constexpr double kFirstLook = 0.01;
/// Never ends a description that still gains: only the last digit does.
constexpr double kToTheLastDigit = 1e-9;
/// Atoms beside the terms of a sum: near-copies of its parts come first, and get the weight 0 when
/// the parts themselves are in.
constexpr int kAtomsBeside = 8;

/// Multiplications up to which OLS, which needs all products in every step, is worth its time: half
/// a minute. OMP misses sums of parts that have near-copies, and takes a fraction of it.
constexpr double kMostOlsWork = 1e12;

PursuitMethod affordable_method(const UnitFeatures& features, std::size_t n_targets,
                                int max_atoms) {
  const double work =
      static_cast<double>(n_targets) * max_atoms * static_cast<double>(n_stored(features.matrix));
  return work <= kMostOlsWork ? PursuitMethod::ols : PursuitMethod::omp;
}

/// Atoms that samples allow.
int most_atoms(const UnitFeatures& centred, int wanted) {
  return std::clamp(wanted, 1, std::max(1, centred.n_samples() / kSamplesPerTerm));
}

/// A target with its atoms, if they leave nothing and are no accident.
std::optional<Weights> circuit_of(const UnitFeatures& features, Index target,
                                  std::span<const Index> atoms, int max_terms) {
  const ExactFit fit = fit_exactly(features, target, atoms);
  const auto n_terms = static_cast<int>(fit.features.size());
  if (!fit.is_exact() || n_terms < 2 || n_terms > max_terms) return std::nullopt;
  std::vector<Index> members = fit.features;
  members.push_back(target);
  if (!has_support(features, members)) return std::nullopt;
  Weights circuit{{target, -1.0}};
  for (std::size_t k = 0; k < fit.features.size(); ++k) circuit[fit.features[k]] = fit.weights[k];
  return circuit;
}

/// Fewest terms first, then the one that is best conditioned: neither depends on units or order.
void sort_circuits(std::vector<Weights>& circuits) {
  const auto key = [](const Weights& circuit) {
    double sum = 0;
    double largest = 0;
    for (const auto& [feature, weight] : circuit) {
      sum += std::fabs(weight);
      largest = std::max(largest, std::fabs(weight));
    }
    return std::tuple(circuit.size(), sum / largest, circuit.begin()->first);
  };
  std::ranges::stable_sort(circuits, {}, key);
}

}  // namespace

std::vector<Index> nearly_described(const UnitFeatures& centred, std::span<const Index> features,
                                    const EquationOptions& options, const RunContext& run) {
  PursuitOptions pursuit;
  pursuit.epsilon = kFirstLook;
  pursuit.max_atoms = most_atoms(centred, options.max_equation_terms);
  const Representations found = pursue(select_features(centred, features), pursuit, run);
  std::vector<Index> described;
  for (std::size_t k = 0; k < features.size(); ++k) {
    if (1 - found.residual[k] >= kNearlyDescribed) described.push_back(features[k]);
  }
  return described;
}

std::vector<Weights> circuits_of_pursuit(const UnitFeatures& centred,
                                         std::span<const Index> features,
                                         std::span<const Index> targets,
                                         const EquationOptions& options, const RunContext& run) {
  std::vector<Index> places;
  for (const Index target : targets) {
    const auto place = std::ranges::lower_bound(features, target);
    if (place == features.end() || *place != target) continue;
    places.push_back(static_cast<Index>(place - features.begin()));
  }
  if (places.empty()) return {};
  const UnitFeatures chosen = select_features(centred, features);
  PursuitOptions pursuit;
  pursuit.epsilon = kToTheLastDigit;
  pursuit.max_atoms = most_atoms(centred, options.max_equation_terms + kAtomsBeside);
  // Near-copies of the parts: only what an atom has outside the others tells them apart.
  pursuit.method = affordable_method(chosen, places.size(), pursuit.max_atoms);
  const RunContext holding = while_holding(chosen.matrix, run);
  const Representations found = pursue_sample({chosen, chosen, pursuit, places}, holding);
  std::vector<std::optional<Weights>> tried(places.size());
  parallel_for(run, {}, static_cast<std::int64_t>(places.size()), [&](std::int64_t item) {
    if (found.residual[item] > kExactRest) return;
    tried[item] = circuit_of(chosen, places[item], found.atoms_of(static_cast<Index>(item)),
                             options.max_equation_terms);
  });
  std::vector<Weights> circuits;
  for (const auto& one : tried) {
    if (!one) continue;
    Weights& circuit = circuits.emplace_back();
    for (const auto& [place, weight] : *one) circuit[features[place]] = weight;
  }
  sort_circuits(circuits);
  return circuits;
}

}  // namespace sfg::detail
