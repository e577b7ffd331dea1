#include "report/method_figures/named_bars.hpp"

#include <algorithm>

#include "report/method_figures/label.hpp"

namespace sfg::detail {

namespace {

constexpr double kBarNameSize = 11;
constexpr double kHalfName = 4;
constexpr double kBarPart = 0.66;  ///< of the height that each bar has
constexpr double kBesideBar = 6;
constexpr std::size_t kFewestPlaces = 6;  ///< few bars do not become beams
constexpr TextStyle kBarValue{10, Anchor::start, kMuted};

}  // namespace

void draw_named_bars(Drawing& drawing, const Panel& panel, const std::vector<NamedBar>& bars) {
  double longest = 0;
  double values = 0;
  for (const NamedBar& bar : bars) {
    longest = std::max(longest, bar.length);
    values = std::max(values, text_width(bar.value, kBarValue.size) + kBesideBar);
  }
  const double scale = longest > 0 ? (panel.width - values) / longest : 0;
  const double place =
      panel.height / static_cast<double>(std::max<std::size_t>(bars.size(), kFewestPlaces));
  for (std::size_t k = 0; k < bars.size(); ++k) {
    const NamedBar& bar = bars[k];
    const double middle = panel.corner.y + place * (static_cast<double>(k) + 0.5);
    const double high = place * kBarPart;
    const Point corner{panel.corner.x, middle - high / 2};
    drawing.rectangle(corner, scale * bar.length, high, kRedundantColour);
    drawing.rectangle(corner, scale * bar.filled, high, kKeptColour);
    drawing.text({panel.corner.x - kBesideBar, middle + kHalfName},
                 short_name(bar.name, kBarNameSize, kNamedBarsLeft - 2 * kBesideBar),
                 {kBarNameSize, Anchor::end});
    drawing.text({panel.corner.x + scale * bar.length + kBesideBar, middle + kHalfName}, bar.value,
                 kBarValue);
  }
}

}  // namespace sfg::detail
