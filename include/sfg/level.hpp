#pragma once

#include <string>

#include "sfg/compact.hpp"
#include "sfg/cover.hpp"
#include "sfg/neighbours.hpp"

namespace sfg {

/// How far to reduce.
enum class LevelRule {
  mean_r2,     ///< as far as the mean r2 of removed features with their representatives allows
  n_features,  ///< to a number of features
  keep_share,  ///< to a share of all features
  neighbours,  ///< as far as the samples' nearest neighbours stay the same
};

struct LevelOptions {
  LevelRule rule = LevelRule::mean_r2;
  double min_mean_r2 = 0.8;  ///< in (0, 1]
  Index n_features = 0;      ///< at least 1
  double keep_share = 0;     ///< in (0, 1]
  /// With the rule mean_r2: features that nothing explains are kept after all. In [0, 1), 0: off.
  double rescue_below = 0.5;
  double min_overlap = 0.85;  ///< mean share of the 10 nearest samples that stay; in (0, 1]
};

/// Throws invalid_option for a value out of its range.
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
