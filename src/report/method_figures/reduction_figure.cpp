// A reduction as a picture: the page's answer in one look.
#include <fmt/format.h>

#include <algorithm>

#include "report/method_figures/axis.hpp"
#include "report/method_figures/label.hpp"
#include "report/method_figures/level_blocks.hpp"
#include "report/method_figures/level_plot.hpp"
#include "report/method_figures/named_bars.hpp"
#include "report/method_figures/r2_histogram.hpp"
#include "sfg/method_figures.hpp"
#include "sfg/text.hpp"
#include "sfg/verdict.hpp"

namespace sfg {

namespace {

using namespace detail;

constexpr double kBannerHeight = 52;
constexpr std::size_t kMostGroups = 12;
constexpr double kTextSize = 11;

std::string count_text(std::size_t count) {
  return with_commas(static_cast<std::int64_t>(count));
}

// --- what became of the features ----------------------------------------------------------------

struct Part {
  Index count;
  const char* words;
  const char* colour;
};

std::vector<Part> parts_of(const MethodResult& result) {
  const ReductionCounts counts = count_reduction(result);
  std::vector<Part> parts{{counts.kept, "kept", kKeptColour},
                          {counts.redundant, "redundant", kRedundantColour},
                          {counts.exact, "exact sums of others", kExactColour},
                          {counts.unshared_dropped, "share nothing", kUnsharedColour},
                          {counts.no_variation, "do not vary", kConstantColour}};
  std::erase_if(parts, [](const Part& part) { return part.count == 0; });
  return parts;
}

/// A bar of all features, and below it what its parts are.
void draw_parts(Drawing& drawing, Point corner, double width, const std::vector<Part>& parts) {
  constexpr double kBar = 12;
  constexpr double kWords = 32;
  constexpr double kDot = 4;
  constexpr double kGap = 22;
  double total = 0;
  for (const Part& part : parts) total += static_cast<double>(part.count);
  double from = corner.x;
  double words = corner.x;
  for (const Part& part : parts) {
    const double part_width = width * static_cast<double>(part.count) / total;
    drawing.rectangle({from, corner.y}, part_width, kBar, part.colour);
    from += part_width;
    drawing.square({words + kDot, corner.y + kWords - kDot}, kDot, part.colour);
    const std::string text = fmt::format("{} {}", with_commas(part.count), part.words);
    drawing.text({words + 3 * kDot, corner.y + kWords}, text, {kTextSize});
    words += 3 * kDot + text_width(text, kTextSize) + kGap;
  }
}

// --- groups -------------------------------------------------------------------------------------

/// The largest groups by the names of those that are kept: how large, and how much of them these
/// explain.
FigureBlock groups_block(const std::vector<std::string>& feature_names,
                         const Reduction& reduction) {
  const std::vector<double> r2 = mean_r2_by_group(reduction);
  std::vector<NamedBar> bars;
  for (const Index group : largest_groups(reduction.groups, kMostGroups)) {
    const std::size_t size = reduction.groups.members_of(group).size();
    if (size < 2) break;
    const auto length = static_cast<double>(size);
    bars.push_back({feature_names[reduction.representatives[group]], length,
                    1 + (length - 1) * r2[group],
                    fmt::format("{}, r\u00b2 {}", count_text(size), format_r2(r2[group]))});
  }
  const Index n_groups = groups_of_two_or_more(reduction.groups);
  return {
      n_groups == 1 ? "The group" : fmt::format("The largest of {} groups", with_commas(n_groups)),
      "the kept feature, how many it stands for with itself, and their mean r\u00b2 (dark)",
      kNamedBarsLeft, 0, [bars = std::move(bars)](Drawing& drawing, const Panel& panel) {
        draw_named_bars(drawing, panel, bars);
      }};
}

// --- what is known of the removed ones ----------------------------------------------------------

FigureBlock held_out_block(const Certificate& certificate) {
  return {"How well do the kept predict the removed?",
          certificate.all ? "samples that took no part"
                          : fmt::format("samples that took no part; {} removed features, a random "
                                        "choice",
                                        count_text(certificate.features.size())),
          kAxisNumbers, kNoNames, [&certificate](Drawing& drawing, const Panel& panel) {
            draw_r2_histogram(drawing, panel, certificate.r2, certificate.permuted_r2,
                              "held-out R\u00b2 (first bar: -0.2 and lower)");
          }};
}

/// What is known of a removed feature without having it, in two or three words.
std::string_view words_of(CertificateKind kind) {
  switch (kind) {
    case CertificateKind::copy:
      return "copies";
    case CertificateKind::exact:
      return "exact sums";
    case CertificateKind::predicted:
      return "predicted";
    case CertificateKind::shared:
      return "as well as by all";
    case CertificateKind::unshared:
      return "shared nothing";
    case CertificateKind::lost:
      return "lost in part";
    case CertificateKind::untried:
      break;
  }
  return "not tested";
}

/// One kind alone needs no picture.
bool has_kinds(const Reduction& reduction) {
  return std::ranges::any_of(reduction.removed, [&](const RemovedFeature& removed) {
    return removed.certificate != reduction.removed.front().certificate;
  });
}

/// How sure it is that nothing is lost, by the kinds of the certificate.
FigureBlock kinds_block(const Reduction& reduction) {
  std::vector<NamedBar> bars;
  for (const auto& choice : kChoices<CertificateKind>) {
    const auto count =
        std::ranges::count(reduction.removed, choice.value, &RemovedFeature::certificate);
    if (count == 0) continue;
    const double share =
        100 * static_cast<double>(count) / static_cast<double>(reduction.removed.size());
    bars.push_back({std::string(words_of(choice.value)), static_cast<double>(count),
                    static_cast<double>(count),
                    fmt::format("{}, {}", with_commas(count),
                                share < 1 ? "below 1 %" : fmt::format("{:.0f} %", share))});
  }
  return {"How sure is that?",
          fmt::format("{} removed features by what is known of them without having them",
                      count_text(reduction.removed.size())),
          kNamedBarsLeft, 0, [bars = std::move(bars)](Drawing& drawing, const Panel& panel) {
            draw_named_bars(drawing, panel, bars);
          }};
}

/// Thetas that the curve of a reduction by components is made of.
std::vector<double> curve_thetas() {
  constexpr int kSteps = 10;
  std::vector<double> thetas;
  for (int step = 1; step < kSteps; ++step) thetas.push_back(static_cast<double>(step) / kSteps);
  return thetas;
}

/// How far it could go: nothing for pairwise, which has one level.
std::vector<FigureBlock> level_blocks(const MethodOptions& options, const MethodResult& result) {
  if (std::holds_alternative<PairwiseOptions>(options.grouping)) return {};
  const auto* components = std::get_if<ComponentOptions>(&options.grouping);
  if (components == nullptr) return {levels_block(result)};
  const auto found = sweep(result.graph, curve_thetas(), nullptr, options);
  FigureBlock block = kept_by_theta_block(found, static_cast<Index>(result.kind.size()));
  if (components->weight_threshold) return {block};
  const double theta = components->theta.value_or(kUsualTheta);
  block.draw = [curve = block.draw, theta](Drawing& drawing, const Panel& panel) {
    draw_mark(drawing, panel, Axis{panel}.x_of(theta), fmt::format("theta {:g}", theta),
              kAnswerStroke);
    curve(drawing, panel);
  };
  return {block};
}

}  // namespace

std::string reduction_figure(const std::string& name, const std::vector<std::string>& feature_names,
                             const MethodOptions& options, const MethodResult& result) {
  const Reduction& reduction = result.reduction;
  FigureLayout layout;
  layout.title = fmt::format("{}: {} of {} features are kept", name,
                             count_text(reduction.kept.size()), count_text(result.kind.size()));
  layout.remark = verdict(options, result);
  layout.banner_height = kBannerHeight;
  layout.draw_banner = [&](Drawing& drawing, Point corner, double width) {
    draw_parts(drawing, corner, width, parts_of(result));
  };
  layout.blocks = level_blocks(options, result);
  if (groups_of_two_or_more(reduction.groups) > 0) {
    layout.blocks.push_back(groups_block(feature_names, reduction));
  }
  if (!reduction.certificate.r2.empty()) {
    layout.blocks.push_back(held_out_block(reduction.certificate));
  }
  if (has_kinds(reduction)) layout.blocks.push_back(kinds_block(reduction));
  return draw_figure(layout);
}

}  // namespace sfg
