#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/text_source.hpp"
#include "sfg/read.hpp"

// The parts of the CSV and TSV reader: rows and cells of a text, what each column means.
namespace sfg::detail {

/// One row after the other, without its line end. A quote opens a quoted part only at the start of
/// a cell; inside, separators and line ends are text and a quote is doubled.
class RowScanner {
 public:
  /// Scans `part` of the source, which must start at a row.
  RowScanner(const TextSource& source, std::string_view part, char separator)
      : source_(source), part_(part), separator_(separator) {}

  /// Nothing at the end. Throws malformed_input for a quote that is never closed.
  [[nodiscard]] std::optional<std::string_view> next();
  /// Where the next row starts in `part`.
  [[nodiscard]] std::size_t position() const noexcept { return position_; }

 private:
  [[nodiscard]] std::size_t find(char wanted, std::size_t from) const noexcept;
  [[nodiscard]] bool opens_cell(std::size_t quote, std::size_t row_start) const noexcept;
  [[nodiscard]] std::size_t end_of_quoted(std::size_t quote) const;

  const TextSource& source_;
  std::string_view part_;
  char separator_;
  std::size_t position_ = 0;
  // Found once and kept until passed: a row with many quotes is not searched again and again.
  std::optional<std::size_t> next_quote_;
  std::optional<std::size_t> next_line_end_;
};

/// One cell after the other of a row, as it stands there: with blanks and quotes.
class CellScanner {
 public:
  CellScanner(std::string_view row, char separator) : row_(row), separator_(separator) {}
  /// Nothing after the last cell; an empty row has one empty cell.
  [[nodiscard]] std::optional<std::string_view> next() noexcept;

 private:
  std::string_view row_;
  char separator_;
  std::size_t position_ = 0;
  bool is_done_ = false;
};

/// What a cell says: without blanks around it, without quotes. Throws malformed_input for text
/// after a closing quote.
[[nodiscard]] std::string cell_text(const TextSource& source, std::string_view cell);
[[nodiscard]] std::vector<std::string> row_texts(const TextSource& source, std::string_view row,
                                                 char separator);
[[nodiscard]] std::size_t count_cells(std::string_view row, char separator) noexcept;

/// "", NA, N/A, NaN, nan, null, NULL, None, "?" and ".".
[[nodiscard]] bool is_missing(std::string_view text) noexcept;

/// The separator that occurs most often in the first line outside quotes: ',' ';' or tab.
[[nodiscard]] char guess_separator(std::string_view text) noexcept;

enum class CellRole : std::uint8_t { number, row_name, label };

/// What each cell of a row is.
struct TableLayout {
  char separator = ',';
  std::string_view data;              ///< the rows below the header
  std::vector<std::string> headings;  ///< one per cell, or none
  std::vector<CellRole> roles;        ///< one per cell
  std::size_t n_numbers = 0;          ///< cells that are numbers

  [[nodiscard]] bool has(CellRole role) const noexcept;
  [[nodiscard]] std::string heading_of(CellRole role) const;
};

/// Throws malformed_input (no rows, no feature columns, a header that does not fit its rows),
/// inconsistent_input (no such sample column) or invalid_option.
[[nodiscard]] TableLayout find_layout(const TextSource& source, char separator,
                                      const ReadOptions& options);

/// Throws malformed_input for a row with the wrong number of cells.
[[noreturn]] void refuse_ragged(const TextSource& source, std::string_view row,
                                const TableLayout& layout);

}  // namespace sfg::detail
