#pragma once

#include <optional>
#include <string>

#include "sfg/compact.hpp"
#include "sfg/cover.hpp"
#include "sfg/neighbours.hpp"
#include "sfg/options.hpp"

namespace sfg {

/// Mean r2 that removed features keep with their substitutes, where nothing else is asked for.
inline constexpr double kUsualMeanR2 = 0.8;
/// With that rule, features whose r2 and held-out R^2 are both below this are kept after all.
inline constexpr double kRescueBelow = 0.5;

/// What a level is chosen by.
enum class LevelRule {
  mean_r2,     ///< as far as the mean r2 of removed features with their representatives allows
  n_features,  ///< to a number of features
  keep_share,  ///< to a share of all features
  overlap,     ///< as far as the samples' nearest neighbours stay the same
};

/// How far to reduce. At most one of the first four is given; none of them is a mean r2 of
/// kUsualMeanR2.
struct LevelOptions {
  std::optional<double> min_mean_r2 = {};
  std::optional<Index> n_features = {};
  std::optional<double> keep_share = {};
  std::optional<double> min_overlap = {};
  bool rescue = true;

  [[nodiscard]] LevelRule rule() const noexcept;
};

template <OptionsOf<LevelOptions> Options, typename Visitor>
void visit_fields(Options& options, Visitor&& visit) {
  visit({"min_mean_r2",
         "Reduce as far as the mean r2 of removed features with their substitutes stays above this "
         "(0.8 if no other level is given)",
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
}

/// Throws invalid_option for a value out of its range, or two levels at once.
void check(const LevelOptions& options);

/// "mean r2 >= 0.8", "300 features", ...
[[nodiscard]] std::string describe(const LevelOptions& options);

/// The number of features that a rule asks for; 0 if it asks for something else.
[[nodiscard]] Index asked_features(const LevelOptions& options, Index n_features);

/// The coarsest level of the hierarchy that the rule allows, exactly, as a number of merges. The
/// rules about r2 and neighbours never join components of the graph: features without any path
/// between them have nothing in common. `data` is what neighbours are found in.
[[nodiscard]] Index choose_level(const CompactHierarchy& hierarchy, const LevelOptions& options,
                                 const Matrix& data, const RunContext& run = {});

/// Cover, up to the level that the rule asks for.
[[nodiscard]] CoverSequence cover_to_level(const UnitFeatures& centred, const LevelOptions& options,
                                           const std::vector<Index>& keep, const Matrix& data,
                                           const RunContext& run = {});

}  // namespace sfg
