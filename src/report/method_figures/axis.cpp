#include "report/method_figures/axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "report/method_figures/label.hpp"
#include "sfg/text.hpp"

namespace sfg::detail {

namespace {

constexpr std::array kEasyFactors{1.0, 2.0, 5.0};
constexpr std::size_t kFewTicks = 3;
constexpr double kTickGap = 10;

std::string count_text(double value) {
  return with_commas(static_cast<std::int64_t>(std::llround(value)));
}

}  // namespace

double Axis::x_of(double value) const {
  const auto place = [&](double one) {
    return scale == AxisScale::linear ? one : std::log(std::max(one, 1.0));
  };
  const double range = place(high) - place(low);
  const double share = range > 0 ? (place(value) - place(low)) / range : 0.5;
  return panel.corner.x + panel.width * std::clamp(share, 0.0, 1.0);
}

std::vector<Tick> count_ticks(const Axis& axis) {
  std::vector<double> values;
  for (double power = 1; power <= axis.high; power *= 10) {
    for (const double factor : kEasyFactors) {
      const double value = factor * power;
      if (value >= axis.low && value <= axis.high) values.push_back(value);
    }
  }
  if (values.size() < kFewTicks) {
    values.insert(values.begin(), axis.low);
    values.push_back(axis.high);
  }
  std::vector<Tick> ticks;
  double free_from = -kTickGap;
  for (const double value : values) {
    const Tick tick{axis.x_of(value), count_text(value)};
    const double half = text_width(tick.text, AxisText{}.size) / 2;
    if (tick.x - half < free_from + kTickGap) continue;
    free_from = tick.x + half;
    ticks.push_back(tick);
  }
  return ticks;
}

std::vector<Tick> share_ticks(const Axis& axis) {
  constexpr int kSteps = 5;
  std::vector<Tick> ticks;
  for (int step = static_cast<int>(std::ceil(axis.low * kSteps)); step <= axis.high * kSteps;
       ++step) {
    const double value = static_cast<double>(step) / kSteps;
    ticks.push_back({axis.x_of(value), fmt::format("{:g}", value)});
  }
  return ticks;
}

}  // namespace sfg::detail
