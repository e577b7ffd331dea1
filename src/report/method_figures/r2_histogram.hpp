#pragma once

#include <span>

#include "report/panel.hpp"

namespace sfg::detail {

/// How many features have which R^2, in percent of them, with their median and what chance reaches
/// (95 % quantile; nothing without any value).
void draw_r2_histogram(Drawing& drawing, const Panel& panel, std::span<const double> r2,
                       std::span<const double> by_chance, std::string_view title);

}  // namespace sfg::detail
