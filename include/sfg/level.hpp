#pragma once

#include <optional>
#include <string>

#include "sfg/compact.hpp"
#include "sfg/cover.hpp"
#include "sfg/neighbours.hpp"
#include "sfg/options.hpp"
#include "sfg/predict.hpp"
#include "sfg/shared.hpp"
#include "sfg/tried_level.hpp"

namespace sfg {

/// The automatic level keeps this share of the samples' nearest neighbours, beyond what chance
/// would keep: of 40 samples ten neighbours are a quarter, so that 0.89 of them must stay there ...
inline constexpr double kUsualOverlap = 0.85;
/// ... and leaves at most this many times as much of the removed features unexplained as the whole
/// table does, plus a little, since near-copies leave nothing at all.
inline constexpr double kUsualLossRatio = 1.1;
inline constexpr double kUsualLossSlack = 0.001;
/// A removed feature with this squared correlation with a kept one is a near-copy of it.
inline constexpr double kNearCopyR2 = 0.99;
/// Word counts share so little that only what is as near as this goes by itself.
inline constexpr double kSparseFamilyR2 = 0.8;
/// With that rule, features whose r2 and held-out R^2 are both below this are kept after all.
inline constexpr double kRescueBelow = 0.5;

/// What a level is chosen by.
enum class LevelRule {
  automatic,   ///< as far as neighbours stay and the kept features know what the table knows
  mean_r2,     ///< as far as the mean r2 of removed features with their representatives allows
  n_features,  ///< to a number of features
  keep_share,  ///< to a share of all features
  overlap,     ///< as far as the samples' nearest neighbours stay the same
};

/// How far to reduce. At most one of the first four is given; none of them: automatically.
struct LevelOptions {
  std::optional<double> min_mean_r2 = {};
  std::optional<Index> n_features = {};
  std::optional<double> keep_share = {};
  std::optional<double> min_overlap = {};
  bool rescue = true;
  Unshared unshared = Unshared::automatic;

  [[nodiscard]] LevelRule rule() const noexcept;
};

template <OptionsOf<LevelOptions> Options, typename Visitor>
void visit_fields(Options& options, Visitor&& visit) {
  visit({"min_mean_r2",
         "Reduce as far as the mean r2 of removed features with their substitutes stays above this",
         share()},
        options.min_mean_r2);
  visit({"n_features", "Reduce to so many features", at_least(1)}, options.n_features);
  visit({"keep_share", "Reduce to this share of the features", share()}, options.keep_share);
  visit(
      {"min_overlap",
       "Reduce as far as this share of the samples' 10 nearest neighbours stays the same", share()},
      options.min_overlap);
  visit({"rescue",
         "With {min_mean_r2}: keep features after all that nothing explains (r2 and held-out R2 "
         "below "
         "0.5)"},
        options.rescue);
  visit({"unshared", "What to do with features that share nothing with the others"},
        options.unshared);
}

/// Throws invalid_option for a value out of its range, or two levels at once.
void check(const LevelOptions& options);

/// "mean r2 >= 0.8", "300 features", ...
[[nodiscard]] std::string describe(const LevelOptions& options);

/// The number of features that a rule asks for; 0 if it asks for something else.
[[nodiscard]] Index asked_features(const LevelOptions& options, Index n_features);

/// What a level is judged by.
struct LevelInput {
  /// Those that take part in groups are regular.
  const UnitFeatures& centred;
  /// How much of each feature the table knows; null: found where it is needed.
  const Predictability* predictability = nullptr;
  const RunContext& run;
  /// Levels that the automatic rule judges. What it chooses is the same.
  Judged judged = Judged::until_good;
};

/// The coarsest level of the hierarchy that the rule allows, as a number of merges: exactly, or, by
/// the automatic rule, on a grid of levels. The rules about r2 and neighbours never join components
/// of the graph: features without any path between them have nothing in common.
///
/// Automatic: families of copies are merged in any case. Beyond them, the coarsest level at which
/// (a) the samples keep enough of their nearest neighbours by the features in groups, and
/// (b) mean (1 - R^2 from the kept) <= kUsualLossRatio mean (1 - h) + kUsualLossSlack over the
/// removed ones. Tables that are mostly zero and fewer than kFewestSamplesToJudge samples: families
/// only.
[[nodiscard]] ChosenLevel choose_level(const CompactHierarchy& hierarchy,
                                       const LevelOptions& options, const LevelInput& input);

/// Cover, up to the level that the rule asks for; to its end where every level is to be judged.
[[nodiscard]] CoverSequence cover_to_level(const LevelOptions& options,
                                           const std::vector<Index>& keep, const LevelInput& input);

/// The overlap that the automatic level asks for: kUsualOverlap of what lies above chance.
[[nodiscard]] double enough_overlap(Index n_samples);

}  // namespace sfg
