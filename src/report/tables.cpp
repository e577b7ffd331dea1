// The tables of experiments as text.
#include <fmt/format.h>

#include <array>
#include <cmath>

#include "core/markup.hpp"
#include "core/text.hpp"
#include "sfg/experiment.hpp"

namespace sfg {

namespace {

using namespace detail;

/// Digits behind the point in tables for people.
constexpr double kShown = 1000;

using Mark = std::string (*)(const std::string& number);

struct Writer {
  std::string (*name)(std::string_view);
  Mark bold;
  const char* begin;    ///< of a row
  const char* between;  ///< cells of a row
  const char* end;      ///< of a row
};

/// Where there is no score.
constexpr const char* kMissing = "-";

std::string column_heading(const ExperimentColumn& column) {
  return column.theta ? format_number(*column.theta) : "none";
}

std::string cell_text(const ExperimentCell& cell, const ExperimentCell& baseline,
                      const ExperimentMeasure& measure, bool is_baseline, const Writer& writer) {
  if (!cell.scores) return kMissing;
  const double value = (*cell.scores).*measure.mean;
  const std::string number = fmt::format("{:.3f}", value);
  const bool marked =
      !is_baseline && baseline.scores && reaches(value, (*baseline.scores).*measure.mean);
  return marked ? writer.bold(number) : number;
}

/// One line per row of the table: clustering by all that is kept, then every size.
std::string body(const ExperimentTable& table, const ExperimentMeasure& measure,
                 const Writer& writer) {
  std::string text;
  for (std::size_t row = 0; row <= table.sizes.size(); ++row) {
    std::string line = row == 0 ? "all kept" : fmt::format("{}", table.sizes[row - 1]);
    const ExperimentCell& baseline = cell_of(table.columns.front(), row);
    for (std::size_t k = 0; k < table.columns.size(); ++k) {
      line += writer.between +
              cell_text(cell_of(table.columns[k], row), baseline, measure, k == 0, writer);
    }
    text += writer.begin + line + writer.end;
  }
  return text;
}

std::string caption(const ExperimentResult& result, const ExperimentTable& table,
                    const ExperimentMeasure& measure, const Writer& writer) {
  return fmt::format("{}, {} ({}, {} samples, {} classes)", writer.name(result.name), measure.title,
                     choice_name(table.grouping), result.n_samples, result.n_classes);
}

std::string row_of(const ExperimentTable& table, const std::string& heading, const Writer& writer,
                   std::string (*text)(const ExperimentColumn&)) {
  std::string line = heading;
  for (const ExperimentColumn& column : table.columns) line += writer.between + text(column);
  return writer.begin + line + writer.end;
}

std::string kept_text(const ExperimentColumn& column) {
  return fmt::format("{}", column.n_kept);
}

std::string markdown_table(const ExperimentResult& result, const ExperimentTable& table,
                           const ExperimentMeasure& measure) {
  const Writer writer{markdown_text, [](const std::string& number) { return "**" + number + "**"; },
                      "| ", " | ", " |\n"};
  std::string rule = "|---";
  for (std::size_t k = 0; k < table.columns.size(); ++k) rule += "|--:";
  return fmt::format("### {}\n\n{}{}|\n{}{}\n", caption(result, table, measure, writer),
                     row_of(table, "theta", writer, column_heading), rule,
                     row_of(table, "kept", writer, kept_text), body(table, measure, writer));
}

std::string latex_table(const ExperimentResult& result, const ExperimentTable& table,
                        const ExperimentMeasure& measure) {
  const Writer writer{latex_text,
                      [](const std::string& number) { return "\\textbf{" + number + "}"; }, "",
                      " & ", " \\\\\n"};
  return fmt::format(
      "\\begin{{table}}[ht]\n\\centering\n\\begin{{tabular}}{{|l||c||*{{{}}}{{c}}|}}\n\\hline\n"
      "{}{}\\hline\\hline\n{}\\hline\n\\end{{tabular}}\n\\caption{{{}}}\n\\end{{table}}\n\n",
      table.columns.size() - 1, row_of(table, "$\\theta$", writer, column_heading),
      row_of(table, "\\#$f$", writer, kept_text), body(table, measure, writer),
      caption(result, table, measure, writer));
}

template <typename OneTable>
std::string all_tables(const std::vector<ExperimentResult>& results, const OneTable& one_table) {
  std::string text;
  for (const ExperimentResult& result : results) {
    for (const ExperimentTable& table : result.tables) {
      for (const ExperimentMeasure& measure : kExperimentMeasures)
        text += one_table(result, table, measure);
    }
  }
  return text;
}

std::string csv_scores(const ExperimentCell& cell, const ExperimentCell& baseline) {
  if (!cell.scores) return ",,,,,,";
  std::string text;
  for (const ExperimentMeasure& measure : kExperimentMeasures) {
    text += fmt::format(",{},{}", format_number((*cell.scores).*measure.mean),
                        format_number((*cell.scores).*measure.deviation));
  }
  for (const ExperimentMeasure& measure : kExperimentMeasures) {
    const bool marked =
        baseline.scores && reaches((*cell.scores).*measure.mean, (*baseline.scores).*measure.mean);
    text += marked ? ",1" : ",0";
  }
  return text;
}

}  // namespace

bool reaches(double value, double baseline) {
  return std::lround(value * kShown) >= std::lround(baseline * kShown);
}

std::string tables_to_csv(const std::vector<ExperimentResult>& results) {
  std::string text =
      "name,grouping,theta,kept,n_selected,nmi,nmi_std,acc,acc_std,nmi_reaches_baseline,"
      "acc_reaches_baseline\n";
  for (const ExperimentResult& result : results) {
    for (const ExperimentTable& table : result.tables) {
      for (const ExperimentColumn& column : table.columns) {
        for (std::size_t row = 0; row <= table.sizes.size(); ++row) {
          text +=
              fmt::format("{},{},{},{},{}{}\n", csv_cell(result.name), choice_name(table.grouping),
                          column_heading(column), column.n_kept,
                          row == 0 ? "" : fmt::format("{}", table.sizes[row - 1]),
                          csv_scores(cell_of(column, row), cell_of(table.columns.front(), row)));
        }
      }
    }
  }
  return text;
}

std::string tables_to_markdown(const std::vector<ExperimentResult>& results) {
  return all_tables(results, markdown_table);
}

std::string tables_to_latex(const std::vector<ExperimentResult>& results) {
  return all_tables(results, latex_table);
}

}  // namespace sfg
