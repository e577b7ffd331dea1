#pragma once

#include <vector>

#include "report/panel.hpp"

namespace sfg::detail {

enum class AxisScale { linear, logarithmic };

/// Which values the width of a panel stands for.
struct Axis {
  const Panel& panel;
  double low = 0;
  double high = 1;
  AxisScale scale = AxisScale::linear;

  [[nodiscard]] double x_of(double value) const;
};

/// Counts that are easy to read, 1, 2 or 5 times a power of ten, and the ends where there would be
/// few of them; as far apart as their texts need.
[[nodiscard]] std::vector<Tick> count_ticks(const Axis& axis);

/// Shares from `low` to `high` in steps of a fifth.
[[nodiscard]] std::vector<Tick> share_ticks(const Axis& axis);

}  // namespace sfg::detail
