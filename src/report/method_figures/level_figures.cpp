// Levels as pictures: what a sweep finds.
#include <fmt/format.h>

#include <algorithm>

#include "report/method_figures/level_blocks.hpp"
#include "report/method_figures/level_plot.hpp"
#include "sfg/method_figures.hpp"
#include "sfg/text.hpp"

namespace sfg {

namespace {

using namespace detail;

constexpr Scale kShares{1, 0.2};

FigureBlock theta_block(std::string heading, std::string remark,
                        const std::vector<SweepLevel>& levels, ThetaCurve curve) {
  return {std::move(heading), std::move(remark), kAxisNumbers, kNoNames,
          [levels, curve = std::move(curve)](Drawing& drawing, const Panel& area) {
            Panel panel = area;
            panel.highest = curve.scale.highest;
            draw_theta_curve(drawing, panel, levels, curve);
          }};
}

template <typename Member>
std::vector<std::optional<double>> values_of(const std::vector<SweepLevel>& levels,
                                             Member SweepLevel::*member) {
  std::vector<std::optional<double>> values;
  for (const SweepLevel& level : levels) values.emplace_back(level.*member);
  return values;
}

double largest_of(const std::vector<std::optional<double>>& values) {
  double largest = 0;
  for (const auto& value : values) largest = std::max(largest, value.value_or(0));
  return largest;
}

}  // namespace

namespace detail {

FigureBlock levels_block(const MethodResult& result) {
  const bool has_good = std::ranges::any_of(result.tried, &TriedLevel::is_good);
  std::string remark = "r\u00b2 of removed features with those that stand for them, at every level";
  if (!result.tried.empty()) {
    remark = has_good ? "filled: good levels; the answer is the coarsest of them"
                      : "no level is good, or the data do not allow to judge: near-copies go";
  }
  return {"How far could it go?", std::move(remark), kAxisNumbers, kCurveNames,
          [&result](Drawing& drawing, const Panel& area) { draw_levels(drawing, area, result); }};
}

FigureBlock kept_by_theta_block(const std::vector<SweepLevel>& levels, Index n_features) {
  return theta_block(
      "Features kept", fmt::format("of {}", with_commas(n_features)), levels,
      {kBlue, scale_for(static_cast<double>(n_features)), values_of(levels, &SweepLevel::n_kept)});
}

}  // namespace detail

std::string levels_figure(const std::string& name, const MethodResult& result) {
  FigureLayout layout;
  layout.title = fmt::format("{}: what each level would keep", name);
  layout.remark = fmt::format(
      "{} features; {} levels were tried. Neighbours kept: the share of the samples' 10 nearest "
      "that stay. Held-out R\u00b2: how well the kept features predict the removed ones. Loss "
      "ratio: what they leave unexplained, over what all features leave.",
      with_commas(static_cast<std::int64_t>(result.kind.size())), result.tried.size());
  layout.blocks = {levels_block(result)};
  layout.grid.width = 760;
  layout.grid.height = 360;
  return draw_figure(layout);
}

std::string thetas_figure(const std::string& name, Index n_features,
                          const std::vector<SweepLevel>& levels) {
  FigureLayout layout;
  layout.title = fmt::format("{}: the paper's groups at each theta", name);
  layout.remark = "The graph is cut at theta between its smallest and its largest weight.";
  layout.blocks = {kept_by_theta_block(levels, n_features)};
  const auto r2 = values_of(levels, &SweepLevel::mean_r2);
  if (std::ranges::any_of(r2, &std::optional<double>::has_value)) {
    layout.blocks.push_back(theta_block("Mean r\u00b2",
                                        "of removed features with those kept instead", levels,
                                        {kGreen, kShares, r2}));
  }
  const auto largest = values_of(levels, &SweepLevel::largest_group);
  layout.blocks.push_back(theta_block("Largest group", "features in it", levels,
                                      {kRed, scale_for(largest_of(largest)), largest}));
  layout.grid = {3, 340, 210};
  return draw_figure(layout);
}

}  // namespace sfg
