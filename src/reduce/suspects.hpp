#pragma once

#include <vector>

#include "sfg/drift.hpp"

namespace sfg::detail {

/// Features of one relation.
using WatchedFeatures = std::vector<Index>;

/// Which features explain the broken relations, one after the other: the feature that is in most of
/// those not yet explained, less the relations that hold with it (they speak for it). Features that
/// are in the same broken relations and have as much for them come together; one that more
/// relations speak for than against is nobody's suspect.
[[nodiscard]] std::vector<Suspect> find_suspects(const std::vector<WatchedFeatures>& broken,
                                                 const std::vector<WatchedFeatures>& whole,
                                                 std::size_t n_features);

}  // namespace sfg::detail
