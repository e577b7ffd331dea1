#pragma once

#include <cstdint>
#include <vector>

#include "sfg/grouping.hpp"

namespace sfg::detail {

/// The page holds an r2 in steps of this part of 1.
inline constexpr double kPageR2Steps = 65535;

/// A hierarchy in the form that the page replays: merge after merge, who stands for the union, and
/// how close the members are to it.
struct LevelTree {
  std::vector<std::uint32_t> a;  ///< lowest member of the one group
  std::vector<std::uint32_t> b;  ///< lowest member of the other, above a
  std::vector<double> height;    ///< weight of the edge, or cost of the merge
  std::vector<std::uint32_t> representative;
  /// r2 in steps of 1/65535. A group is a list of members; a merge puts b's list after a's. For
  /// each merge in turn, and each member of the union in the order of the list: its r2 with the new
  /// representative, if it had another one before and is not the new one itself.
  std::vector<std::uint16_t> r2;
  /// Merges whose r2 are there: all, unless the list would become very long.
  std::uint32_t n_measured = 0;
};

/// Of compact groups and components; cover has no merges: see pick_lists(). Components need a rule
/// that does not depend on the group's members: any but the medoid.
[[nodiscard]] LevelTree level_tree(const Hierarchy& hierarchy, const FeatureGraph& graph,
                                   const RepresentativeOptions& options,
                                   const UnitFeatures& centred, const RunContext& run);

}  // namespace sfg::detail
