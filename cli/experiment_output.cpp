#include "experiment_output.hpp"

#include <fmt/format.h>

#include <map>
#include <set>

#include "output_path.hpp"
#include "png.hpp"

namespace sfg::cli {

namespace {

std::string theta_text(std::optional<double> theta) {
  return theta ? format_number(*theta) : "none";
}

std::string cell_text(const ExperimentCell& cell, const ExperimentCell* baseline,
                      const ExperimentMeasure& measure) {
  if (!cell.scores) return "- ";
  const double value = (*cell.scores).*measure.mean;
  const bool marked =
      baseline != nullptr && baseline->scores && reaches(value, (*baseline->scores).*measure.mean);
  return fmt::format("{:.3f}{}", value, marked ? '+' : ' ');
}

std::string table_text(const ExperimentTable& table, const ExperimentMeasure& measure) {
  std::vector<std::string> headings{measure.title};
  std::vector<std::string> kept{"kept"};
  for (const ExperimentColumn& column : table.columns) {
    headings.push_back(theta_text(column.theta) + " ");
    kept.push_back(with_commas(column.n_kept) + " ");
  }
  Table text(headings);
  text.add(kept);
  for (std::size_t row = 0; row <= table.sizes.size(); ++row) {
    std::vector<std::string> line{row == 0 ? "all kept"
                                           : fmt::format("{} selected", table.sizes[row - 1])};
    for (const ExperimentColumn& column : table.columns) {
      const bool is_baseline = &column == &table.columns.front();
      line.push_back(cell_text(cell_of(column, row),
                               is_baseline ? nullptr : &cell_of(table.columns.front(), row),
                               measure));
    }
    text.add(line);
  }
  return text.text("  ") + "\n";
}

/// Rows of three lines: ours, published, difference.
std::string beside_each_other(const PublishedComparison& comparison, const char* title,
                              double PublishedCell::*ours, double PublishedCell::*published) {
  std::vector<std::string> headings{title, ""};
  std::map<std::string, std::map<Index, const PublishedCell*>> columns;
  std::set<Index> sizes;
  for (const PublishedCell& cell : comparison.cells) {
    const std::string heading = theta_text(cell.theta);
    if (!columns.contains(heading)) headings.push_back(heading);
    columns[heading][cell.n_selected] = &cell;
    sizes.insert(cell.n_selected);
  }
  Table table(headings);
  for (const Index size : sizes) {
    std::vector<std::string> lines[3] = {
        {std::to_string(size), "ours"}, {"", "published"}, {"", "difference"}};
    for (std::size_t k = 2; k < headings.size(); ++k) {
      const auto& column = columns[headings[k]];
      const auto found = column.find(size);
      const PublishedCell* cell = found == column.end() ? nullptr : found->second;
      lines[0].push_back(cell == nullptr ? "-" : fmt::format("{:.3f}", cell->*ours));
      lines[1].push_back(cell == nullptr ? "-" : fmt::format("{:.2f} ", cell->*published));
      lines[2].push_back(cell == nullptr ? "-"
                                         : fmt::format("{:+.3f}", cell->*ours - cell->*published));
    }
    for (auto& line : lines) table.add(std::move(line));
  }
  return table.text("  ") + "\n";
}

}  // namespace

std::string experiment_summary(const ExperimentResult& result) {
  std::string text =
      fmt::format("{}: {} x {}, {} classes\n\n", result.name, counted(result.n_samples, "sample"),
                  counted(result.n_features, "feature"), with_commas(result.n_classes));
  for (const ExperimentTable& table : result.tables) {
    text +=
        table.grouping == GroupingKind::components
            ? "The paper's groups (components) at theta; +: at or above all features\n"
            : "Compact groups, as many features as components keep at theta; +: at or above all "
              "features\n";
    for (const ExperimentMeasure& measure : kExperimentMeasures) text += table_text(table, measure);
  }
  return text;
}

std::string comparison_summary(const PublishedComparison& comparison) {
  std::string text =
      fmt::format("{} beside {} as published\n", comparison.name, comparison.published_name);
  text +=
      beside_each_other(comparison, "NMI", &PublishedCell::ours_nmi, &PublishedCell::published_nmi);
  text +=
      beside_each_other(comparison, "ACC", &PublishedCell::ours_acc, &PublishedCell::published_acc);
  Index n_equal = 0;
  for (std::size_t k = 0; k < comparison.ours_counts.size(); ++k) {
    n_equal += comparison.ours_counts[k] == comparison.published_counts[k] ? 1 : 0;
  }
  const auto difference = [](const char* which, const PublishedDifference& one) {
    return fmt::format("  {:<32} NMI {:.3f}, ACC {:.3f} ({})\n", which, one.nmi, one.acc,
                       counted(one.n_cells, "cell"));
  };
  text += fmt::format("  numbers of kept features         {} of {} equal\n", n_equal,
                      comparison.ours_counts.size());
  text += "  mean absolute difference\n";
  text += difference("  after removal", comparison.after_removal);
  text += difference("  all features", comparison.baseline);
  return text +
         fmt::format("  NMI at or above all features     ours {:.0f} %, published {:.0f} %\n\n",
                     100 * comparison.ours_share_at_baseline,
                     100 * comparison.published_share_at_baseline);
}

void note_oddities(const ExperimentResult& result, Console& console) {
  Index n_inexact = 0;
  Index n_with_empty = 0;
  for (const ExperimentTable& table : result.tables) {
    for (const ExperimentColumn& column : table.columns) {
      for (std::size_t row = 0; row <= table.sizes.size(); ++row) {
        const ExperimentCell& cell = cell_of(column, row);
        n_inexact += cell.status == EigenStatus::converged ? 0 : 1;
        n_with_empty += cell.n_empty > 0 ? 1 : 0;
      }
    }
  }
  if (n_inexact > 0) {
    console.note(
        fmt::format("{}: in {} the eigen-solver did not converge: 'converged' in the JSON "
                    "tells which",
                    result.name, counted(n_inexact, "cell")));
  }
  if (n_with_empty > 0) {
    console.note(
        fmt::format("{}: in {} some samples have zeros only, and nothing tells where they "
                    "belong: 'empty_samples' in the JSON tells how many",
                    result.name, counted(n_with_empty, "cell")));
  }
  if (result.permutation.angle_says_little()) {
    console.note(fmt::format(
        "{}: with permuted samples {} of the features pass the angle filter, of the real ones {}: "
        "it says little about redundancy here",
        result.name, percent(result.permutation.permuted_share, 1),
        percent(result.permutation.real_share, 1)));
  }
}

ExperimentFiles::ExperimentFiles(const OutputOptions& output, PngFigures png)
    : output_(output), png_(png) {
  check_prefix(output.path);
  // Not kept until the end: a run that is killed would leave their temporary names behind.
  OutputFiles probe(output_.existing());
  for (const char* ending : {".json", ".csv", ".md", ".tex", ".spectral.svg", ".angles.svg",
                             ".spectral.png", ".angles.png", ".log"}) {
    const bool is_png = std::string_view(ending).ends_with(".png");
    if (!is_png || png_ == PngFigures::write) static_cast<void>(probe.stage(place(ending)));
  }
}

void ExperimentFiles::write(const ExperimentOutcome& outcome,
                            const nlohmann::ordered_json& document, const std::string& log) const {
  OutputFiles files(output_.existing());
  files.add_text(
      place(".json"),
      document.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
  files.add_text(place(".csv"), tables_to_csv(outcome.results));
  std::string markdown = tables_to_markdown(outcome.results);
  for (const auto& comparison : outcome.comparisons) markdown += comparison_to_markdown(comparison);
  files.add_text(place(".md"), markdown);
  files.add_text(place(".tex"), tables_to_latex(outcome.results));
  const std::string spectral = spectral_figure(outcome.results);
  const std::string angles = angle_figure(outcome.results);
  files.add_text(place(".spectral.svg"), spectral);
  files.add_text(place(".angles.svg"), angles);
  if (png_ == PngFigures::write) {
    files.add_text(place(".spectral.png"), svg_to_png(spectral));
    files.add_text(place(".angles.png"), svg_to_png(angles));
  }
  files.add_text(place(".log"), log);
  files.commit();
}

}  // namespace sfg::cli
