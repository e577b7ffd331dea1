#include "report/method_figures/figure_block.hpp"

#include <algorithm>

#include "report/method_figures/label.hpp"

namespace sfg::detail {

namespace {

constexpr double kMargin = 24;
constexpr double kFigureTitleLine = 34;
constexpr double kRemarkFrom = 54;
constexpr double kFigureRemarkLine = 16;
constexpr double kBetween = 24;     ///< columns
constexpr double kAboveBlock = 68;  ///< heading, remark and the name of a mark
constexpr double kAboveBare = 36;   ///< the name of a mark alone
constexpr double kBelowBlock = 46;  ///< numbers and title of an axis
constexpr double kHeadingLine = 18;
constexpr double kBlockRemark = 34;
constexpr TextStyle kFigureTitle{18, Anchor::start, "#1b2430", true};
constexpr TextStyle kFigureRemark{11, Anchor::start, kMuted};
constexpr TextStyle kBlockHeading{13, Anchor::start, "#1b2430", true};
constexpr TextStyle kBlockRemarkStyle{10, Anchor::start, kMuted};

double above(const FigureBlock& block) {
  return block.heading.empty() ? kAboveBare : kAboveBlock;
}

void draw_block(Drawing& drawing, const FigureBlock& block, Point corner, const BlockGrid& grid) {
  drawing.text({corner.x, corner.y + kHeadingLine}, block.heading, kBlockHeading);
  if (!block.remark.empty()) {
    drawing.text({corner.x, corner.y + kBlockRemark}, block.remark, kBlockRemarkStyle);
  }
  block.draw(drawing, {{corner.x + block.left, corner.y + above(block)},
                       grid.width - block.left - block.right,
                       grid.height});
}

}  // namespace

std::string draw_figure(const FigureLayout& layout) {
  const BlockGrid& grid = layout.grid;
  const std::size_t n_blocks = layout.blocks.size();
  const std::size_t n_columns = std::min(grid.n_columns, std::max<std::size_t>(1, n_blocks));
  const std::size_t n_rows = (n_blocks + n_columns - 1) / n_columns;
  const double inside = static_cast<double>(n_columns) * (grid.width + kBetween) - kBetween;
  const auto remark = lines_of(layout.remark, kFigureRemark.size, inside);
  const double banner = kRemarkFrom + kFigureRemarkLine * static_cast<double>(remark.size());
  const double top = banner + layout.banner_height;
  double row_height = 0;
  for (const FigureBlock& block : layout.blocks) {
    row_height = std::max(row_height, above(block) + grid.height + kBelowBlock);
  }
  Drawing drawing(inside + 2 * kMargin, top + static_cast<double>(n_rows) * row_height,
                  layout.title);
  drawing.text({kMargin, kFigureTitleLine}, layout.title, kFigureTitle);
  for (std::size_t k = 0; k < remark.size(); ++k) {
    drawing.text({kMargin, kRemarkFrom + kFigureRemarkLine * static_cast<double>(k)}, remark[k],
                 kFigureRemark);
  }
  if (layout.banner_height > 0) layout.draw_banner(drawing, {kMargin, banner}, inside);
  for (std::size_t k = 0; k < n_blocks; ++k) {
    const Point corner{kMargin + static_cast<double>(k % n_columns) * (grid.width + kBetween),
                       top + static_cast<double>(k / n_columns) * row_height};
    draw_block(drawing, layout.blocks[k], corner, grid);
  }
  return drawing.svg();
}

}  // namespace sfg::detail
