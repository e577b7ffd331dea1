#pragma once

#include <span>
#include <vector>

#include "sfg/grouping.hpp"

namespace sfg::detail {

/// A pick that is nearer to a feature than all before it.
struct NearerPick {
  Index place = 0;  ///< among the picks, from 0
  double r2 = 0;
};

/// For each of these features the picks that came nearer and nearer: after m picks the last of them
/// with place < m is what nearest_kept() finds among the first m. A pick is its own last one.
[[nodiscard]] std::vector<std::vector<NearerPick>> nearer_picks(const UnitFeatures& centred,
                                                                std::span<const Index> picks,
                                                                std::span<const Index> features,
                                                                const RunContext& run);

}  // namespace sfg::detail
