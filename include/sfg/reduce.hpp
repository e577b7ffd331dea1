#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sfg/certificate.hpp"
#include "sfg/combination.hpp"
#include "sfg/grouping.hpp"
#include "sfg/matrix.hpp"
#include "sfg/normalise.hpp"
#include "sfg/options.hpp"
#include "sfg/run_context.hpp"

namespace sfg {

struct ReduceOptions {
  /// Removed features with a lower held-out R^2 are kept after all, until there are none.
  std::optional<double> certify = {};
  CertificateOptions certificate = {};
  /// Whether to look for the combination of kept features that explains each removed one.
  bool combinations = true;
  int max_terms = 5;
};

template <OptionsOf<ReduceOptions> Options, typename Visitor>
void visit_fields(Options& options, Visitor&& visit) {
  visit({"certify", "Keep features after all whose held-out R2 is below this, until none is left",
         between(0, 1)},
        options.certify);
  visit_fields(options.certificate, visit);
  visit({"combinations", "Look for a combination of kept features that explains each removed one"},
        options.combinations);
  visit({"max_terms", "Most kept features in such a combination", at_least(1)}, options.max_terms);
}

struct RemovedFeature {
  Index feature = -1;
  Index representative = -1;  ///< -1: removed because it has no direction
  /// Squared Pearson correlation with the representative; 1 for a constant feature (nothing to
  /// explain), 0 beside a constant representative.
  double r2 = 0;
  /// How well the kept features predict it on samples held out (held_out_r2()); none if it was not
  /// tried.
  std::optional<double> held_out_r2;
  Combination combination;
};

/// What is left, and what became of the rest.
struct Reduction {
  Groups groups;
  std::vector<Index> representatives;   ///< one per group
  std::vector<Index> kept;              ///< ascending
  std::vector<RemovedFeature> removed;  ///< ascending by feature
  /// Mean of r2 over the removed features that have a representative; 1 if there are none.
  double mean_r2 = 1;
  double quantile_10_r2 = 1;  ///< a tenth of them has a lower one
  Index n_rescued = 0;        ///< features that came back to the kept ones again
  Certificate certificate;
};

/// Throws invalid_option for a value out of its range.
void check(const ReduceOptions& options);

/// Keeps the representatives and the features to keep; finds for every other feature what replaces
/// it. `centred` are the data's features, centred (their inner products are correlations).
[[nodiscard]] Reduction remove_redundant(Grouping grouping, const UnitFeatures& centred,
                                         const ReduceOptions& options, const RunContext& run = {});

/// The same without certificate and combinations: what is kept, what is removed, and r2.
[[nodiscard]] Reduction divide(Grouping grouping, const UnitFeatures& centred,
                               const RunContext& run = {});

/// Kept features stand for themselves and those removed with them: sqrt of that number, by kept
/// feature. Multiplied with unit features, distances of samples come closer to those by all of
/// them.
[[nodiscard]] std::vector<double> weights(const Reduction& reduction);

/// r2 as in RemovedFeature.
[[nodiscard]] double squared_correlation(const UnitFeatures& centred, Index feature,
                                         Index representative);

}  // namespace sfg
