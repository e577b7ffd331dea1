#include "report/panel.hpp"

#include <fmt/format.h>

#include <cmath>

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
    drawing.text({left - kGap, y + kHalfDigit}, fmt::format("{:g}", value), kNumbers);
  }
  drawing.line({left, panel.corner.y}, {left, panel.corner.y + panel.height}, {kGrey, 1});
}

}  // namespace sfg::detail
