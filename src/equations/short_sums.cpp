// Equations from descriptions that leave nothing, where there are too few samples for the rank.
#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>

#include "core/threads.hpp"
#include "equations/circuits.hpp"
#include "equations/exact_fit.hpp"
#include "equations/tolerances.hpp"
#include "normalise/observed_table.hpp"
#include "pursuit/plan.hpp"
#include "sfg/checkpoint.hpp"
#include "sfg/pursuit.hpp"

namespace sfg::detail {

namespace {

/// A sum of few features is explained to more than this by a short description, even one with a
/// wrong atom or two; what is not is no candidate.
constexpr double kNearlyDescribed = 0.9;
/// A first look ends where the graph's pursuit does.
constexpr double kFirstLook = 0.01;
/// A further part explains at least this much of the variance (a thousandth of the spread). What
/// gains less is on its way through near-copies (spectra, pixels), and will not arrive.
constexpr double kSmallestPart = 1e-6;
/// Atoms beside the terms of a sum: near-copies of its parts come first, and get the weight 0 when
/// the parts themselves are in.
constexpr int kAtomsBeside = 8;

/// Multiplications up to which OLS, which needs all products in every step, is worth its time:
/// some ten seconds.
constexpr double kMostOlsWork = 2e11;
/// Squared residual up to which wrong atoms may be near-copies of the right ones.
constexpr double kLeftByNearCopies = 1e-3;

/// Atoms that samples allow.
int most_atoms(const UnitFeatures& centred, int wanted) {
  return std::clamp(wanted, 1, std::max(1, centred.n_samples() / kSamplesPerTerm));
}

/// Of k terms that do not overlap one explains a k-th of what is left, or more. An atom that
/// explains less than half of that describes noise.
EarlyEnd no_sum(std::size_t n_features, const EquationOptions& options) {
  EarlyEnd early{std::vector<char>(n_features, 1)};
  early.least_share = 1.0 / (2 * options.max_equation_terms);
  return early;
}

/// Places of the targets among the features; both ascending.
std::vector<Index> places_of(std::span<const Index> targets, std::span<const Index> features) {
  std::vector<Index> places;
  for (const Index target : targets) {
    const auto place = std::ranges::lower_bound(features, target);
    if (place == features.end() || *place != target) continue;
    places.push_back(static_cast<Index>(place - features.begin()));
  }
  return places;
}

/// A target with its atoms, if they leave nothing and are no accident.
std::optional<Weights> circuit_of(const UnitFeatures& features, Index target,
                                  std::span<const Index> atoms, int max_terms) {
  const ObservedTable observed(features, target, atoms);
  const ExactFit fit = fit_exactly(observed.table(), observed.target(), observed.features());
  const auto n_terms = static_cast<int>(fit.features.size());
  if (!fit.is_exact() || n_terms < 2 || n_terms > max_terms) return std::nullopt;
  std::vector<Index> members = fit.features;
  members.push_back(observed.target());
  if (!has_support(observed.table(), members)) return std::nullopt;
  Weights circuit{{target, -1.0}};
  for (std::size_t k = 0; k < fit.features.size(); ++k) {
    const Index feature = fit.features[k];
    circuit[observed.number_of(feature)] = observed.weight_outside(feature, fit.weights[k]);
  }
  return circuit;
}

/// Descriptions to the last digit, and the sums that are among them.
class ShortSums {
 public:
  ShortSums(const UnitFeatures& features, const EquationOptions& options, const RunContext& run)
      : features_(features),
        max_terms_(options.max_equation_terms),
        run_(run),
        hopeless_(no_sum(features.kind.size(), options)) {
    pursuit_.epsilon = kSmallestPart;
    pursuit_.max_atoms = most_atoms(features, max_terms_ + kAtomsBeside);
  }

  /// Describes the targets; those that may yet be sums are returned.
  [[nodiscard]] std::vector<Index> look_at(const std::vector<Index>& targets,
                                           PursuitMethod method) {
    if (targets.empty()) return {};
    pursuit_.method = method;
    PursuitProblem problem{features_, features_, pursuit_, targets};
    problem.early = &hopeless_;
    const Representations described = pursue_sample(problem, run_);
    std::vector<std::optional<Weights>> tried(targets.size());
    parallel_for(run_, {}, static_cast<std::int64_t>(targets.size()), [&](std::int64_t item) {
      // Where cells were filled in, an exact sum leaves something there.
      if (features_.gaps == nullptr && described.residual[item] > kExactRest) return;
      const auto atoms = described.atoms_of(static_cast<Index>(item));
      tried[item] = circuit_of(features_, targets[item], atoms, max_terms_);
    });
    std::vector<Index> left;
    for (std::size_t k = 0; k < targets.size(); ++k) {
      if (tried[k]) {
        found_.push_back(std::move(*tried[k]));
      } else if (described.residual[k] <= kLeftByNearCopies) {
        left.push_back(targets[k]);
      }
    }
    return left;
  }

  /// OLS tells near-copies of the parts from the parts, by what an atom has outside the others.
  [[nodiscard]] bool can_afford_ols(std::size_t n_targets) const {
    return static_cast<double>(n_targets) * pursuit_.max_atoms *
               static_cast<double>(n_stored(features_.matrix)) <=
           kMostOlsWork;
  }

  [[nodiscard]] const std::vector<Weights>& found() const noexcept { return found_; }

 private:
  const UnitFeatures& features_;
  int max_terms_;
  const RunContext& run_;
  EarlyEnd hopeless_;
  PursuitOptions pursuit_;
  std::vector<Weights> found_;
};

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
                                    std::span<const Index> targets, const EquationOptions& options,
                                    const RunContext& run) {
  std::vector<Index> described;
  if (targets.empty()) return described;
  PursuitOptions pursuit;
  pursuit.epsilon = kFirstLook;
  pursuit.max_atoms = most_atoms(centred, options.max_equation_terms);
  const UnitFeatures chosen = select_features(centred, features);
  const RunContext holding = while_holding(chosen.matrix, run);
  const EarlyEnd hopeless = no_sum(features.size(), options);
  const bool all = targets.size() == features.size();
  PursuitProblem some{chosen, chosen, pursuit, places_of(targets, features)};
  some.early = &hopeless;
  const Representations found =
      all ? pursue(chosen, pursuit, holding, PursuitCheckpoint{}, hopeless)
          : pursue_sample(some, holding);
  for (std::size_t k = 0; k < targets.size(); ++k) {
    if (1 - found.residual[k] >= kNearlyDescribed) described.push_back(targets[k]);
  }
  return described;
}

std::vector<Weights> circuits_of_pursuit(const UnitFeatures& centred,
                                         std::span<const Index> features,
                                         std::span<const Index> targets,
                                         const EquationOptions& options, const RunContext& run) {
  std::vector<Index> places = places_of(targets, features);
  const UnitFeatures chosen = select_features(centred, features);
  const RunContext holding = while_holding(chosen.matrix, run);
  ShortSums sums(chosen, options, holding);
  places = sums.look_at(places, PursuitMethod::omp);
  if (sums.can_afford_ols(places.size()))
    static_cast<void>(sums.look_at(places, PursuitMethod::ols));
  std::vector<Weights> circuits;
  for (const Weights& one : sums.found()) {
    Weights& circuit = circuits.emplace_back();
    for (const auto& [place, weight] : one) circuit[features[place]] = weight;
  }
  sort_circuits(circuits);
  return circuits;
}

}  // namespace sfg::detail
