#include "report/method_figures/level_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "report/method_figures/axis.hpp"
#include "report/method_figures/label.hpp"
#include "sfg/text.hpp"

namespace sfg::detail {

namespace {

constexpr double kSymbolHalf = 3.5;
constexpr double kHole = 1.8;  ///< in the symbol of a level that is not good
constexpr double kCurveWidth = 1.8;
constexpr double kScoreStep = 0.2;
/// Loss ratios above this are drawn at the edge: near-copies have next to nothing to lose.
constexpr Scale kLossScale{4, 1};
constexpr double kSharesPart = 0.6;  ///< of the height, where losses are known
constexpr double kBetweenParts = 22;
constexpr double kToNames = 8;
constexpr const char* kWhite = "#ffffff";
constexpr Stroke kLimit{kMuted, 1, "2 3"};

/// How the page tells the measures apart.
enum class Symbol { circle, square, triangle };

void draw_symbol(Drawing& drawing, Point at, Symbol symbol, double half, const char* colour) {
  switch (symbol) {
    case Symbol::circle:
      return drawing.circle(at, half, colour);
    case Symbol::square:
      return drawing.square(at, half, colour);
    case Symbol::triangle:
      return drawing.triangle(at, half, colour);
  }
}

/// One measure of the levels that were judged.
struct JudgedCurve {
  const char* name;
  const char* colour;
  Symbol symbol;
  std::optional<double> (*value)(const TriedLevel&);
};

constexpr JudgedCurve kNeighbours{
    "neighbours kept", kBlue, Symbol::circle,
    [](const TriedLevel& level) { return std::optional(level.overlap); }};
constexpr JudgedCurve kHeldOut{"held-out R\u00b2", kGreen, Symbol::square,
                               [](const TriedLevel& level) { return level.r2loo_mean; }};
constexpr JudgedCurve kLoss{"loss ratio", kRed, Symbol::triangle,
                            [](const TriedLevel& level) { return level.loss_ratio; }};

/// All levels as the answer counts them: with the features outside of groups that are kept too.
std::vector<HierarchyLevel> counted_levels(const MethodResult& result) {
  std::vector<HierarchyLevel> all = levels(result.hierarchy);
  const std::vector<Index>& kept = result.reduction.kept;
  auto outside = static_cast<Index>(std::ranges::count_if(
      result.apart, [&](Index feature) { return std::ranges::binary_search(kept, feature); }));
  if (!result.tried.empty()) {
    const TriedLevel& tried = result.tried.front();
    const auto same = std::ranges::find(all, tried.n_steps, &HierarchyLevel::n_steps);
    if (same != all.end()) outside = tried.n_kept - same->n_kept;
  }
  for (HierarchyLevel& level : all) level.n_kept += outside;
  return all;
}

/// The features that the chosen level keeps, as the axis counts them.
std::optional<Index> chosen_kept(const MethodResult& result,
                                 const std::vector<HierarchyLevel>& all) {
  const auto found = std::ranges::find(all, result.n_steps, &HierarchyLevel::n_steps);
  return found == all.end() ? std::nullopt : std::optional(found->n_kept);
}

/// Whether losses say something: where next to nothing is lost, their ratio is that of two
/// roundings (kUsualLossSlack).
bool shows_losses(const MethodResult& result) {
  const auto chosen = std::ranges::find(result.tried, result.n_steps, &TriedLevel::n_steps);
  if (chosen != result.tried.end() && chosen->is_good) {
    return chosen->loss_ratio && *chosen->loss_ratio <= kUsualLossRatio;
  }
  return std::ranges::any_of(result.tried,
                             [](const TriedLevel& one) { return one.loss_ratio.has_value(); });
}

/// The height of a curve in the middle of a panel: all of them end at the same place.
double middle_height(const std::vector<Point>& points, const Panel& panel) {
  const double middle = panel.corner.x + panel.width / 2;
  return std::ranges::min(points, {}, [&](const Point& one) { return std::abs(one.x - middle); }).y;
}

/// Draws it and returns its name; nothing if no level knows this measure.
std::vector<CurveLabel> draw_judged(Drawing& drawing, const Axis& axis, const Panel& panel,
                                    const std::vector<TriedLevel>& tried,
                                    const JudgedCurve& curve) {
  std::vector<Point> points;
  std::vector<bool> good;
  for (const TriedLevel& level : tried) {
    const auto value = curve.value(level);
    if (!value) continue;
    points.push_back({axis.x_of(static_cast<double>(level.n_kept)),
                      panel.y_of(std::clamp(*value, 0.0, panel.highest))});
    good.push_back(level.is_good);
  }
  if (points.empty()) return {};
  drawing.polyline(points, {curve.colour, kCurveWidth});
  for (std::size_t k = 0; k < points.size(); ++k) {
    draw_symbol(drawing, points[k], curve.symbol, kSymbolHalf, curve.colour);
    if (!good[k]) draw_symbol(drawing, points[k], curve.symbol, kHole, kWhite);
  }
  return {
      {middle_height(points, panel), curve.name, curve.colour, [curve](Drawing& names, Point at) {
         draw_symbol(names, at, curve.symbol, kSymbolHalf, curve.colour);
       }}};
}

/// r^2 of removed features with those that stand for them, at every level there is.
std::vector<CurveLabel> draw_all_levels(Drawing& drawing, const Axis& axis, const Panel& panel,
                                        const std::vector<HierarchyLevel>& all) {
  std::vector<Point> points;
  for (const HierarchyLevel& level : all) {
    if (!level.mean_r2) continue;
    const Point point{axis.x_of(static_cast<double>(level.n_kept)), panel.y_of(*level.mean_r2)};
    // More than one point per pixel would only make the file larger.
    if (points.empty() || std::abs(points.back().x - point.x) >= 1) points.push_back(point);
  }
  if (points.empty()) return {};
  drawing.polyline(points, {kConstantColour, 1.5});
  return {{middle_height(points, panel), "r\u00b2 with substitute", kMuted, {}}};
}

void draw_limit(Drawing& drawing, const Panel& panel, double value) {
  const double y = panel.y_of(value);
  drawing.line({panel.corner.x, y}, {panel.corner.x + panel.width, y}, kLimit);
}

void draw_shares(Drawing& drawing, const Axis& axis, const Panel& panel,
                 const std::vector<HierarchyLevel>& all, const MethodResult& result) {
  std::vector<CurveLabel> names = draw_all_levels(drawing, axis, panel, all);
  if (!result.tried.empty()) {
    draw_limit(drawing, panel, result.enough_overlap);
    names.push_back({panel.y_of(result.enough_overlap),
                     fmt::format("enough: {:.2f}", result.enough_overlap),
                     kMuted,
                     {}});
  }
  for (const JudgedCurve* curve : {&kHeldOut, &kNeighbours}) {
    const auto own = draw_judged(drawing, axis, panel, result.tried, *curve);
    names.insert(names.begin(), own.begin(), own.end());
  }
  draw_labels(drawing, names, {panel.corner.x + panel.width + kToNames, panel.corner.y},
              panel.y_of(0));
}

void draw_losses(Drawing& drawing, const Axis& axis, const Panel& panel,
                 const MethodResult& result) {
  draw_limit(drawing, panel, kUsualLossRatio);
  std::vector<CurveLabel> names = draw_judged(drawing, axis, panel, result.tried, kLoss);
  names.front().y = panel.corner.y;
  names.push_back(
      {panel.corner.y + 1, fmt::format("({:g} and more: top)", panel.highest), kMuted, {}});
  names.push_back(
      {panel.y_of(kUsualLossRatio), fmt::format("good: to {:g}", kUsualLossRatio), kMuted, {}});
  draw_labels(drawing, names, {panel.corner.x + panel.width + kToNames, panel.corner.y},
              panel.y_of(0));
}

/// From the fewest features that any level keeps to the most.
Axis axis_of(const Panel& panel, const std::vector<HierarchyLevel>& all,
             const std::vector<TriedLevel>& tried) {
  std::vector<Index> kept;
  for (const HierarchyLevel& level : all) kept.push_back(level.n_kept);
  for (const TriedLevel& level : tried) kept.push_back(level.n_kept);
  if (kept.empty()) kept.push_back(1);
  const auto [low, high] = std::ranges::minmax(kept);
  return {panel, static_cast<double>(low), static_cast<double>(high), AxisScale::logarithmic};
}

/// Values beside the points of a curve, on the side where it is not; as many as there is room for.
void write_values(Drawing& drawing, const std::vector<Point>& points,
                  const std::vector<std::string>& texts) {
  constexpr double kSize = 9;
  constexpr double kAbove = 6;
  constexpr double kAside = 3;
  constexpr double kFlat = 4;
  double free_from = -std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < points.size(); ++k) {
    const double width = text_width(texts[k], kSize);
    const double x = points[k].x;
    const Point& before = points[k == 0 ? 0 : k - 1];
    const Point& after = points[std::min(k + 1, points.size() - 1)];
    const bool rises = after.y < points[k].y - kFlat && x - kAside - width >= free_from;
    const bool falls = before.y < points[k].y - kFlat;
    const double left = rises == falls ? x - width / 2 : rises ? x - kAside - width : x + kAside;
    if (left < free_from) continue;
    free_from = left + width;
    drawing.text({left, points[k].y - kAbove}, texts[k], {kSize});
  }
}

}  // namespace

void draw_mark(Drawing& drawing, const Panel& panel, double x, std::string_view name,
               const Stroke& stroke, MarkLine line) {
  constexpr double kAboveFirst = 5;
  constexpr double kAboveSecond = 20;
  const double above = line == MarkLine::first ? kAboveFirst : kAboveSecond;
  drawing.line({x, panel.corner.y}, {x, panel.corner.y + panel.height}, stroke);
  const double half = text_width(name, kMarkSize) / 2;
  const double left = panel.corner.x + half;
  drawing.text({std::clamp(x, left, std::max(left, panel.corner.x + panel.width - half)),
                panel.corner.y - above},
               name, {kMarkSize, Anchor::middle, "#000000", true});
}

void draw_levels(Drawing& drawing, const Panel& panel, const MethodResult& result) {
  const std::vector<HierarchyLevel> all = counted_levels(result);
  const bool has_losses = shows_losses(result);
  Panel shares = panel;
  if (has_losses) shares.height = panel.height * kSharesPart;
  Panel losses = panel;
  losses.corner.y += shares.height + kBetweenParts;
  losses.height -= shares.height + kBetweenParts;
  losses.highest = kLossScale.highest;
  draw_axes(drawing, shares, kScoreStep);
  if (has_losses) draw_axes(drawing, losses, kLossScale.step);
  const Axis axis = axis_of(panel, all, result.tried);
  if (const auto kept = chosen_kept(result, all)) {
    draw_mark(drawing, panel, axis.x_of(static_cast<double>(*kept)),
              fmt::format("the answer: {}", with_commas(*kept)), kAnswerStroke);
  }
  draw_shares(drawing, axis, shares, all, result);
  if (has_losses) draw_losses(drawing, axis, losses, result);
  draw_ticks(drawing, panel, count_ticks(axis), "features kept");
}

void draw_theta_curve(Drawing& drawing, const Panel& panel, const std::vector<SweepLevel>& levels,
                      const ThetaCurve& curve) {
  draw_axes(drawing, panel, curve.scale.step);
  const Axis axis{panel};
  std::vector<std::pair<double, double>> values;
  for (std::size_t k = 0; k < levels.size(); ++k) {
    if (curve.values[k]) values.emplace_back(levels[k].theta, *curve.values[k]);
  }
  std::ranges::sort(values);
  std::vector<Point> points;
  std::vector<std::string> texts;
  for (const auto& [theta, value] : values) {
    points.push_back({axis.x_of(theta), panel.y_of(value)});
    texts.push_back(curve.scale.highest > 1 ? with_commas(static_cast<Index>(value))
                                            : fmt::format("{:.2f}", value));
  }
  if (!points.empty()) drawing.polyline(points, {curve.colour, kCurveWidth});
  for (std::size_t k = 0; k < points.size(); ++k) {
    drawing.circle(points[k], kSymbolHalf, curve.colour);
  }
  write_values(drawing, points, texts);
  draw_ticks(drawing, panel, share_ticks(axis), "theta");
}

}  // namespace sfg::detail
