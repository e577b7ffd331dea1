#pragma once

#include <vector>

#include "sfg/dataset.hpp"
#include "sfg/experiment.hpp"

namespace sfg::detail {

/// Kept features of every column of an experiment.
struct KeptSets {
  std::vector<std::vector<Index>> sets;  ///< different ones, each ascending; the first: all
  /// By grouping and theta: which set.
  std::vector<std::vector<std::size_t>> set_of;
};

/// Cuts the paper's graph at every theta, and the merges of compact groups at the same numbers.
/// `result` gets the angles and the check of the filter.
[[nodiscard]] KeptSets kept_sets_of(const Dataset& dataset, const ExperimentOptions& options,
                                    const RunContext& run, ExperimentResult& result);

}  // namespace sfg::detail
