#pragma once

#include <span>
#include <string>
#include <vector>

#include "report/drawing.hpp"

namespace sfg::detail {

/// One small plot: where it is, and which values its height stands for.
struct Panel {
  Point corner;  ///< upper left one of the area that is plotted in
  double width = 0;
  double height = 0;
  double highest = 1;  ///< value at the upper edge; 0 is at the lower one

  [[nodiscard]] double y_of(double value) const {
    return corner.y + height * (1 - value / highest);
  }
  /// The middle of the k-th of n equal parts of the width.
  [[nodiscard]] double x_of(std::size_t k, std::size_t n) const {
    return corner.x + width * (static_cast<double>(k) + 0.5) / static_cast<double>(n);
  }
};

/// Several panels side by side, in rows.
struct PanelGrid {
  std::size_t n_columns = 4;  ///< at most so many side by side, as in the paper
  double panel_width = 190;
  double panel_height = 120;
  double left = 60;     ///< of each panel, for the numbers at its axis
  double above = 14;    ///< of each panel
  double heading = 24;  ///< above a column of panels
  double below = 30;    ///< of the last panel of a column
};

/// A number at or above `value` that is easy to read: 1, 2 or 5 times a power of ten steps.
struct Scale {
  double highest;
  double step;
};
[[nodiscard]] Scale scale_for(double value);

/// Frame, horizontal lines and the numbers beside them.
void draw_axes(Drawing& drawing, const Panel& panel, double step);

/// A place on the horizontal axis and what is written there.
struct Tick {
  double x;  ///< of the drawing
  std::string text;
};
/// How far below a panel the numbers and the title of its horizontal axis are, and their size.
struct AxisText {
  double size = 9;
  double to_numbers = 12;
  double to_title = 24;
};
void draw_ticks(Drawing& drawing, const Panel& panel, const std::vector<Tick>& ticks,
                std::string_view title, const AxisText& how = {});

/// Turned text to the left of a panel: what its height stands for.
void draw_side_title(Drawing& drawing, const Panel& panel, double distance, std::string_view title);

/// How many values are in each of `n` parts of this width from `lowest` on; what lies outside
/// counts in the first or the last.
[[nodiscard]] std::vector<double> count_in_bins(std::span<const double> values, double lowest,
                                                double width, std::size_t n);

/// Bars from the lower edge, as many as there are heights, over the whole width.
void draw_bars(Drawing& drawing, const Panel& panel, const std::vector<double>& heights,
               const char* colour);

/// Colours that people who cannot tell red from green can tell apart (Okabe, Ito), also in grey.
inline constexpr const char* kBlue = "#0072b2";
inline constexpr const char* kGreen = "#009e73";
inline constexpr const char* kRed = "#d55e00";
inline constexpr const char* kGrey = "#777777";
inline constexpr const char* kLightGrey = "#dddddd";
/// What became of features, as the page has it.
inline constexpr const char* kKeptColour = "#0067a5";
inline constexpr const char* kRedundantColour = "#9fbcd3";
inline constexpr const char* kExactColour = "#00805c";
inline constexpr const char* kUnsharedColour = "#c44f00";
inline constexpr const char* kConstantColour = "#8c95a1";
inline constexpr const char* kMuted = "#566272";  ///< of remarks

}  // namespace sfg::detail
