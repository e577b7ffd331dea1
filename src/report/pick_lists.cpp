#include "report/pick_lists.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "groups/nearest_picks.hpp"
#include "report/level_tree.hpp"

namespace sfg::detail {

PickLists pick_lists(const CoverSequence& sequence, std::span<const Index> apart,
                     const UnitFeatures& centred, const RunContext& run) {
  std::vector<Index> in_groups;
  std::ranges::set_difference(regular_features(centred), apart, std::back_inserter(in_groups));
  const auto nearer = nearer_picks(centred, sequence.picks, in_groups, run);
  PickLists lists;
  for (const Index pick : sequence.picks) lists.picks.push_back(static_cast<std::uint32_t>(pick));
  std::size_t next = 0;
  for (Index feature = 0; feature < centred.n_features(); ++feature) {
    if (next < in_groups.size() && in_groups[next] == feature) {
      for (const NearerPick& one : nearer[next]) {
        lists.places.push_back(static_cast<std::uint32_t>(one.place));
        lists.r2.push_back(static_cast<std::uint16_t>(std::lround(one.r2 * kPageR2Steps)));
      }
      ++next;
    }
    lists.starts.push_back(static_cast<std::uint32_t>(lists.places.size()));
  }
  return lists;
}

}  // namespace sfg::detail
