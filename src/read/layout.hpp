#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "read/first_rows.hpp"
#include "read/header_rule.hpp"

// What each column of a CSV or TSV file means, as far as its first rows tell. The whole file may
// know better: read/column_roles.hpp judges again when all rows are read.
namespace sfg::detail {

enum class CellRole : std::uint8_t {
  number,
  row_name,
  label,
  text,     ///< not numbers: stays beside the features
  skipped,  ///< left out, unread
};

/// A column of the file.
struct Column {
  CellRole role = CellRole::number;
  bool is_fixed = false;     ///< an option says so: the cells do not change it
  bool has_quotes = false;   ///< its numbers are in quotes, those of other columns are not
  bool is_unnamed = false;   ///< the first one, below an empty corner: never a feature
  bool is_measured = false;  ///< its texts start with decimals ("10.5 mm"): no names
};

struct TableLayout {
  Dialect dialect;
  NumberStyle style;
  bool is_decimal_guessed = false;
  bool has_points = false;            ///< some number of the first rows has a decimal point
  std::string_view data;              ///< the rows below the header
  std::vector<std::string> headings;  ///< one per column, or none
  std::vector<Column> columns;
  HeaderGuess header;
  std::int64_t n_comments = 0;      ///< lines that start with '#' before the table
  std::int64_t n_hollow_rows = 0;   ///< rows without any cell at the end
  std::string titles;               ///< what stands above the header, "" if nothing does
  std::int64_t n_titles = 0;        ///< lines of it
  std::string units;                ///< the row below the header that gives units, "" if none does
  bool may_be_one_column = false;   ///< "x" over 1,5: row names, or decimal commas
  bool has_chosen_columns = false;  ///< the user named the features; others are left out
  bool knows_labels = false;        ///< the last column is written as sfg writes labels

  [[nodiscard]] std::size_t count(CellRole role) const noexcept;
  [[nodiscard]] std::string heading_of(CellRole role) const;
};

/// Throws malformed_input (no rows, a header without rows), inconsistent_input (no such column) or
/// invalid_option.
[[nodiscard]] TableLayout find_layout(const TextSource& source, const Dialect& dialect,
                                      const ReadOptions& options);

/// Throws malformed_input for a row with the wrong number of cells.
[[noreturn]] void refuse_ragged(const TextSource& source, std::string_view row,
                                const TableLayout& layout);

}  // namespace sfg::detail
