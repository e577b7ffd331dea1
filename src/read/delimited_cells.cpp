// Rows and cells of CSV and TSV text.
#include <algorithm>

#include "core/text.hpp"
#include "read/delimited.hpp"

namespace sfg::detail {

namespace {

constexpr char kQuote = '"';

bool is_blank(char c) noexcept {
  return c == ' ' || c == '\t';
}

/// Position after the closing quote of the part that opens at `quote`; nothing if it never closes.
std::optional<std::size_t> skip_quoted(std::string_view text, std::size_t quote) noexcept {
  for (std::size_t from = quote + 1;;) {
    const auto close = text.find(kQuote, from);
    if (close == std::string_view::npos) return std::nullopt;
    if (close + 1 == text.size() || text[close + 1] != kQuote) return close + 1;
    from = close + 2;
  }
}

}  // namespace

std::size_t RowScanner::find(char wanted, std::size_t from) const noexcept {
  return std::min(part_.find(wanted, from), part_.size());
}

bool RowScanner::opens_cell(std::size_t quote, std::size_t row_start) const noexcept {
  std::size_t before = quote;
  while (before > row_start && is_blank(part_[before - 1]) &&
         part_[before - 1] != dialect_.separator) {
    --before;
  }
  return before == row_start || part_[before - 1] == dialect_.separator;
}

std::size_t RowScanner::end_of_quoted(std::size_t quote) const {
  const auto end = skip_quoted(part_, quote);
  if (!end) {
    source_.refuse(part_.data() + quote,
                   "a quote is opened here and never closed; close it, or double it if it is text");
  }
  return *end;
}

void RowScanner::skip_comments() noexcept {
  while (part_.substr(position_).starts_with(dialect_.comment)) {
    position_ = find(source_.line_end, position_) + 1;
    if (position_ >= part_.size()) return;
  }
}

std::optional<std::string_view> RowScanner::next() {
  if (!dialect_.comment.empty() && position_ < part_.size()) skip_comments();
  if (position_ >= part_.size()) return std::nullopt;
  const std::size_t start = position_;
  for (std::size_t from = start;;) {
    if (!next_line_end_ || *next_line_end_ < from) next_line_end_ = find(source_.line_end, from);
    if (!next_quote_ || *next_quote_ < from) next_quote_ = find(kQuote, from);
    if (*next_quote_ >= *next_line_end_) break;
    from = opens_cell(*next_quote_, start) ? end_of_quoted(*next_quote_) : *next_quote_ + 1;
  }
  position_ = *next_line_end_ + 1;
  auto row = part_.substr(start, *next_line_end_ - start);
  if (row.ends_with('\r')) row.remove_suffix(1);
  return row;
}

std::optional<std::string_view> CellScanner::next() noexcept {
  if (is_done_) return std::nullopt;
  if (separator_ == ' ') position_ = std::min(row_.find_first_not_of(' ', position_), row_.size());
  const std::size_t start = position_;
  std::size_t from = start;
  while (from < row_.size() && is_blank(row_[from]) && row_[from] != separator_) ++from;
  if (from < row_.size() && row_[from] == kQuote) from = skip_quoted(row_, from).value_or(from);
  const auto end = row_.find(separator_, from);
  is_done_ = end == std::string_view::npos;
  position_ = is_done_ ? row_.size() : end + 1;
  if (separator_ == ' ' && !is_done_) {
    is_done_ = row_.find_first_not_of(' ', position_) == std::string_view::npos;
  }
  return row_.substr(start, end == std::string_view::npos ? end : end - start);
}

std::string cell_text(const TextSource& source, std::string_view cell) {
  const auto text = trimmed(cell);
  if (!text.starts_with(kQuote)) return std::string(text);
  const auto end = skip_quoted(text, 0);
  if (!end || *end != text.size()) {
    source.refuse(text.data(), in_quotes(text) +
                                   " has text after its closing quote; put the whole cell into "
                                   "quotes and double the quotes inside");
  }
  std::string inside;
  for (std::size_t i = 1; i + 1 < text.size(); ++i) {
    inside += text[i];
    if (text[i] == kQuote) ++i;
  }
  return std::string(trimmed(inside));
}

std::vector<std::string> row_texts(const TextSource& source, std::string_view row, char separator) {
  std::vector<std::string> texts;
  CellScanner cells(row, separator);
  while (const auto cell = cells.next()) texts.push_back(cell_text(source, *cell));
  return texts;
}

std::size_t count_cells(std::string_view row, char separator) noexcept {
  std::size_t count = 0;
  CellScanner cells(row, separator);
  while (cells.next()) ++count;
  return count;
}

bool is_quoted(std::string_view cell) noexcept {
  return trimmed(cell).starts_with(kQuote);
}

bool is_hollow(std::string_view piece, char separator) noexcept {
  return std::ranges::all_of(piece, [&](char c) {
    return c == separator || c == ',' || c == ';' || c == '\r' || is_blank(c);
  });
}

}  // namespace sfg::detail
