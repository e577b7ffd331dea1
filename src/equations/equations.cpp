// What stands for copies -> sums that are zero -> each solved for the feature that goes -> in units
// of the data.
#include "sfg/equations.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "core/threads.hpp"
#include "equations/circuits.hpp"
#include "equations/copies.hpp"
#include "equations/exact_fit.hpp"
#include "equations/tolerances.hpp"
#include "normalise/observed_table.hpp"

namespace sfg {

namespace {

using namespace detail;

/// By feature: 0 for those to keep, then the place in `priority`, then all others.
std::vector<int> preferences(Index n_features, const EquationInput& input) {
  std::vector<int> preference(static_cast<std::size_t>(n_features),
                              static_cast<int>(input.priority.size()) + 1);
  for (std::size_t k = input.priority.size(); k-- > 0;) {
    preference[input.priority[k]] = static_cast<int>(k) + 1;
  }
  for (const Index feature : input.keep) preference[feature] = 0;
  return preference;
}

/// Root mean square in units of the spread. A total is larger than its parts in this sense, even
/// where its parts vary more because one replaces the other (finished and unfinished basement).
std::vector<double> sizes(const UnitFeatures& centred) {
  // A mean beyond so many spreads is an origin (a year, a time stamp), not an amount.
  constexpr double kLargestMean = 100;
  std::vector<double> size(centred.kind.size(), 1.0);
  const double root = std::sqrt(static_cast<double>(centred.n_samples()));
  for (std::size_t i = 0; i < size.size(); ++i) {
    if (centred.kind[i] != FeatureKind::regular) continue;
    const double mean = std::ldexp(centred.mean[i], -centred.norm_exponent[i]) / centred.norm[i];
    size[i] = std::hypot(1.0, std::min(std::fabs(mean) * root, kLargestMean));
  }
  return size;
}

/// The first of every family of copies, ascending.
std::vector<Index> different_features(const std::vector<Index>& stands_for) {
  std::vector<Index> features;
  for (std::size_t i = 0; i < stands_for.size(); ++i) {
    const auto feature = static_cast<Index>(i);
    if (stands_for[i] == feature) features.push_back(feature);
  }
  return features;
}

/// Candidates by what stands for them.
std::vector<Index> targets_of(const std::vector<Index>& candidates,
                              const std::vector<Index>& stands_for) {
  std::vector<Index> targets;
  for (const Index feature : candidates) {
    if (stands_for[feature] >= 0) targets.push_back(stands_for[feature]);
  }
  std::ranges::sort(targets);
  targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
  return targets;
}

/// What may be a sum, by what stands for it.
std::vector<Index> possible_sums(const UnitFeatures& centred, const EquationInput& input,
                                 const std::vector<Index>& features,
                                 const std::vector<Index>& stands_for,
                                 const EquationOptions& options, const RunContext& run) {
  if (input.candidates.empty() && input.copies.empty()) {
    return nearly_described(centred, features, features, options, run);
  }
  const auto candidates = targets_of(input.candidates, stands_for);
  std::vector<Index> families;
  std::ranges::set_difference(targets_of(input.copies, stands_for), candidates,
                              std::back_inserter(families));
  std::vector<Index> targets;
  std::ranges::set_union(candidates, nearly_described(centred, features, families, options, run),
                         std::back_inserter(targets));
  return targets;
}

/// A feature that shall go, and what it is perhaps the sum of.
struct Proposal {
  Index feature;
  std::vector<Index> terms;
};

/// Removed features and their copies; with `copies_too` also the copies of features that stay.
std::vector<Proposal> proposals(const EquationSystem& system, const std::vector<Index>& stands_for,
                                const std::vector<int>& preference, bool copies_too) {
  std::vector<Proposal> list;
  for (std::size_t i = 0; i < stands_for.size(); ++i) {
    const auto feature = static_cast<Index>(i);
    const Index standing = stands_for[i];
    if (standing < 0 || preference[i] == 0) continue;
    const auto sum = system.solved().find(standing);
    if (sum != system.solved().end()) {
      Proposal proposal{feature, {}};
      for (const auto& [term, weight] : sum->second) proposal.terms.push_back(term);
      list.push_back(std::move(proposal));
    } else if (copies_too && standing != feature) {
      list.push_back({feature, {standing}});
    }
  }
  return list;
}

Equation to_equation(const UnitFeatures& centred, Index feature, const ExactFit& fit) {
  Equation equation;
  equation.feature = feature;
  equation.residual = fit.residual;
  equation.combination = in_data_units(centred, feature, fit.features, fit.weights);
  if (equation.combination.terms.empty()) return equation;
  round_coefficients(equation.combination, centred, feature);
  drop_rounding(equation.combination, centred, feature);
  equation.combination.r2 = std::clamp(1 - fit.residual * fit.residual, 0.0, 1.0);
  return equation;
}

/// Each proposal fitted to the data again; those that hold.
std::vector<Equation> confirm(const UnitFeatures& centred, const std::vector<Proposal>& list,
                              const RunContext& run) {
  std::vector<Equation> tried(list.size());
  parallel_for(run, {}, static_cast<std::int64_t>(list.size()), [&](std::int64_t item) {
    const ObservedTable observed(centred, list[item].feature, list[item].terms);
    const ExactFit fit = fit_exactly(observed.table(), observed.target(), observed.features());
    if (!fit.is_exact() || !observed.has_samples(kSamplesPerTerm)) return;
    Equation& one = tried[item];
    one = to_equation(observed.table(), observed.target(), fit);
    one.feature = list[item].feature;
    for (Term& term : one.combination.terms) term.feature = observed.number_of(term.feature);
  });
  std::erase_if(tried, [](const Equation& one) { return one.combination.terms.empty(); });
  return tried;
}

}  // namespace

void check(const EquationOptions& options) {
  check_fields(options);
}

std::vector<Equation> find_equations(const UnitFeatures& centred, const EquationInput& input,
                                     const EquationOptions& options, const RunContext& run) {
  check(options);
  if (!options.equations) return {};
  const SingleThreadedBlas single_threaded;
  const std::vector<int> preference = preferences(centred.n_features(), input);
  const std::vector<Index> stands_for = find_copies(centred, preference, run);
  const std::vector<Index> features = different_features(stands_for);
  const auto n_varying = static_cast<std::size_t>(
      std::ranges::count_if(stands_for, [](Index standing) { return standing >= 0; }));
  // Each equation has samples of its own where there are gaps.
  const bool has_rank = centred.gaps == nullptr && can_factorise(centred, n_varying, run);
  EquationSystem system(preference, sizes(centred));
  if (has_rank) {
    for (const Weights& one : circuits_of_rank(centred, features, run)) system.add(one);
  } else {
    const auto targets = possible_sums(centred, input, features, stands_for, options, run);
    for (const Weights& one : circuits_of_pursuit(centred, features, targets, options, run)) {
      system.add(one);
    }
  }
  system.exchange();
  return confirm(centred, proposals(system, stands_for, preference, has_rank), run);
}

}  // namespace sfg
