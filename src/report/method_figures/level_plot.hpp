#pragma once

#include <optional>
#include <vector>

#include "report/panel.hpp"
#include "sfg/pipeline.hpp"

namespace sfg::detail {

/// Width to the right of a panel that the names of its curves need.
inline constexpr double kCurveNames = 124;

/// Levels of compact groups or cover against the number of features that they keep: neighbours,
/// held-out R^2 and r^2 as shares in the upper part of the panel, the loss ratio in its lower part,
/// where it is known; the chosen level is marked. Symbols of good levels are filled.
void draw_levels(Drawing& drawing, const Panel& panel, const MethodResult& result);

/// What a curve over theta shows.
struct ThetaCurve {
  const char* colour;
  Scale scale;
  std::vector<std::optional<double>> values;  ///< one per level
};

/// A curve over theta, from 0 to 1; its values are written at the points where there is room.
void draw_theta_curve(Drawing& drawing, const Panel& panel, const std::vector<SweepLevel>& levels,
                      const ThetaCurve& curve);

/// The line at what was chosen.
inline constexpr Stroke kAnswerStroke{"#1b2430", 1.5};

/// Where above a panel the name of a mark stands: the second line is the higher one.
enum class MarkLine { first, second };
inline constexpr double kMarkSize = 11;

/// A line through a panel, with its name above it.
void draw_mark(Drawing& drawing, const Panel& panel, double x, std::string_view name,
               const Stroke& stroke, MarkLine line = MarkLine::first);

}  // namespace sfg::detail
