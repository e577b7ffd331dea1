#pragma once

#include <string>
#include <vector>

#include "report/method_figures/figure_block.hpp"
#include "sfg/pipeline.hpp"

namespace sfg::detail {

/// Levels of compact groups and cover. The result has to outlive the block.
[[nodiscard]] FigureBlock levels_block(const MethodResult& result);

/// Features kept at each theta.
[[nodiscard]] FigureBlock kept_by_theta_block(const std::vector<SweepLevel>& levels,
                                              Index n_features);

}  // namespace sfg::detail
