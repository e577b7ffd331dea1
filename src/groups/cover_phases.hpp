#pragma once

#include "groups/joint_gain.hpp"
#include "sfg/cover.hpp"

namespace sfg::detail {

/// When cover() of dense data passes from one way to the next. First the c of a few features at a
/// time take a pass over the data, and now and then all c fall together (CoverCeilings); later c
/// comes from lists (CoverLists), and bounds of joint gains from floats (JointBounds). The picks
/// are the same; only time and memory depend on this.
struct CoverPhases {
  /// Lists are made when so many vectors for each feature have been multiplied with all features:
  /// then finding all pairs, in float, takes about as long as what was done so far.
  double vectors_before_lists = 1.0 / 16;
  /// Lists are made when they hold no more than this for each value of the data,
  double entries_per_value = 1;
  /// or no more than this in all.
  double few_entries = 4e6;
  /// Columns that can be multiplied with all others, many at a time and in float, while one is with
  /// a few others, in double.
  std::size_t columns_per_look = 8;
  /// So few looks are taken whatever that costs.
  std::size_t few_looks = 32;
  std::size_t picks_per_refresh = JointGain::kPicksPerRefresh;
};

/// cover() with phases of one's own.
[[nodiscard]] CoverSequence cover_in_phases(const UnitFeatures& centred, const CoverStop& stop,
                                            const RunContext& run, const CoverPhases& phases);

}  // namespace sfg::detail
