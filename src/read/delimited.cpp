// CSV and TSV: what the file looks like is guessed from its first rows, rows are found by one quick
// pass, blocks of rows are parsed by all threads, and the guesses are judged by all cells.
#include "read/delimited.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/text.hpp"
#include "read/block_parser.hpp"
#include "read/column_roles.hpp"
#include "read/readers.hpp"
#include "read/table_notes.hpp"
#include "sfg/error.hpp"

namespace sfg::detail {

namespace {

/// Roles settle at once in nearly every file; each further round changes a guess to a judgement.
constexpr int kMostRounds = 5;

[[noreturn]] void refuse_without_numbers(const TextSource& source, const TableLayout& layout,
                                         const std::vector<ColumnCounts>& counts) {
  const auto separator = separator_name(layout.dialect.separator);
  const std::string fault = fmt::format(
      "no columns of numbers beside names and labels; check the separator ({} was "
      "taken)",
      separator);
  for (std::size_t j = 0; j < counts.size(); ++j) {
    if (counts[j].odd.empty() || layout.columns[j].role == CellRole::row_name) continue;
    const OddCell& cell = counts[j].odd.front();
    source.refuse(cell.place, fmt::format("column {}: {} is not a number; {}", j + 1,
                                          in_quotes(cell.text), fault));
  }
  throw Error(ErrorCode::malformed_input, fmt::format("{}: {}", source.name, fault));
}

/// Columns that the user wants as features have to be numbers.
void refuse_chosen_texts(const TextSource& source, const TableLayout& layout,
                         const ReadOptions& options) {
  if (options.columns.empty() || options.encode != Encoding::none) return;
  for (std::size_t j = 0; j < layout.columns.size(); ++j) {
    const Column& column = layout.columns[j];
    if (column.role != CellRole::text || column.is_fixed) continue;
    throw Error(ErrorCode::inconsistent_input,
                fmt::format("column {} is not numbers", in_quotes(layout.headings[j])), source.name,
                {"columns", "leave it out of {columns}, or add {encode=onehot}"});
  }
}

/// Whether a number column has neither a name nor a value: the separators at the end of every row
/// of a spreadsheet.
bool is_empty_column(const TableLayout& layout, const ParsedColumns& parsed, std::size_t column,
                     std::size_t number) {
  const bool has_name = !layout.headings.empty() && !layout.headings[column].empty();
  if (has_name || parsed.counts[column].n_odd > 0) return false;
  return std::ranges::all_of(parsed.numbers.column(static_cast<Index>(number)),
                             [](double value) { return std::isnan(value); });
}

/// The number columns that stay, by their place among these: all but those without name and value.
/// Without a header a column is known by its place, so that only the last ones can go. One stays.
std::vector<Index> filled_numbers(const TableLayout& layout, const ParsedColumns& parsed,
                                  const std::vector<std::size_t>& columns) {
  std::vector<Index> kept;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const bool is_left_out = is_empty_column(layout, parsed, columns[k], k);
    if (!is_left_out) kept.push_back(static_cast<Index>(k));
  }
  if (kept.empty() && !columns.empty()) kept.push_back(0);
  const bool has_header = !layout.headings.empty();
  const auto n_front = static_cast<std::size_t>(kept.empty() ? 0 : kept.back() + 1);
  if (has_header || kept.size() == n_front) return kept;
  // The empty columns that are followed by texts or by numbers keep their place.
  const bool ends_with_numbers = columns.back() + 1 == layout.columns.size();
  const std::size_t n_kept = ends_with_numbers ? n_front : columns.size();
  kept.resize(n_kept);
  for (std::size_t k = 0; k < n_kept; ++k) kept[k] = static_cast<Index>(k);
  return kept;
}

/// Leaves out empty columns without a name.
void take_numbers(const TableLayout& layout, ParsedColumns& parsed, RawTable& table) {
  std::vector<std::size_t> columns;
  for (std::size_t j = 0; j < layout.columns.size(); ++j) {
    if (layout.columns[j].role == CellRole::number) columns.push_back(j);
  }
  const std::vector<Index> kept = filled_numbers(layout, parsed, columns);
  table.n_empty_columns = static_cast<std::int64_t>(columns.size() - kept.size());
  if (table.n_empty_columns > 0) {
    table.matrix = select_features(Matrix(std::move(parsed.numbers)), kept);
  } else {
    table.matrix = std::move(parsed.numbers);
  }
  if (layout.headings.empty()) return;
  for (const Index k : kept) table.column_names.push_back(layout.headings[columns[k]]);
}

RawTable to_table(const TextSource& source, const TableLayout& layout, const RowBlocks& rows,
                  const ReadOptions& options, ParsedColumns parsed) {
  RawTable table;
  take_numbers(layout, parsed, table);
  table.row_names = std::move(parsed.row_names);
  if (!table.row_names.empty()) table.row_heading = layout.heading_of(CellRole::row_name);
  if (layout.count(CellRole::label) > 0) {
    table.labels = Labels{layout.heading_of(CellRole::label), std::move(parsed.labels)};
  } else if (rows.label_row) {
    table.labels = Labels{parsed.label_row_name, std::move(parsed.labels)};
  }
  std::size_t n_texts = 0;
  for (std::size_t j = 0; j < layout.columns.size(); ++j) {
    if (layout.columns[j].role != CellRole::text) continue;
    const bool has_name = !layout.headings.empty() && !layout.headings[j].empty();
    TextColumn column;
    column.name = has_name ? layout.headings[j] : fmt::format("column {}", j + 1);
    column.values = std::move(parsed.texts[n_texts++]);
    column.kind = text_kind(column.values);
    table.texts.push_back(std::move(column));
  }
  table.notes = table_notes(source, layout, parsed, table, options);
  table.has_chosen_columns = !options.features_in_rows;
  // Texts beside features in rows tell of features, not of samples.
  if (options.features_in_rows) table.texts.clear();
  return table;
}

}  // namespace

RawTable read_delimited(const InputBytes& input, Format format, const ReadOptions& options,
                        const RunContext& run) {
  auto source = text_source(input);
  if (source.text.find('\n') == std::string_view::npos) source.line_end = '\r';
  auto layout = find_layout(source, find_dialect(source, format, options), options);
  const auto rows = find_rows(source, layout, options, run);
  auto parsed = parse_rows(source, layout, rows, run);
  const auto first_counts = parsed.counts;
  for (int round = 1; round < kMostRounds && change_roles(layout, parsed); ++round) {
    parsed = {};  // not two tables at once
    parsed = parse_rows(source, layout, rows, run);
  }
  refuse_chosen_texts(source, layout, options);
  if (layout.count(CellRole::number) == 0 && !options.allow_no_features) {
    refuse_without_numbers(source, layout, first_counts);
  }
  return to_table(source, layout, rows, options, std::move(parsed));
}

}  // namespace sfg::detail
