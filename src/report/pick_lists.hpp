#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sfg/grouping.hpp"

namespace sfg::detail {

/// The levels of cover in the form that the page cuts: after m picks a feature belongs to the last
/// of its nearer picks with a place below m.
struct PickLists {
  std::vector<std::uint32_t> picks;
  std::vector<std::uint32_t> starts{0};  ///< by feature, into `places` and `r2`
  std::vector<std::uint32_t> places;     ///< among the picks, ascending
  std::vector<std::uint16_t> r2;         ///< in steps of 1/65535
};

/// `apart`: features that vary but take no part in groups, ascending. Their lists are empty, as are
/// those of features that do not vary.
[[nodiscard]] PickLists pick_lists(const CoverSequence& sequence, std::span<const Index> apart,
                                   const UnitFeatures& centred, const RunContext& run);

}  // namespace sfg::detail
