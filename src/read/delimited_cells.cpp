// Rows and cells of CSV and TSV text.
#include <algorithm>
#include <array>
#include <cstring>

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
  while (before > row_start && is_blank(part_[before - 1]) && part_[before - 1] != separator_) {
    --before;
  }
  return before == row_start || part_[before - 1] == separator_;
}

std::size_t RowScanner::end_of_quoted(std::size_t quote) const {
  const auto end = skip_quoted(part_, quote);
  if (!end) {
    source_.refuse(part_.data() + quote,
                   "a quote is opened here and never closed; close it, or double it if it is text");
  }
  return *end;
}

std::optional<std::string_view> RowScanner::next() {
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
  const std::size_t start = position_;
  std::size_t from = start;
  while (from < row_.size() && is_blank(row_[from]) && row_[from] != separator_) ++from;
  if (from < row_.size() && row_[from] == kQuote) from = skip_quoted(row_, from).value_or(from);
  const auto end = row_.find(separator_, from);
  is_done_ = end == std::string_view::npos;
  position_ = is_done_ ? row_.size() : end + 1;
  return row_.substr(start, is_done_ ? end : end - start);
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

bool is_missing(std::string_view text) noexcept {
  constexpr std::array<std::string_view, 10> kMissing{"",     "NA",   "N/A",  "NaN", "nan",
                                                      "null", "NULL", "None", "?",   "."};
  return std::ranges::find(kMissing, text) != kMissing.end();
}

char guess_separator(std::string_view text) noexcept {
  constexpr std::string_view kCandidates = ",;\t";
  std::array<std::size_t, kCandidates.size()> counts{};
  const auto first = std::min(text.find_first_not_of(" \r\n"), text.size());
  bool is_quoted = false;
  for (const char c : text.substr(first)) {
    if (c == kQuote) is_quoted = !is_quoted;
    if (is_quoted) continue;
    if (c == '\n' || c == '\r') break;
    const auto candidate = kCandidates.find(c);
    if (candidate != std::string_view::npos) ++counts[candidate];
  }
  const auto most = std::ranges::max_element(counts) - counts.begin();
  return kCandidates[most];
}

}  // namespace sfg::detail
