#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "report/panel.hpp"

namespace sfg::detail {

/// Room to the left of a panel for the numbers of its axis, and to the right of one whose curves
/// have no names.
inline constexpr double kAxisNumbers = 50;
inline constexpr double kNoNames = 16;

/// A part of a figure: what it is about, and a function that draws it into a panel.
struct FigureBlock {
  std::string heading;
  std::string remark;  ///< below the heading; may be empty
  double left;         ///< of the panel, for what stands beside its axis
  double right;        ///< of the panel, for the names of curves
  std::function<void(Drawing&, const Panel&)> draw;
};

/// How blocks are laid out.
struct BlockGrid {
  std::size_t n_columns = 2;
  double width = 460;   ///< of a block
  double height = 250;  ///< of its panel
};

/// A title, lines below it, something across the whole width, and blocks in rows.
struct FigureLayout {
  std::string title;
  std::string remark;  ///< as many lines as it needs
  /// What stands between these and the blocks, and how high it is; none: 0.
  double banner_height = 0;
  std::function<void(Drawing&, Point upper_left, double width)> draw_banner;
  std::vector<FigureBlock> blocks;
  BlockGrid grid;
};

/// The whole picture.
[[nodiscard]] std::string draw_figure(const FigureLayout& layout);

}  // namespace sfg::detail
