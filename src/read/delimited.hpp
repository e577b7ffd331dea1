#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/text_source.hpp"
#include "read/dialect.hpp"
#include "sfg/read.hpp"

// Rows and cells of a CSV or TSV text.
namespace sfg::detail {

/// One row after the other, without its line end. A quote opens a quoted part only at the start of
/// a cell; inside, separators and line ends are text and a quote is doubled. Lines that start with
/// the dialect's comment mark are passed over.
class RowScanner {
 public:
  /// Scans `part` of the source, which must start at a row.
  RowScanner(const TextSource& source, std::string_view part, const Dialect& dialect)
      : source_(source), part_(part), dialect_(dialect) {}

  /// Nothing at the end. Throws malformed_input for a quote that is never closed.
  [[nodiscard]] std::optional<std::string_view> next();
  /// Where the next row starts in `part`.
  [[nodiscard]] std::size_t position() const noexcept { return position_; }

 private:
  [[nodiscard]] std::size_t find(char wanted, std::size_t from) const noexcept;
  [[nodiscard]] bool opens_cell(std::size_t quote, std::size_t row_start) const noexcept;
  [[nodiscard]] std::size_t end_of_quoted(std::size_t quote) const;
  void skip_comments() noexcept;

  const TextSource& source_;
  std::string_view part_;
  const Dialect& dialect_;
  std::size_t position_ = 0;
  // Found once and kept until passed: a row with many quotes is not searched again and again.
  std::optional<std::size_t> next_quote_;
  std::optional<std::size_t> next_line_end_;
};

/// One cell after the other of a row, as it stands there: with blanks and quotes. Where blanks
/// separate, any number of them does.
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

/// Whether a cell is in quotes.
[[nodiscard]] bool is_quoted(std::string_view cell) noexcept;
/// What a cell says: without blanks around it, without quotes. Throws malformed_input for text
/// after a closing quote.
[[nodiscard]] std::string cell_text(const TextSource& source, std::string_view cell);
[[nodiscard]] std::vector<std::string> row_texts(const TextSource& source, std::string_view row,
                                                 char separator);
[[nodiscard]] std::size_t count_cells(std::string_view row, char separator) noexcept;

/// Whether there is nothing in a piece of a row but separators and blanks, also those of other
/// dialects: programs that take a file for another kind of CSV leave such tails ("...;;,,,").
[[nodiscard]] bool is_hollow(std::string_view piece, char separator) noexcept;

}  // namespace sfg::detail
