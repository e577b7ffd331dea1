#include "report/method_figures/r2_histogram.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "report/method_figures/axis.hpp"
#include "report/method_figures/label.hpp"
#include "report/method_figures/level_plot.hpp"
#include "sfg/statistics.hpp"
#include "sfg/text.hpp"

namespace sfg::detail {

namespace {

constexpr std::size_t kBins = 30;
constexpr double kLowest = -0.2;  ///< values below this are drawn in the first bar
constexpr double kChanceQuantile = 0.95;
constexpr double kPercent = 100;
constexpr double kPercentTitle = 34;              ///< from the panel to it
constexpr const char* kChanceGround = "#fbe6d6";  ///< kRed, thinned

std::vector<double> values_of(std::span<const double> values) {
  return {values.begin(), values.end()};
}

std::optional<double> chance_limit(std::span<const double> by_chance) {
  if (by_chance.empty()) return std::nullopt;
  return quantile(values_of(by_chance), kChanceQuantile);
}

/// What chance reaches, in words above the panel, and a line where that is inside. Returns where
/// the words end.
double draw_chance(Drawing& drawing, const Panel& panel, double x, double limit) {
  constexpr double kAbove = 5;
  constexpr TextStyle kWords{11, Anchor::start, kRed};
  const std::string words = fmt::format("chance: 95 % below {}", format_r2(limit));
  if (limit > kLowest) drawing.line({x, panel.corner.y}, {x, panel.y_of(0)}, {kRed, 1.5, "5 3"});
  drawing.text({x, panel.corner.y - kAbove}, words, kWords);
  return x + text_width(words, kWords.size);
}

}  // namespace

void draw_r2_histogram(Drawing& drawing, const Panel& area, std::span<const double> r2,
                       std::span<const double> by_chance, std::string_view title) {
  if (r2.empty()) return;
  std::vector<double> shares = count_in_bins(r2, kLowest, (1 - kLowest) / kBins, kBins);
  for (double& share : shares) share *= kPercent / static_cast<double>(r2.size());
  const Scale scale = scale_for(std::ranges::max(shares));
  Panel panel = area;
  panel.highest = scale.highest;
  const Axis axis{panel, kLowest, 1};
  const auto limit = chance_limit(by_chance);
  if (limit) {
    drawing.rectangle(panel.corner, axis.x_of(*limit) - panel.corner.x, panel.height,
                      kChanceGround);
  }
  draw_axes(drawing, panel, scale.step);
  draw_bars(drawing, panel, shares, kBlue);
  const double words_end = limit ? draw_chance(drawing, panel, axis.x_of(*limit), *limit) : 0;
  const double median = quantile(values_of(r2), 0.5);
  const std::string median_words = fmt::format("median {}", format_r2(median));
  // In a line of its own where it would run into the other.
  const double room = axis.x_of(median) - text_width(median_words, kMarkSize) / 2 - words_end;
  draw_mark(drawing, panel, axis.x_of(median), median_words, kAnswerStroke,
            room > 0 ? MarkLine::first : MarkLine::second);
  draw_ticks(drawing, panel, share_ticks(axis), title);
  draw_side_title(drawing, panel, kPercentTitle, "% of features");
}

}  // namespace sfg::detail
