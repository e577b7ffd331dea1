#pragma once

#include <vector>

#include "sfg/grouping.hpp"
#include "sfg/shared.hpp"

// Who takes part in groups. Before features are grouped, three kinds are set apart: those that
// share nothing with the others, exact sums of others, and what such a sum alone was shared with.
namespace sfg::detail {

/// Whether the options ask which features are shared: for the automatic level, and where features
/// that are not may be dropped.
[[nodiscard]] bool asks_for_shared(const GroupingOptions& options, const UnitFeatures& centred);

struct FeatureParts {
  UnitFeatures in_groups;           ///< a view: FeatureKind::apart for those that are set apart
  std::vector<Index> unshared;      ///< those that are dropped
  std::vector<Equation> equations;  ///< whose features are dropped
  Predictability known;             ///< of those in groups, by the rest of them
  /// All features that are dropped.
  [[nodiscard]] std::vector<Index> dropped() const;
};

/// `shared` is told whether its unshared features were dropped. `descriptions` may be null.
[[nodiscard]] FeatureParts take_parts(const UnitFeatures& centred, const GroupingOptions& options,
                                      const FeatureList& keep, const Representations* descriptions,
                                      const RunContext& run, SharedFeatures& shared);

}  // namespace sfg::detail
