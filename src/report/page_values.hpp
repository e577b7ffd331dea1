#pragma once

#include <cstdint>
#include <vector>

#include "sfg/dataset.hpp"
#include "sfg/equations.hpp"
#include "sfg/normalise.hpp"

namespace sfg::detail {

/// A value lies in steps of this part of the range of its feature: a point of a small plot.
inline constexpr double kPageValueSteps = 254;
/// Stands where a feature has no value in a sample.
inline constexpr std::uint8_t kNoPageValue = 255;

/// The nearest float; a number beyond all floats becomes the largest.
[[nodiscard]] float as_float(double value) noexcept;

/// Values of some samples, as few as a page can carry: for plots, not for sums.
struct PageValues {
  std::vector<Index> samples;  ///< a random choice, ascending; none: too many features
  std::vector<float> low;      ///< by feature, over these samples, in units of the data
  std::vector<float> high;
  std::vector<std::uint8_t> codes;  ///< feature after feature, low is 0 and high is 254
};
[[nodiscard]] PageValues page_values(const UnitFeatures& centred, std::uint64_t seed);

/// What the right side of an equation gives for these samples, on the scale of its feature.
[[nodiscard]] std::vector<std::uint8_t> codes_of(const Equation& equation,
                                                 const UnitFeatures& centred,
                                                 const PageValues& values);

/// The classes of these samples, if they are few enough to be told apart by colour; else no names.
struct PageClasses {
  std::vector<std::string> names;
  std::vector<std::uint8_t> codes;  ///< by sample, a place among the names or kNoClass
};
inline constexpr std::uint8_t kNoClass = 255;
[[nodiscard]] PageClasses page_classes(const Labels& labels, const std::vector<Index>& samples);

}  // namespace sfg::detail
