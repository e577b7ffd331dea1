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
  /// Every removed feature is a copy, exact, or predicted with this held-out R^2: those that are
  /// not come back, and kept ones that the others have come to certify are given up.
  std::optional<double> certify = {};
  CertificateOptions certificate = {};
  /// Whether to look for the combination of kept features that explains each removed one.
  bool combinations = true;
  int max_terms = 5;
};

template <OptionsOf<ReduceOptions> Options, typename Visitor>
void visit_fields(Options& options, Visitor&& visit) {
  visit({"certify",
         "Promise that every removed feature is a copy, an exact sum, or predicted on held-out "
         "samples with at least this R2",
         between(0, 1)},
        options.certify);
  visit_fields(options.certificate, visit);
  visit({"combinations", "Look for a combination of kept features that explains each removed one"},
        options.combinations);
  visit({"max_terms", "Most kept features in such a combination", at_least(1)}, options.max_terms);
}

/// Why a feature was removed.
enum class RemovalReason {
  redundant,     ///< its group's representative stands for it
  exact,         ///< it is an exact sum of others: see Reduction::equations
  unshared,      ///< it shares nothing with the others: noise, or unique
  no_variation,  ///< it is empty or constant
};
template <>
inline constexpr auto kChoices<RemovalReason> =
    std::array{Choice{RemovalReason::redundant, "redundant", "another feature stands for it"},
               Choice{RemovalReason::exact, "exact", "it is an exact sum of others"},
               Choice{RemovalReason::unshared, "unshared", "it shares nothing with the others"},
               Choice{RemovalReason::no_variation, "no-variation", "it is empty or constant"}};

/// What is known of a removed feature without having it.
enum class CertificateKind {
  copy,       ///< a kept feature is a copy of it: r2 = 1 but for rounding
  exact,      ///< an exact combination of few kept features
  predicted,  ///< the kept features predict it on held-out samples, with R^2 as asked for
  shared,     ///< they predict it about as well as all features do: its shared part is kept
  unshared,   ///< nothing in the table knew anything of it
  lost,       ///< none of these: part of what the table knew is gone
  untried,    ///< it was not tested: too few samples, or not drawn
};
template <>
inline constexpr auto kChoices<CertificateKind> = std::array{
    Choice{CertificateKind::copy, "copy", "a kept feature is a copy of it"},
    Choice{CertificateKind::exact, "exact", "an exact combination of kept features"},
    Choice{CertificateKind::predicted, "predicted", "predicted on held-out samples"},
    Choice{CertificateKind::shared, "shared", "predicted about as well as by all features"},
    Choice{CertificateKind::unshared, "unshared", "nothing in the table knew it"},
    Choice{CertificateKind::lost, "lost", "part of what the table knew is gone"},
    Choice{CertificateKind::untried, "untried", "not tested"}};

/// Held-out R^2 of a predicted feature where no other is asked for.
inline constexpr double kUsualPredicted = 0.8;

struct RemovedFeature {
  Index feature = -1;
  Index representative = -1;  ///< -1: no group stands for it
  /// Squared Pearson correlation with the representative; 1 for a constant feature (nothing to
  /// explain), 0 beside a constant representative.
  double r2 = 0;
  /// How well the kept features predict it on samples held out (held_out_r2()); none if it was not
  /// tried.
  std::optional<double> held_out_r2;
  Combination combination;
  RemovalReason reason = RemovalReason::redundant;
  CertificateKind certificate = CertificateKind::untried;
  /// The kept feature with the largest squared correlation, which may be nearer than the
  /// representative; -1 where nothing varies.
  Index best_kept = -1;
  double best_kept_r2 = 0;

  /// A kept feature is the same but for rounding.
  [[nodiscard]] bool is_copy() const noexcept { return best_kept >= 0 && best_kept_r2 >= kCopyR2; }
};

/// Who could be kept instead of a kept feature, and at what loss.
struct StandIn {
  Index kept = -1;
  Index feature = -1;  ///< the removed member of its group that correlates most with it
  double r2 = 0;       ///< of the two
  /// Mean r2 of the other members of the group with the kept one, and with the stand-in if that
  /// were kept instead.
  double mean_r2 = 1;
  double mean_r2_instead = 1;
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
  /// Mean of best_kept_r2 over all removed features that vary; 1 if there are none.
  double mean_best_r2 = 1;
  Index n_rescued = 0;              ///< features that came back to the kept ones again
  Index n_given_up = 0;             ///< kept ones that the others have come to certify
  std::vector<Equation> equations;  ///< exact sums that were removed
  Certificate certificate;
  /// For every kept feature that stands for others, ascending.
  std::vector<StandIn> stand_ins;
};

/// Throws invalid_option for a value out of its range.
void check(const ReduceOptions& options);

/// Keeps the representatives and the features to keep; finds for every other feature what replaces
/// it. `centred` are the data's features, centred (their inner products are correlations).
[[nodiscard]] Reduction remove_redundant(const Grouping& grouping, const UnitFeatures& centred,
                                         const ReduceOptions& options, const RunContext& run = {});

/// The same without certificate and combinations: what is kept, what is removed, and r2.
[[nodiscard]] Reduction divide(const Grouping& grouping, const UnitFeatures& centred,
                               const RunContext& run = {});

/// Kept features stand for themselves and those removed with them: sqrt of that number, by kept
/// feature. Multiplied with unit features, distances of samples come closer to those by all of
/// them.
[[nodiscard]] std::vector<double> weights(const Reduction& reduction);

/// Mean r2 of the removed members of each group with its representative; 1 if there are none.
[[nodiscard]] std::vector<double> mean_r2_by_group(const Reduction& reduction);

/// r2 as in RemovedFeature.
[[nodiscard]] double squared_correlation(const UnitFeatures& centred, Index feature,
                                         Index representative);

}  // namespace sfg
