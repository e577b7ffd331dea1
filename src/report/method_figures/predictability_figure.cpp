#include <fmt/format.h>

#include <algorithm>

#include "report/method_figures/figure_block.hpp"
#include "report/method_figures/r2_histogram.hpp"
#include "sfg/method_figures.hpp"
#include "sfg/shared.hpp"
#include "sfg/text.hpp"

namespace sfg {

std::string predictability_figure(const std::string& name, const UnitFeatures& centred,
                                  const Predictability& known,
                                  const std::vector<double>& by_chance) {
  std::vector<double> values;
  for (const Index feature : regular_features(centred)) values.push_back(known.r2[feature]);
  const auto n_little =
      std::ranges::count_if(values, [](double r2) { return r2 <= kSharedBeyondChance; });
  detail::FigureLayout layout;
  layout.title = fmt::format("{}: what the others know of each feature", name);
  layout.remark = fmt::format(
      "{} features that vary, each predicted from all the others on samples left out one by one. "
      "Hardly known (R\u00b2 at most {}): {}. Chance: features with their samples in random order.",
      with_commas(std::ssize(values)), kSharedBeyondChance,
      n_little == 0 ? "none" : with_commas(n_little));
  layout.blocks = {{"", "", detail::kAxisNumbers, detail::kNoNames,
                    [&](detail::Drawing& drawing, const detail::Panel& panel) {
                      detail::draw_r2_histogram(
                          drawing, panel, values, by_chance,
                          "R\u00b2 from all other features (first bar: -0.2 and lower)");
                    }}};
  layout.grid.width = 700;
  return detail::draw_figure(layout);
}

}  // namespace sfg
