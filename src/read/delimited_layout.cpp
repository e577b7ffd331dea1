// Which line is the header and what each column of a CSV or TSV file means.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/text.hpp"
#include "read/delimited.hpp"
#include "sfg/error.hpp"

namespace sfg::detail {

namespace {

constexpr std::size_t kNamesInMessage = 8;

/// The first two rows, which decide what the table looks like.
struct FirstRows {
  std::vector<std::string> first;
  std::vector<std::string> second;
  std::size_t second_start = 0;  ///< in the text without blank lines around it
};

bool is_text(const std::string& cell) {
  return !is_missing(cell) && !parse_number(cell);
}

/// The text without blank lines before and after the rows.
std::string_view without_blank_lines(const TextSource& source, char separator) {
  const std::string_view blanks = separator == '\t' ? " \r\n" : " \t\r\n";
  const auto text = source.text;
  const auto first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) {
    throw Error(ErrorCode::malformed_input,
                fmt::format("{}: the file is empty; it must hold a table", source.name));
  }
  // Blanks may belong to the first and to the last row: cut at line ends.
  const auto before = text.substr(0, first).rfind(source.line_end);
  const auto start = before == std::string_view::npos ? 0 : before + 1;
  const auto end = text.find(source.line_end, text.find_last_not_of(blanks));
  return text.substr(start, end == std::string_view::npos ? end : end - start);
}

/// ",0,1,2,...": what pandas writes above a table without column names.
bool is_counting_header(const std::vector<std::string>& cells) {
  if (cells.size() < 2 || !cells[0].empty()) return false;
  for (std::size_t i = 1; i < cells.size(); ++i) {
    if (cells[i] != std::to_string(i - 1)) return false;
  }
  return true;
}

bool has_header(const FirstRows& rows, const ReadOptions& options) {
  if (options.header == false) {
    if (!options.sample_ids.empty()) {
      throw Error(
          ErrorCode::invalid_option,
          fmt::format("the sample column {} is a heading, but the file is said to have no header",
                      in_quotes(options.sample_ids)),
          "", {"sample_ids", "leave out {sample_ids}, or let the file have a header"});
    }
    return false;
  }
  if (options.header == true || !options.sample_ids.empty()) return true;
  if (is_counting_header(rows.first)) return true;
  if (std::any_of(rows.first.begin() + 1, rows.first.end(), is_text)) return true;
  // A text on top of numbers is a heading; a text on top of texts may be a sample's name.
  return is_text(rows.first[0]) && !rows.second.empty() && !is_text(rows.second[0]);
}

/// Where a heading stands, if anywhere; throws inconsistent_input if in two places.
std::optional<std::size_t> find_heading(const TextSource& source,
                                        const std::vector<std::string>& headings,
                                        const std::string& wanted) {
  const auto found = std::ranges::find(headings, trimmed(wanted));
  if (found == headings.end()) return std::nullopt;
  const auto again = std::find(found + 1, headings.end(), *found);
  if (again != headings.end()) {
    throw Error(
        ErrorCode::inconsistent_input,
        fmt::format("{}: columns {} and {} are both called {}; rename one of them", source.name,
                    found - headings.begin() + 1, again - headings.begin() + 1, in_quotes(wanted)));
  }
  return static_cast<std::size_t>(found - headings.begin());
}

std::size_t find_sample_column(const TextSource& source, const std::vector<std::string>& headings,
                               const ReadOptions& options) {
  if (options.features_in_rows) {
    throw Error(ErrorCode::invalid_option,
                "with features in rows the header holds the sample names", source.name,
                {"sample_ids", "leave out {sample_ids}"});
  }
  const auto column = find_heading(source, headings, options.sample_ids);
  if (column) return *column;
  const auto n_shown = std::min(headings.size(), kNamesInMessage);
  throw Error(ErrorCode::inconsistent_input,
              fmt::format("{}: no column is called {}; the headings are {}{}", source.name,
                          in_quotes(options.sample_ids),
                          fmt::join(headings.begin(), headings.begin() + n_shown, ", "),
                          n_shown < headings.size() ? ", ..." : ""));
}

FirstRows read_first_rows(const TextSource& source, std::string_view body, char separator) {
  FirstRows rows;
  RowScanner scanner(source, body, separator);
  rows.first = row_texts(source, scanner.next().value_or(body), separator);
  rows.second_start = std::min(scanner.position(), body.size());
  if (const auto second = scanner.next()) rows.second = row_texts(source, *second, separator);
  return rows;
}

enum class NameColumn { none_known, first };

/// Takes the header over; R leaves out the heading of the row names.
NameColumn take_header(const TextSource& source, const FirstRows& rows, std::string_view body,
                       TableLayout& layout) {
  if (rows.second.empty()) {
    throw Error(ErrorCode::malformed_input,
                fmt::format("{}: there is a header but no row of data below it", source.name));
  }
  layout.headings = rows.first;
  layout.roles.assign(layout.headings.size(), CellRole::number);
  layout.data = body.substr(rows.second_start);
  if (rows.second.size() == rows.first.size() + 1) {
    // A separator at the end of each row looks the same but would shift every column.
    if (rows.second.back().empty()) {
      source.refuse(layout.data.data(),
                    fmt::format("{} cells, the last one empty, but the header has {}; remove the "
                                "separator at the end of the rows or add one to the header",
                                rows.second.size(), rows.first.size()));
    }
    layout.headings.insert(layout.headings.begin(), std::string());
    layout.roles.push_back(CellRole::number);
    return NameColumn::first;
  }
  const bool is_unnamed = layout.headings.size() > 1 && layout.headings[0].empty();
  return is_unnamed ? NameColumn::first : NameColumn::none_known;
}

}  // namespace

bool TableLayout::has(CellRole role) const noexcept {
  return std::ranges::find(roles, role) != roles.end();
}

std::string TableLayout::heading_of(CellRole role) const {
  const auto column = std::ranges::find(roles, role) - roles.begin();
  return headings.empty() ? std::string() : headings[column];
}

TableLayout find_layout(const TextSource& source, char separator, const ReadOptions& options) {
  const auto body = without_blank_lines(source, separator);
  const auto rows = read_first_rows(source, body, separator);
  TableLayout layout;
  layout.separator = separator;
  layout.data = body;
  layout.roles.assign(rows.first.size(), CellRole::number);
  auto names = NameColumn::none_known;
  const bool header = has_header(rows, options);
  if (header) names = take_header(source, rows, body, layout);

  if (header && !options.labels.empty() && !options.features_in_rows) {
    const auto column = find_heading(source, layout.headings, options.labels);
    if (column) layout.roles[*column] = CellRole::label;
  }
  const std::string& first_cell = header ? rows.second[0] : rows.first[0];
  if (!options.sample_ids.empty()) {
    auto& role = layout.roles[find_sample_column(source, layout.headings, options)];
    if (role == CellRole::label) {
      throw Error(ErrorCode::invalid_option,
                  fmt::format("column {} cannot hold both the labels and the sample names",
                              in_quotes(options.labels)));
    }
    role = CellRole::row_name;
  } else if (layout.roles[0] == CellRole::number &&
             (names == NameColumn::first || (header && options.features_in_rows) ||
              is_text(first_cell))) {
    layout.roles[0] = CellRole::row_name;
  }
  layout.n_numbers = static_cast<std::size_t>(std::ranges::count(layout.roles, CellRole::number));
  if (layout.n_numbers == 0) {
    throw Error(
        ErrorCode::malformed_input,
        fmt::format("{}: no columns of numbers beside names and labels; check the separator "
                    "({} was taken)",
                    source.name, separator == '\t' ? "tab" : in_quotes({&separator, 1})));
  }
  return layout;
}

void refuse_ragged(const TextSource& source, std::string_view row, const TableLayout& layout) {
  const auto found = count_cells(row, layout.separator);
  source.refuse(row.data(),
                fmt::format("{} {} where {} were expected; every row must have as many cells as "
                            "the first: check for lost separators and unquoted text",
                            found, found == 1 ? "cell" : "cells", layout.roles.size()));
}

}  // namespace sfg::detail
