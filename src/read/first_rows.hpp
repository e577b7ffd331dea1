#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "read/cell_values.hpp"
#include "read/delimited.hpp"

// The first rows of a table, cell by cell: what header, names and kinds of columns are guessed
// from.
namespace sfg::detail {

struct FirstCell {
  std::string text;
  CellValue value;
  bool has_quotes = false;
  bool is_quoted = false;  ///< has quotes that it does not need
  bool has_point = false;  ///< written with a decimal mark or an exponent
  bool holds_separator = false;

  [[nodiscard]] bool is_text() const noexcept { return value.kind == CellKind::text; }
  [[nodiscard]] bool is_missing() const noexcept { return value.kind == CellKind::missing; }
};

struct FirstRow {
  std::vector<FirstCell> cells;
  std::size_t start = 0;  ///< where it starts in the text
};

/// At least the first three rows; up to 64 where they are not too wide.
[[nodiscard]] std::vector<FirstRow> read_first_rows(const TextSource& source, std::string_view body,
                                                    const Dialect& dialect,
                                                    const NumberStyle& style);

/// The decimal mark that these rows are written with (read/dialect.hpp has the rule).
[[nodiscard]] char guess_decimal(const std::vector<FirstRow>& rows, char separator);

/// The cells again, with another decimal mark.
void read_again(std::vector<FirstRow>& rows, const NumberStyle& style);

}  // namespace sfg::detail
