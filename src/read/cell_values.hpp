#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sfg/read.hpp"

// What the text of a cell means. A cell is a number if people would call it one: 12, -1.5e3, inf;
// with marks between thousands, 1,234.5 or 1.234,5 or 1 234,5; a share, 50.1% = 0.501; an amount of
// money, $5.10; True and False, 1 and 0. It is missing if it is one of the words for that.
// Everything else is text.
namespace sfg::detail {

/// How a file writes its numbers.
struct NumberStyle {
  char decimal = '.';
  std::vector<std::string> missing_texts;  ///< beside the usual words
  std::vector<double> missing_numbers;

  /// From `na_values`; the decimal mark is still to be set.
  static NumberStyle of(const ReadOptions& options);
  [[nodiscard]] bool is_missing(double value) const noexcept;
};

enum class CellKind : std::uint8_t { number, flag, percent, currency, missing, text };

struct CellValue {
  CellKind kind = CellKind::text;
  double value = 0;  ///< NaN if missing or text

  /// Neither missing nor text.
  [[nodiscard]] bool is_value() const noexcept { return kind < CellKind::missing; }
};

/// `text` without blanks around it and without quotes.
[[nodiscard]] CellValue read_cell(std::string_view text, const NumberStyle& style);

/// 2,6 and 0,7578: one comma, and what follows is no group of thousands. Such a cell is a number
/// only where the comma is the decimal mark.
[[nodiscard]] bool has_decimal_comma(std::string_view text);
/// 1,234 or 1.234,5 or 12,5: a number in some file with decimal commas.
[[nodiscard]] bool could_have_decimal_comma(std::string_view text);

}  // namespace sfg::detail
