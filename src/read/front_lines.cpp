#include "read/front_lines.hpp"

#include <algorithm>
#include <functional>
#include <map>

#include "read/header_rule.hpp"

namespace sfg::detail {

namespace {

/// Rows that have to agree on their length, and on being numbers.
constexpr std::size_t kRowsThatAgree = 2;

std::size_t n_filled(const FirstRow& row) {
  return static_cast<std::size_t>(
      std::ranges::count_if(row.cells, [](const FirstCell& cell) { return !cell.text.empty(); }));
}

/// The length of most rows, the longer one in a tie; 0 if no two are equally long.
std::size_t usual_length(const std::vector<FirstRow>& rows) {
  std::map<std::size_t, std::size_t> rows_of;
  for (const FirstRow& row : rows) ++rows_of[row.cells.size()];
  std::size_t length = 0;
  std::size_t most = kRowsThatAgree;
  for (const auto& [n_cells, count] : rows_of) {
    if (count < most) continue;
    length = n_cells;
    most = count;
  }
  return length;
}

/// Cells up to the last one that is filled.
std::size_t filled_length(const FirstRow& row) {
  std::size_t length = row.cells.size();
  while (length > 0 && row.cells[length - 1].text.empty()) --length;
  return length;
}

/// One text alone, nothing at all, or shorter than a header without the heading of the row names.
bool may_be_title(const FirstRow& row, std::size_t length) {
  if (filled_length(row) + 1 < length) return true;
  const std::size_t filled = n_filled(row);
  return filled == 0 ||
         (filled == 1 && row.cells.front().is_text() && (length > 2 || row.cells.size() == 1));
}

}  // namespace

std::optional<SeparatorLine> separator_line(std::string_view text) noexcept {
  constexpr std::string_view kMark = "sep=";
  if (text.size() <= kMark.size() + 1) return std::nullopt;
  const auto is_equal = [](char a, char b) {
    return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
  };
  if (!std::ranges::equal(text.substr(0, kMark.size()), kMark, is_equal)) return std::nullopt;
  const char separator = text[kMark.size()];
  std::size_t end = kMark.size() + 1;
  if (separator == '\r' || separator == '\n') return std::nullopt;
  if (text[end] == '\r') ++end;
  if (end < text.size() && text[end] == '\n') return SeparatorLine{separator, end + 1};
  return text[end - 1] == '\r' ? std::optional(SeparatorLine{separator, end}) : std::nullopt;
}

std::size_t count_titles(const std::vector<FirstRow>& rows,
                         const std::vector<std::string>& known_names) {
  const std::size_t length = usual_length(rows);
  std::size_t n_titles = 0;
  while (n_titles < rows.size() && may_be_title(rows[n_titles], length)) ++n_titles;
  if (length < 2 || n_titles == 0 || n_titles + kRowsThatAgree > rows.size()) return 0;
  // What is all empty is for others to judge.
  if (std::all_of(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(n_titles),
                  [](const FirstRow& row) { return n_filled(row) == 0; })) {
    return 0;
  }
  const std::vector<FirstRow> rest(rows.begin() + static_cast<std::ptrdiff_t>(n_titles),
                                   rows.end());
  const auto& header = rest.front().cells;
  const bool has_texts = std::ranges::any_of(header, std::mem_fn(&FirstCell::is_text));
  const HeaderGuess guess = guess_header(rest, known_names);
  return has_texts && header.size() + 1 >= length && guess.is_header && !guess.is_open ? n_titles
                                                                                       : 0;
}

bool is_units_row(const std::vector<FirstRow>& rows, std::size_t at) {
  if (at + kRowsThatAgree >= rows.size()) return false;
  const auto& units = rows[at].cells;
  std::size_t n_texts = 0;
  std::size_t n_numbers = 0;
  for (std::size_t j = 0; j < units.size(); ++j) {
    const FirstCell& unit = units[j];
    const bool is_bound = unit.text.starts_with('<') || unit.text.starts_with('>');
    if (unit.value.is_value() || is_bound) return false;
    const bool is_number_column = std::all_of(
        rows.begin() + static_cast<std::ptrdiff_t>(at) + 1, rows.end(),
        [&](const FirstRow& row) { return j < row.cells.size() && !row.cells[j].is_text(); });
    if (!is_number_column) continue;
    ++n_numbers;
    n_texts += unit.is_text() ? 1 : 0;
  }
  return n_numbers >= 2 && 2 * n_texts >= n_numbers;
}

}  // namespace sfg::detail
