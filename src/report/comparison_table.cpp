// Our figures beside published ones, as Markdown.
#include <fmt/format.h>

#include <array>
#include <map>
#include <set>

#include "core/markup.hpp"
#include "core/text.hpp"
#include "sfg/published.hpp"

namespace sfg {

namespace {

using namespace detail;

struct Side {
  const char* title;
  double PublishedCell::*ours;
  double PublishedCell::*published;
};

constexpr std::array kSides{Side{"NMI", &PublishedCell::ours_nmi, &PublishedCell::published_nmi},
                            Side{"ACC", &PublishedCell::ours_acc, &PublishedCell::published_acc}};

std::string theta_text(std::optional<double> theta) {
  return theta ? format_number(*theta) : "none";
}

/// Thetas of the cells, in their order.
std::vector<std::optional<double>> thetas_of(const std::vector<PublishedCell>& cells) {
  std::vector<std::optional<double>> thetas;
  for (const PublishedCell& cell : cells) {
    if (thetas.empty() || thetas.back() != cell.theta) thetas.push_back(cell.theta);
  }
  return thetas;
}

std::string score_table(const PublishedComparison& comparison, const Side& side) {
  const auto thetas = thetas_of(comparison.cells);
  std::string text = fmt::format("| {} |", side.title);
  std::string rule = "|--:|";
  for (const auto& theta : thetas) {
    text += fmt::format(" {} |", theta_text(theta));
    rule += "--:|";
  }
  text += "\n" + rule + "\n";
  std::set<Index> sizes;
  std::map<std::pair<Index, std::string>, const PublishedCell*> cells;
  for (const PublishedCell& cell : comparison.cells) {
    sizes.insert(cell.n_selected);
    cells[{cell.n_selected, theta_text(cell.theta)}] = &cell;
  }
  for (const Index size : sizes) {
    text += fmt::format("| {} |", size);
    for (const auto& theta : thetas) {
      const auto found = cells.find({size, theta_text(theta)});
      text += found == cells.end() ? std::string(" - |")
                                   : fmt::format(" {:.2f} / {:.2f} |", found->second->*side.ours,
                                                 found->second->*side.published);
    }
    text += "\n";
  }
  return text + "\n";
}

std::string list(const std::vector<Index>& counts) {
  std::string text;
  for (const Index count : counts) text += fmt::format("{}{}", text.empty() ? "" : " ", count);
  return text;
}

}  // namespace

std::string comparison_to_markdown(const PublishedComparison& comparison) {
  std::string text = fmt::format(
      "### {} beside {} as published\n\nKept features: {}; {}.\n\nMean absolute difference after "
      "removal: NMI {:.3f}, ACC {:.3f} ({} cells); all features: NMI {:.3f}, ACC {:.3f} ({} "
      "cells). NMI at or above all features: ours {:.0f} %, published {:.0f} %.\n\nOurs / "
      "published:\n\n",
      markdown_text(comparison.name), markdown_text(comparison.published_name),
      list(comparison.ours_counts),
      comparison.ours_counts == comparison.published_counts
          ? "published: the same"
          : "published: " + list(comparison.published_counts),
      comparison.after_removal.nmi, comparison.after_removal.acc, comparison.after_removal.n_cells,
      comparison.baseline.nmi, comparison.baseline.acc, comparison.baseline.n_cells,
      100 * comparison.ours_share_at_baseline, 100 * comparison.published_share_at_baseline);
  for (const Side& side : kSides) text += score_table(comparison, side);
  return text;
}

}  // namespace sfg
