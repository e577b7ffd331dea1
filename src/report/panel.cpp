#include "report/panel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sfg/text.hpp"

namespace sfg::detail {

Scale scale_for(double value) {
  constexpr double kMostSteps = 5;
  if (!(value > 0)) return {1, 0.5};
  const double power = std::pow(10.0, std::floor(std::log10(value / kMostSteps)));
  for (const double factor : {1.0, 2.0, 5.0, 10.0}) {
    const double step = factor * power;
    const double n_steps = std::ceil(value / step);
    if (n_steps <= kMostSteps) return {n_steps * step, step};
  }
  return {kMostSteps * 10 * power, 10 * power};
}

namespace {

std::string axis_number(double value) {
  return std::trunc(value) == value ? with_commas(static_cast<std::int64_t>(value))
                                    : fmt::format("{:g}", value);
}

}  // namespace

void draw_axes(Drawing& drawing, const Panel& panel, double step) {
  const double left = panel.corner.x;
  const double right = left + panel.width;
  const auto n_steps = static_cast<int>(std::lround(panel.highest / step));
  constexpr TextStyle kNumbers{9, Anchor::end};
  constexpr double kHalfDigit = 3;
  constexpr double kGap = 4;
  for (int k = 0; k <= n_steps; ++k) {
    const double value = k * step;
    const double y = panel.y_of(value);
    drawing.line({left, y}, {right, y}, {k == 0 ? kGrey : kLightGrey, 1});
    drawing.text({left - kGap, y + kHalfDigit}, axis_number(value), kNumbers);
  }
  drawing.line({left, panel.corner.y}, {left, panel.corner.y + panel.height}, {kGrey, 1});
}

void draw_ticks(Drawing& drawing, const Panel& panel, const std::vector<Tick>& ticks,
                std::string_view title, const AxisText& how) {
  const TextStyle style{how.size, Anchor::middle};
  const double bottom = panel.corner.y + panel.height;
  for (const Tick& tick : ticks) {
    drawing.text({tick.x, bottom + how.to_numbers}, tick.text, style);
  }
  drawing.text({panel.corner.x + panel.width / 2, bottom + how.to_title}, title, style);
}

void draw_side_title(Drawing& drawing, const Panel& panel, double distance,
                     std::string_view title) {
  drawing.text({panel.corner.x - distance, panel.corner.y + panel.height / 2}, title,
               {10, Anchor::middle, "#000000", true, true});
}

std::vector<double> count_in_bins(std::span<const double> values, double lowest, double width,
                                  std::size_t n) {
  std::vector<double> counts(n, 0.0);
  const auto last = static_cast<double>(n - 1);
  for (const double value : values) {
    counts[static_cast<std::size_t>(std::clamp((value - lowest) / width, 0.0, last))] += 1;
  }
  return counts;
}

void draw_bars(Drawing& drawing, const Panel& panel, const std::vector<double>& heights,
               const char* colour) {
  constexpr double kFilled = 0.9;
  const double width = panel.width / static_cast<double>(heights.size());
  for (std::size_t k = 0; k < heights.size(); ++k) {
    if (!(heights[k] > 0)) continue;
    const double y = panel.y_of(heights[k]);
    drawing.rectangle({panel.corner.x + static_cast<double>(k) * width, y}, width * kFilled,
                      panel.y_of(0) - y, colour);
  }
}

}  // namespace sfg::detail
