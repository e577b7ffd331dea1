#pragma once

#include <string>
#include <vector>

#include "report/panel.hpp"

namespace sfg::detail {

/// Room to the left of a panel for the names of its bars.
inline constexpr double kNamedBarsLeft = 136;

struct NamedBar {
  std::string name;
  double length;
  double filled;      ///< of the length
  std::string value;  ///< what is written behind it
};

/// Bars one below the other, the longest as wide as the panel lets it be.
void draw_named_bars(Drawing& drawing, const Panel& panel, const std::vector<NamedBar>& bars);

}  // namespace sfg::detail
