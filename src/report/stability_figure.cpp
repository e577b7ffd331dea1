#include "sfg/stability_figure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "report/drawing.hpp"
#include "report/panel.hpp"
#include "sfg/text.hpp"

namespace sfg {

namespace {

using namespace detail;

constexpr double kWide = 640;
constexpr double kHigh = 260;
constexpr Point kUpperLeft{64, 46};
constexpr double kAround = 20;      ///< right of the panel
constexpr double kBelowPanel = 84;  ///< for numbers, title and legend
constexpr TextStyle kHeading{13, Anchor::middle, "#000000", true};
constexpr TextStyle kRemark{10, Anchor::middle};
constexpr TextStyle kEntry{10};

/// One line of the figure: values of the kept features, highest first.
struct ShareCurve {
  std::string title;
  Stroke stroke;
  std::vector<double> values;
};

std::vector<double> falling(const StabilityResult& result, double FeatureStability::*share) {
  std::vector<double> values;
  for (const FeatureStability& one : result.features) {
    if (one.is_kept) values.push_back(one.*share);
  }
  std::ranges::sort(values, std::greater<>());
  return values;
}

/// Steps: each feature has a piece of the width.
void draw_steps(Drawing& drawing, const Panel& panel, const ShareCurve& curve) {
  const auto n = static_cast<double>(curve.values.size());
  std::vector<Point> points;
  for (std::size_t k = 0; k < curve.values.size(); ++k) {
    const double y = panel.y_of(curve.values[k]);
    const double left = panel.corner.x + panel.width * static_cast<double>(k) / n;
    // A point where the height changes, and one where it ends.
    if (points.empty() || points.back().y != y) {
      if (!points.empty()) points.push_back({left, points.back().y});
      points.push_back({left, y});
    }
  }
  if (points.empty()) return;
  points.push_back({panel.corner.x + panel.width, points.back().y});
  drawing.polyline(points, curve.stroke);
}

/// Numbers of features below the panel.
void draw_counts(Drawing& drawing, const Panel& panel, std::size_t n) {
  const double step = std::max(1.0, scale_for(static_cast<double>(n)).step);
  std::vector<Tick> ticks;
  for (double count = 0; count <= static_cast<double>(n); count += step) {
    ticks.push_back({panel.corner.x + panel.width * count / static_cast<double>(n),
                     with_commas(static_cast<std::int64_t>(count))});
  }
  draw_ticks(drawing, panel, ticks,
             "kept features, each curve from its highest share to its lowest", {10, 14, 30});
}

void draw_entries(Drawing& drawing, Point at, const std::vector<ShareCurve>& curves) {
  constexpr double kLine = 22;
  constexpr double kGap = 5;
  constexpr double kLetter = 5.7;
  constexpr double kHalfText = 4;
  for (const ShareCurve& curve : curves) {
    drawing.line({at.x, at.y - kHalfText}, {at.x + kLine, at.y - kHalfText}, curve.stroke);
    drawing.text({at.x + kLine + kGap, at.y}, curve.title, kEntry);
    at.x += kLine + 3 * kGap + kLetter * static_cast<double>(curve.title.size());
  }
}

}  // namespace

std::string stability_figure(const std::string& name, const StabilityOptions& options,
                             const StabilityResult& result) {
  const std::size_t n_kept = result.method.reduction.kept.size();
  const double limit = options.stable.value_or(kUsualStable);
  std::vector<ShareCurve> curves{
      {"it or a member of its group", {kBlue, 2}, falling(result, &FeatureStability::family_share)},
      {"the feature itself", {kGreen, 2}, falling(result, &FeatureStability::kept_share)},
      {"group, by chance", {kGrey, 1.5, "2 3"}, falling(result, &FeatureStability::family_chance)},
      {fmt::format("stable: {:g}", limit), {kRed, 1, "5 3"}, {limit}}};

  Drawing drawing(kUpperLeft.x + kWide + kAround, kUpperLeft.y + kHigh + kBelowPanel,
                  "Stability of the kept features");
  const Panel panel{kUpperLeft, kWide, kHigh, 1};
  const double middle = panel.corner.x + panel.width / 2;
  constexpr double kTitleLine = 18;
  constexpr double kRemarkLine = 34;
  constexpr double kScoreStep = 0.2;
  constexpr double kTitleFromEdge = 16;
  constexpr double kLegendFromEdge = 16;
  drawing.text({middle, kTitleLine},
               fmt::format("{}: stability of {} kept features", name,
                           with_commas(static_cast<std::int64_t>(n_kept))),
               kHeading);
  drawing.text({middle, kRemarkLine},
               fmt::format("{} {} of {} samples", options.repeats,
                           options.resample == Resample::halves ? "halves" : "bootstrap samples",
                           with_commas(options.resample == Resample::halves ? result.n_seen
                                                                            : result.n_samples)),
               kRemark);
  draw_axes(drawing, panel, kScoreStep);
  draw_side_title(drawing, panel, panel.corner.x - kTitleFromEdge,
                  "share of repeats in which it is kept");
  if (n_kept > 0) draw_counts(drawing, panel, n_kept);
  for (std::size_t k = curves.size(); k-- > 0;) draw_steps(drawing, panel, curves[k]);
  draw_entries(drawing,
               {panel.corner.x, panel.corner.y + panel.height + kBelowPanel - kLegendFromEdge},
               curves);
  return drawing.svg();
}

}  // namespace sfg
