#pragma once

#include <vector>

#include "sfg/cover.hpp"
#include "sfg/normalise.hpp"
#include "sfg/run_context.hpp"
#include "sfg/window.hpp"

namespace sfg {

/// What a set of features that are far from each other must hold.
struct PairwiseRequest {
  double max_r2 = 1;            ///< above 0
  std::vector<Index> keep;      ///< kept in any case, even two that are close to each other
  std::vector<Index> priority;  ///< kept next, in this order, unless an earlier one is close
  /// Only near features are compared, and close; null: all are near. O(n d w) time then, for w
  /// features in a window, and ties go to the first along the line.
  const Window* window = nullptr;
};

/// Prunes by correlation. Two features are close if their r2 reaches max_r2. No two picks are
/// close, those in `keep` aside, and every other regular feature is close to a pick. After `keep`
/// and `priority` the feature comes first that most of the features still left are close to; then
/// the one with the larger sum of r2 with these, with all features, with the lowest index. Picks
/// that nothing is close to come last. No random numbers; O(n d^2) time; keeps lists of the close
/// pairs where they fit into the memory and finds them anew where they do not, with the same
/// answer. Throws over_memory, interrupted.
[[nodiscard]] CoverSequence pairwise(const UnitFeatures& centred, const PairwiseRequest& request,
                                     const RunContext& run = {});

}  // namespace sfg
