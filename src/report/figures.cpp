// The paper's figures.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "core/text.hpp"
#include "report/drawing.hpp"
#include "report/panel.hpp"
#include "sfg/experiment.hpp"

namespace sfg {

namespace {

using namespace detail;

constexpr double kLegendHeight = 28;
constexpr double kMarker = 3;
constexpr double kLargerMarker = 4;  ///< of what lies below
constexpr double kBelowTitle = 4;    ///< to the panel
constexpr TextStyle kTitle{12, Anchor::middle, "#000000", true};
constexpr TextStyle kLegend{10};
constexpr Stroke kAllFeatures{kRed, 1.5, "5 3"};
constexpr std::array kGroupingColours{kBlue, kGreen};

void draw_marker(Drawing& drawing, Point at, std::size_t grouping) {
  if (grouping == 0) {
    drawing.circle(at, kMarker, kGroupingColours[grouping]);
  } else {
    drawing.square(at, kLargerMarker, kGroupingColours[grouping]);
  }
}

/// What one row of panels shows of a column of the table.
struct Quantity {
  const char* title;
  std::function<std::optional<double>(const ExperimentColumn&)> value;
  std::function<double(const ExperimentColumn&)> deviation;  ///< 0: no bar is drawn
  std::function<Scale(const ExperimentColumn& all)> scale;
};

/// Scores have one scale everywhere, so that data sets can be compared.
constexpr Scale kScoreScale{1, 0.2};

std::vector<Quantity> quantities() {
  std::vector<Quantity> list;
  for (const ExperimentMeasure& measure : kExperimentMeasures) {
    list.push_back({measure.title,
                    [&measure](const ExperimentColumn& column) -> std::optional<double> {
                      if (!column.spectral.scores) return std::nullopt;
                      return (*column.spectral.scores).*measure.mean;
                    },
                    [&measure](const ExperimentColumn& column) {
                      return column.spectral.scores ? (*column.spectral.scores).*measure.deviation
                                                    : 0.0;
                    },
                    [](const ExperimentColumn&) { return kScoreScale; }});
  }
  list.push_back(
      {"features",
       [](const ExperimentColumn& column) {
         return std::optional<double>(static_cast<double>(column.n_kept));
       },
       [](const ExperimentColumn&) { return 0.0; },
       [](const ExperimentColumn& all) { return scale_for(static_cast<double>(all.n_kept)); }});
  return list;
}

/// Values of a grouping against theta; a gap where there is none.
void draw_curve(Drawing& drawing, const Panel& panel, const ExperimentTable& table,
                std::size_t grouping, const Quantity& quantity) {
  const char* colour = kGroupingColours[grouping];
  const std::size_t n = table.columns.size() - 1;
  std::vector<Point> points;
  const auto finish = [&] {
    if (points.size() > 1) drawing.polyline(points, {colour, 1.5});
    points.clear();
  };
  for (std::size_t k = 0; k < n; ++k) {
    const ExperimentColumn& column = table.columns[k + 1];
    const auto value = quantity.value(column);
    if (!value) {
      finish();
      continue;
    }
    const double x = panel.x_of(k, n);
    const double deviation = quantity.deviation(column);
    if (deviation > 0) {
      drawing.line({x, panel.y_of(std::max(0.0, *value - deviation))},
                   {x, panel.y_of(std::min(panel.highest, *value + deviation))}, {colour, 1});
    }
    points.push_back({x, panel.y_of(*value)});
    draw_marker(drawing, points.back(), grouping);
  }
  finish();
}

void draw_panel(Drawing& drawing, Panel panel, const ExperimentResult& result,
                const Quantity& quantity) {
  const ExperimentColumn& all = result.tables.front().columns.front();
  const Scale scale = quantity.scale(all);
  panel.highest = scale.highest;
  draw_axes(drawing, panel, scale.step);
  if (const auto value = quantity.value(all)) {
    const double y = panel.y_of(*value);
    drawing.line({panel.corner.x, y}, {panel.corner.x + panel.width, y}, kAllFeatures);
  }
  // The first grouping last: where two curves are the same, both can be seen.
  for (std::size_t g = result.tables.size(); g-- > 0;) {
    draw_curve(drawing, panel, result.tables[g], g, quantity);
  }
}

/// Thetas below a column of panels; every second one where there are many.
void draw_thetas(Drawing& drawing, const Panel& panel, const ExperimentTable& table) {
  constexpr std::size_t kMostLabels = 9;
  const std::size_t n = table.columns.size() - 1;
  const std::size_t step = (n + kMostLabels - 1) / kMostLabels;
  std::vector<Tick> ticks;
  for (std::size_t k = 0; k < n; k += step) {
    ticks.push_back({panel.x_of(k, n), format_number(table.columns[k + 1].theta.value_or(0))});
  }
  draw_ticks(drawing, panel, ticks, "theta");
}

void draw_legend(Drawing& drawing, Point at, const std::vector<ExperimentTable>& tables) {
  constexpr double kLine = 24;
  constexpr double kGap = 6;
  constexpr double kEntry = 190;
  constexpr double kHalfText = 4;
  drawing.line({at.x, at.y - kHalfText}, {at.x + kLine, at.y - kHalfText}, kAllFeatures);
  drawing.text({at.x + kLine + kGap, at.y}, "all features", kLegend);
  for (std::size_t g = 0; g < tables.size(); ++g) {
    at.x += g == 0 ? kEntry * 2 / 3 : kEntry;
    drawing.line({at.x, at.y - kHalfText}, {at.x + kLine, at.y - kHalfText},
                 {kGroupingColours[g], 1.5});
    draw_marker(drawing, {at.x + kLine / 2, at.y - kHalfText}, g);
    drawing.text({at.x + kLine + kGap, at.y},
                 tables[g].grouping == GroupingKind::components ? "components: the paper's groups"
                                                                : "compact, as many features",
                 kLegend);
  }
}

/// Height of a block: a column heading and `n_rows` panels.
double block_height(const PanelGrid& grid, std::size_t n_rows) {
  return grid.heading + static_cast<double>(n_rows) * (grid.panel_height + grid.above) + grid.below;
}

/// Data sets side by side, as many rows of blocks as they need.
double figure_width(const PanelGrid& grid, std::size_t n_results) {
  const std::size_t n = std::min(n_results, grid.n_columns);
  return static_cast<double>(n) * (grid.left + grid.panel_width) + grid.above;
}

double n_blocks(const PanelGrid& grid, std::size_t n_results) {
  return static_cast<double>((n_results + grid.n_columns - 1) / grid.n_columns);
}

Point block_corner(const PanelGrid& grid, std::size_t result, std::size_t n_rows) {
  return {grid.left + static_cast<double>(result % grid.n_columns) * (grid.left + grid.panel_width),
          static_cast<double>(result / grid.n_columns) * block_height(grid, n_rows)};
}

/// From the left edge of the figure to its titles.
constexpr double kFromEdge = 14;

constexpr double kBinWidth = 2.5;  ///< degrees
constexpr auto kBins = static_cast<std::size_t>(kNoAngleLimit / kBinWidth);

/// The numbers of degrees below a panel.
void draw_degrees(Drawing& drawing, const Panel& panel) {
  constexpr int kTick = 15;
  std::vector<Tick> ticks;
  for (int degrees = 0; degrees <= static_cast<int>(kNoAngleLimit); degrees += kTick) {
    ticks.push_back(
        {panel.corner.x + panel.width * degrees / kNoAngleLimit, fmt::format("{}", degrees)});
  }
  draw_ticks(drawing, panel, ticks, "angle of a feature and its reconstruction");
}

void draw_angles(Drawing& drawing, Panel panel, const ExperimentResult& result) {
  const auto counts = count_in_bins(result.angles, 0, kBinWidth, kBins);
  const Scale scale = scale_for(*std::ranges::max_element(counts));
  panel.highest = scale.highest;
  draw_axes(drawing, panel, scale.step);
  draw_bars(drawing, panel, counts, kBlue);
  const double limit = panel.corner.x + panel.width * result.max_angle / kNoAngleLimit;
  drawing.line({limit, panel.corner.y}, {limit, panel.y_of(0)}, kAllFeatures);
  const auto n_passed = static_cast<double>(std::ranges::count_if(
      result.angles, [&](double angle) { return angle <= result.max_angle; }));
  const auto n = static_cast<double>(std::max<std::size_t>(1, result.angles.size()));
  constexpr Point kBeside{4, 10};
  drawing.text({limit + kBeside.x, panel.corner.y + kBeside.y},
               fmt::format("{:.1f} % within {:g}\u00b0", 100 * n_passed / n, result.max_angle),
               {9});
  draw_degrees(drawing, panel);
}

}  // namespace

std::string spectral_figure(const std::vector<ExperimentResult>& results) {
  const PanelGrid grid;
  const auto rows = quantities();
  const double bottom = n_blocks(grid, results.size()) * block_height(grid, rows.size());
  Drawing drawing(std::max(figure_width(grid, results.size()), 3 * grid.panel_width),
                  bottom + kLegendHeight, "Spectral clustering by the kept features");
  for (std::size_t k = 0; k < results.size(); ++k) {
    const ExperimentResult& result = results[k];
    const Point corner = block_corner(grid, k, rows.size());
    drawing.text({corner.x + grid.panel_width / 2, corner.y + grid.heading - kBelowTitle},
                 result.name, kTitle);
    Panel panel{{corner.x, corner.y + grid.heading}, grid.panel_width, grid.panel_height};
    for (const Quantity& quantity : rows) {
      draw_panel(drawing, panel, result, quantity);
      if (k % grid.n_columns == 0)
        draw_side_title(drawing, panel, grid.left - kFromEdge, quantity.title);
      if (&quantity == &rows.back()) draw_thetas(drawing, panel, result.tables.front());
      panel.corner.y += grid.panel_height + grid.above;
    }
  }
  if (!results.empty()) {
    draw_legend(drawing, {grid.left, bottom + kLegendHeight / 2}, results.front().tables);
  }
  return drawing.svg();
}

std::string angle_figure(const std::vector<ExperimentResult>& results) {
  const PanelGrid grid;
  const double bottom = n_blocks(grid, results.size()) * block_height(grid, 1);
  Drawing drawing(figure_width(grid, results.size()), bottom, "Angles of the representations");
  for (std::size_t k = 0; k < results.size(); ++k) {
    const Point corner = block_corner(grid, k, 1);
    const Panel panel{{corner.x, corner.y + grid.heading}, grid.panel_width, grid.panel_height};
    drawing.text({corner.x + grid.panel_width / 2, corner.y + grid.heading - kBelowTitle},
                 results[k].name, kTitle);
    draw_angles(drawing, panel, results[k]);
    if (k % grid.n_columns == 0) draw_side_title(drawing, panel, grid.left - kFromEdge, "features");
  }
  return drawing.svg();
}

}  // namespace sfg
