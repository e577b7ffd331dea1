#pragma once

#include <optional>
#include <vector>

#include "sfg/compare.hpp"
#include "sfg/normalise.hpp"

namespace sfg::detail {

/// The kept sets of one competitor for several numbers of features, falling; none where it cannot
/// keep exactly so many. The random one is not among these.
using KeptSets = std::vector<std::optional<std::vector<Index>>>;
[[nodiscard]] KeptSets kept_sets(Competitor competitor, const Dataset& dataset,
                                 const UnitFeatures& centred, const std::vector<Index>& counts,
                                 const RunContext& run);

}  // namespace sfg::detail
