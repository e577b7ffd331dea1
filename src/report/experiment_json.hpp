#pragma once

#include <nlohmann/json.hpp>

#include "sfg/experiment.hpp"
#include "sfg/published.hpp"
#include "sfg/run_context.hpp"

namespace sfg::detail {

/// Everything about an experiment that changes its figures.
[[nodiscard]] nlohmann::ordered_json options_json(const ExperimentOptions& options,
                                                  const RunContext& run);

/// One object per data set and grouping: rows are n_selected (null: all that is kept), columns
/// theta ("none": all features); null where there is no score.
[[nodiscard]] nlohmann::ordered_json tables_json(const std::vector<ExperimentResult>& results);

/// One object per data set: sizes, classes, angles.
[[nodiscard]] nlohmann::ordered_json datasets_json(const std::vector<ExperimentResult>& results);

[[nodiscard]] nlohmann::ordered_json comparisons_json(
    const std::vector<PublishedComparison>& comparisons);

}  // namespace sfg::detail
