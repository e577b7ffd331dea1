#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "report/drawing.hpp"

namespace sfg::detail {

/// About how wide a text is, in pixels: the letters are those of the machine that shows it.
[[nodiscard]] double text_width(std::string_view text, double size);

/// A name in one line that is no wider than this: control characters escaped, and an ellipsis in
/// the place of its middle, since names that are long often begin or end alike.
[[nodiscard]] std::string short_name(std::string_view name, double size, double width);

/// A text in lines that are no wider than this, divided at blanks.
[[nodiscard]] std::vector<std::string> lines_of(std::string_view text, double size, double width);

/// What is written beside a curve, in its colour.
struct CurveLabel {
  double y;  ///< where the curve is
  std::string text;
  const char* colour;
  std::function<void(Drawing&, Point)> draw_symbol = {};  ///< before it; none: nothing
};

/// Labels one below the other from the upper left point on, in the order of the curves' heights,
/// beside these where there is room, and not below `bottom`.
void draw_labels(Drawing& drawing, std::vector<CurveLabel> labels, Point upper_left, double bottom);

}  // namespace sfg::detail
