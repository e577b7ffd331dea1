#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "read/first_rows.hpp"

// What stands in a file beside a header and rows: a line for Excel, titles above the header, units
// below it.
namespace sfg::detail {

/// "sep=;" in the first line, by which Excel is told the separator.
struct SeparatorLine {
  char separator = ',';
  std::size_t length = 0;  ///< with its line end
};
[[nodiscard]] std::optional<SeparatorLine> separator_line(std::string_view text) noexcept;

/// How many of the first rows are titles: texts of one cell, or too short for any header, above a
/// row that is a header of the rest. 0 where nothing below is a header: then a short row is a
/// fault.
[[nodiscard]] std::size_t count_titles(const std::vector<FirstRow>& rows,
                                       const std::vector<std::string>& known_names);

/// Whether the row `at`, the first below the header, gives units ("mm", "kg"): it has texts over
/// columns of numbers and no number itself.
[[nodiscard]] bool is_units_row(const std::vector<FirstRow>& rows, std::size_t at);

}  // namespace sfg::detail
