#include "read/column_roles.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <unordered_set>

#include "core/missing_words.hpp"
#include "core/text.hpp"

namespace sfg::detail {

namespace {

/// Odd values that a column of numbers may have: one in so many.
constexpr std::int64_t kOneOddIn = 10;
/// A column with more different values than this is no category.
constexpr std::size_t kMostCategories = 64;
/// Values that are looked at to tell dates and times.
constexpr std::size_t kValuesForKind = 1000;

struct ValueCounts {
  std::int64_t n_values = 0;
  std::int64_t n_odd = 0;

  [[nodiscard]] bool are_numbers() const noexcept {
    return n_values > 0 && n_odd * kOneOddIn <= n_values + n_odd;
  }
};

/// Counts until more than one in `one_odd_in` of all values are odd: then the rest cannot change
/// the judgement.
ValueCounts count_texts(const std::vector<std::string>& values, const NumberStyle& style,
                        std::int64_t one_odd_in = kOneOddIn) {
  ValueCounts counts;
  for (const std::string& text : values) {
    if (counts.n_odd * one_odd_in > static_cast<std::int64_t>(values.size())) break;
    const CellValue value = read_cell(text, style);
    counts.n_values += value.is_value() ? 1 : 0;
    counts.n_odd += value.kind == CellKind::text ? 1 : 0;
  }
  return counts;
}

ValueCounts count_numbers(const ParsedColumns& parsed, std::size_t number, std::int64_t n_odd) {
  const auto column = parsed.numbers.column(static_cast<Index>(number));
  const auto n_missing =
      std::ranges::count_if(column, [](double value) { return std::isnan(value); });
  return {static_cast<std::int64_t>(column.size()) - n_missing, n_odd};
}

/// Digits, a mark, digits, the same mark again, digits: 10/03/2004, 2004-03-10, 10.03.2004.
bool is_date(std::string_view text) {
  const auto digits = [&] {
    const auto n = std::min(text.find_first_not_of("0123456789"), text.size());
    text.remove_prefix(n);
    return n;
  };
  constexpr std::size_t kYear = 4;
  const auto first = digits();
  const char mark = text.empty() ? '\0' : text.front();
  if (first == 0 || first > kYear || (mark != '/' && mark != '-' && mark != '.')) return false;
  text.remove_prefix(1);
  const auto second = digits();
  if (second == 0 || second > 2 || !text.starts_with(mark)) return false;
  text.remove_prefix(1);
  const auto third = digits();
  const bool has_year =
      first == kYear || third == kYear || (first <= 2 && third == 2 && mark != '.');
  const bool ends = text.empty() || text.front() == ' ' || text.front() == 'T';
  return third > 0 && third <= kYear && has_year && ends;
}

/// 1 Jan 2020, 01-Jan-20, Jan 1, 2020: a month by its English name among numbers.
bool is_written_date(std::string_view text) {
  constexpr std::string_view kMonths = "janfebmaraprmayjunjulaugsepoctnovdec";
  constexpr std::size_t kLetters = 3;
  std::string letters;
  std::size_t n_words = 0;
  std::size_t n_digits = 0;
  char before = ' ';
  for (const char c : text) {
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    const bool was_letter = (before >= 'a' && before <= 'z') || (before >= 'A' && before <= 'Z');
    n_words += is_letter && !was_letter ? 1 : 0;
    if (is_letter) letters += static_cast<char>(c | 0x20);
    n_digits += c >= '0' && c <= '9' ? 1 : 0;
    if (!is_letter && (c < '0' || c > '9') && c != ' ' && c != '-' && c != ',' && c != '.') {
      return false;
    }
    before = c;
  }
  const auto place = letters.size() < kLetters ? std::string_view::npos
                                               : kMonths.find(letters.substr(0, kLetters));
  return n_words == 1 && n_digits >= 2 && place != std::string_view::npos && place % kLetters == 0;
}

/// Without AM or PM at its end.
std::string_view without_half_day(std::string_view text) {
  for (const std::string_view half : {"AM", "PM", "am", "pm"}) {
    if (text.ends_with(half)) return trimmed(text.substr(0, text.size() - half.size()));
  }
  return text;
}

/// 10.28 mm, 5.1±0.2, 12,5 kg: a decimal number with something behind it, and no date.
bool is_measured(std::string_view text) {
  const auto skip_digits = [&] {
    const auto n = std::min(text.find_first_not_of("0123456789"), text.size());
    text.remove_prefix(n);
    return n;
  };
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  if (skip_digits() == 0 || text.empty() || (text.front() != '.' && text.front() != ',')) {
    return false;
  }
  const char mark = text.front();
  text.remove_prefix(1);
  return skip_digits() > 0 && !text.starts_with(mark) && !text.starts_with('_') &&
         !text.starts_with('-');
}

/// 18:00, 18:00:05, 18.00.00, 18:00:05.250
bool is_time(std::string_view text) {
  text = without_half_day(text);
  if (text.size() < 4 || text.find_first_not_of("0123456789:.") != std::string_view::npos) {
    return false;
  }
  const auto mark = text.find_first_of(":.");
  if (mark == 0 || mark > 2) return false;
  const char c = text[mark];
  const auto n_marks = std::ranges::count(text, c);
  return c == ':' ? n_marks <= 2 : n_marks == 2 && text.size() <= 8;
}

template <typename Test>
bool all_values(const std::vector<std::string>& values, Test test) {
  std::size_t n_seen = 0;
  for (const std::string& value : values) {
    if (is_missing_word(value)) continue;
    if (!test(value)) return false;
    if (++n_seen == kValuesForKind) break;
  }
  return n_seen > 0;
}

class RoleJudge {
 public:
  RoleJudge(TableLayout& layout, const ParsedColumns& parsed) : layout_(layout), parsed_(parsed) {}

  bool change() {
    bool changed = needs_decimal_comma();
    if (changed) layout_.style.decimal = ',';
    std::size_t n_numbers = 0;
    std::size_t n_texts = 0;
    for (std::size_t j = 0; j < layout_.columns.size(); ++j) {
      Column& column = layout_.columns[j];
      const CellRole before = column.role;
      if (!column.is_fixed && !changed) judge(j, n_numbers, n_texts);
      n_numbers += before == CellRole::number ? 1 : 0;
      n_texts += before == CellRole::text ? 1 : 0;
      has_changed_ = has_changed_ || column.role != before;
    }
    return has_changed_ || changed;
  }

 private:
  /// Whole numbers first and decimal commas only later in the file.
  [[nodiscard]] bool needs_decimal_comma() const {
    if (!layout_.is_decimal_guessed || layout_.style.decimal == ',' || layout_.has_points) {
      return false;
    }
    std::size_t n_odd = 0;
    for (const ColumnCounts& counts : parsed_.counts) {
      for (const OddCell& cell : counts.odd) {
        if (!has_decimal_comma(cell.text)) return false;
        ++n_odd;
      }
    }
    return n_odd > 0;
  }

  void judge(std::size_t j, std::size_t number, std::size_t text) {
    Column& column = layout_.columns[j];
    if (column.role == CellRole::number) {
      const std::int64_t n_odd = parsed_.counts[j].n_odd;
      if (n_odd == 0 || count_numbers(parsed_, number, n_odd).are_numbers()) return;
      column.role = j == 0 && can_name_rows() ? CellRole::row_name : CellRole::text;
    } else if (column.role == CellRole::text) {
      if (count_texts(parsed_.texts[text], layout_.style).are_numbers()) {
        column.role = CellRole::number;
      }
    } else if (column.role == CellRole::row_name) {
      judge_names(column);
    }
  }

  /// Whether the texts of the first column are values with units rather than names.
  [[nodiscard]] bool are_measured(const Column& column) const {
    if (column.is_unnamed || layout_.headings.empty() || is_corner_word(layout_.headings[0])) {
      return false;
    }
    return all_values(parsed_.row_names, is_measured);
  }

  void judge_names(Column& column) const {
    const bool are_numbers =
        !column.is_unnamed && count_texts(parsed_.row_names, layout_.style).are_numbers();
    if (are_numbers && !column.has_quotes) {
      column.role = CellRole::number;
    } else if (column.is_measured = are_measured(column);
               column.is_measured || !all_different(parsed_.row_names)) {
      column.role = layout_.has_chosen_columns ? CellRole::skipped : CellRole::text;
      column.is_fixed = true;
    }
  }

  [[nodiscard]] bool can_name_rows() const { return layout_.columns.size() > 1; }

  TableLayout& layout_;
  const ParsedColumns& parsed_;
  bool has_changed_ = false;
};

}  // namespace

bool change_roles(TableLayout& layout, const ParsedColumns& parsed) {
  return RoleJudge(layout, parsed).change();
}

bool is_nearly_numbers(const std::vector<std::string>& values, const NumberStyle& style) {
  const ValueCounts counts = count_texts(values, style, 2);
  return counts.n_values >= counts.n_odd && counts.n_values > 0;
}

TextKind text_kind(const std::vector<std::string>& values) {
  const auto is_any_date = [](const std::string& value) {
    return is_date(value) || is_written_date(value);
  };
  if (all_values(values, is_any_date)) return TextKind::date;
  if (all_values(values, is_time)) return TextKind::time;
  std::unordered_set<std::string_view> different;
  std::size_t n_values = 0;
  for (const std::string& value : values) {
    if (is_missing_word(value)) continue;
    ++n_values;
    different.insert(value);
  }
  if (different.size() == n_values && n_values > 1) return TextKind::name;
  return different.size() <= kMostCategories ? TextKind::category : TextKind::text;
}

bool all_different(const std::vector<std::string>& values) {
  // Hashes first: sorting numbers is quicker than a table of texts.
  std::vector<std::size_t> hashes;
  hashes.reserve(values.size());
  for (const std::string& value : values) hashes.push_back(std::hash<std::string>{}(value));
  std::ranges::sort(hashes);
  if (std::ranges::adjacent_find(hashes) == hashes.end()) return true;
  std::unordered_set<std::string_view> seen;
  return std::ranges::all_of(values,
                             [&](const std::string& value) { return seen.insert(value).second; });
}

}  // namespace sfg::detail
