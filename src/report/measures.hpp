#pragma once

#include <array>

#include "sfg/experiment.hpp"

namespace sfg::detail {

/// A score of a clustering: its names, and where it is.
struct Measure {
  const char* title;
  const char* key;
  double ExperimentScores::*mean;
  double ExperimentScores::*deviation;
};

inline constexpr std::array kMeasures{
    Measure{"NMI", "nmi", &ExperimentScores::nmi, &ExperimentScores::nmi_std},
    Measure{"ACC", "acc", &ExperimentScores::acc, &ExperimentScores::acc_std}};

/// Row 0 is the clustering by all that is kept, row k that by the k-th size.
[[nodiscard]] inline const ExperimentCell& cell_of(const ExperimentColumn& column,
                                                   std::size_t row) {
  return row == 0 ? column.spectral : column.selected[row - 1];
}

}  // namespace sfg::detail
