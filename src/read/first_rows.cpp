#include "read/first_rows.hpp"

#include <algorithm>

namespace sfg::detail {

namespace {

constexpr std::size_t kFewestRows = 3;
constexpr std::size_t kMostRows = 65;
/// Wide tables show what they are in few rows.
constexpr std::size_t kCells = 100000;

FirstCell first_cell(const TextSource& source, std::string_view raw, char separator) {
  FirstCell cell;
  cell.text = cell_text(source, raw);
  cell.has_quotes = is_quoted(raw);
  cell.holds_separator = cell.text.find(separator) != std::string::npos;
  return cell;
}

/// Writers quote texts with any of these, whatever separates the cells. The comma of "1,5" is
/// another matter.
bool needs_quotes(const FirstCell& cell) {
  constexpr std::string_view kSpecial = ",;\t\"\r\n";
  const bool is_special = cell.text.find_first_of(kSpecial) != std::string::npos;
  return cell.holds_separator || (is_special && !cell.value.is_value());
}

void read_value(FirstCell& cell, const NumberStyle& style) {
  cell.value = read_cell(cell.text, style);
  cell.is_quoted = cell.has_quotes && !needs_quotes(cell);
  cell.has_point = cell.text.find_first_of("eE") != std::string::npos ||
                   cell.text.find(style.decimal) != std::string::npos;
}

}  // namespace

std::vector<FirstRow> read_first_rows(const TextSource& source, std::string_view body,
                                      const Dialect& dialect, const NumberStyle& style) {
  std::vector<FirstRow> rows;
  RowScanner scanner(source, body, dialect);
  std::size_t n_cells = 0;
  while (rows.size() < kMostRows && (rows.size() < kFewestRows || n_cells < kCells)) {
    const auto text = scanner.next();
    if (!text) break;
    FirstRow row;
    row.start = static_cast<std::size_t>(text->data() - body.data());
    CellScanner cells(*text, dialect.separator);
    while (const auto raw = cells.next()) {
      row.cells.push_back(first_cell(source, *raw, dialect.separator));
    }
    n_cells += row.cells.size();
    rows.push_back(std::move(row));
  }
  read_again(rows, style);
  return rows;
}

char guess_decimal(const std::vector<FirstRow>& rows, char separator) {
  std::size_t n_points = 0;
  std::size_t n_commas = 0;
  std::size_t n_perhaps = 0;
  static const NumberStyle kPoint;
  // The first row may be a header, in which nothing is a measurement.
  for (std::size_t i = rows.size() > 1 ? 1 : 0; i < rows.size(); ++i) {
    for (const FirstCell& cell : rows[i].cells) {
      const bool has_comma = cell.text.find(',') != std::string::npos;
      if (!has_comma && cell.text.find('.') != std::string::npos) {
        n_points += read_cell(cell.text, kPoint).is_value() ? 1 : 0;
      } else if (has_comma) {
        n_perhaps += could_have_decimal_comma(cell.text) ? 1 : 0;
        n_commas += has_decimal_comma(cell.text) ? 1 : 0;
      }
    }
  }
  if (n_commas > n_points) return ',';
  const bool only_perhaps = n_commas == 0 && n_points == 0 && n_perhaps > 0;
  return only_perhaps && separator != ',' ? ',' : '.';
}

void read_again(std::vector<FirstRow>& rows, const NumberStyle& style) {
  for (FirstRow& row : rows) {
    for (FirstCell& cell : row.cells) read_value(cell, style);
  }
}

}  // namespace sfg::detail
