#include "read/header_rule.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <set>
#include <unordered_set>

namespace sfg::detail {

namespace {

/// Words that stand above names, dates and numbers of samples, and are no name themselves.
constexpr std::array<std::string_view, 30> kCornerWords{
    "id",      "ids",     "sample", "samples", "name",     "names",     "gene",   "genes",
    "probe",   "feature", "index",  "row",     "rowname",  "country",   "region", "subject",
    "patient", "date",    "time",   "year",    "key",      "symbol",    "cell",   "barcode",
    "species", "code",    "label",  "entry",   "spectrum", "wavelength"};
/// Rows below that the range of a column needs before a value can be said to fit in.
constexpr std::size_t kFewestForRange = 3;

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

/// The first row against the rows below that are as long, column by column.
class Comparison {
 public:
  explicit Comparison(const std::vector<FirstRow>& rows) : first_(rows.front().cells) {
    std::size_t n_short = 0;
    for (std::size_t i = 1; i < rows.size(); ++i) {
      n_short += rows[i].cells.size() == first_.size() + 1 && !rows[i].cells.back().text.empty();
    }
    is_one_short_ = rows.size() > 1 && n_short == rows.size() - 1;
    for (std::size_t i = 1; i < rows.size(); ++i) {
      if (rows[i].cells.size() >= first_.size() + offset()) below_.push_back(&rows[i].cells);
    }
  }

  [[nodiscard]] HeaderGuess guess() const;

 private:
  [[nodiscard]] std::size_t offset() const { return is_one_short_ ? 1 : 0; }
  [[nodiscard]] const FirstCell& below(std::size_t row, std::size_t column) const {
    return (*below_[row])[column + offset()];
  }
  template <typename Test>
  [[nodiscard]] std::size_t count_below(std::size_t column, Test test) const {
    std::size_t count = 0;
    for (std::size_t i = 0; i < below_.size(); ++i) count += test(below(i, column)) ? 1 : 0;
    return count;
  }
  [[nodiscard]] bool is_number_column(std::size_t column) const {
    const auto n_values =
        count_below(column, [](const FirstCell& cell) { return cell.value.is_value(); });
    return n_values > count_below(column, std::mem_fn(&FirstCell::is_text));
  }
  [[nodiscard]] bool is_text_column(std::size_t column) const {
    return !is_number_column(column) && count_below(column, std::mem_fn(&FirstCell::is_text)) > 0;
  }

  [[nodiscard]] bool is_quoted_over_plain() const;
  [[nodiscard]] bool has_names_below() const;
  [[nodiscard]] bool has_empty_corner() const;
  [[nodiscard]] NumberHeadings judge_numbers() const;
  [[nodiscard]] HeaderGuess guess_by_numbers() const;
  [[nodiscard]] HeaderGuess guess_by_texts(const std::vector<std::size_t>& texts) const;
  [[nodiscard]] bool occurs_below(std::size_t column) const;
  [[nodiscard]] bool looks_like_below(std::size_t column) const;
  [[nodiscard]] bool differs_from_numbered(std::size_t column) const;
  [[nodiscard]] bool fits_into_columns() const;

  const std::vector<FirstCell>& first_;
  std::vector<const std::vector<FirstCell>*> below_;
  bool is_one_short_ = false;
};

/// All headings in quotes that need none, while the numbers below have none.
bool Comparison::is_quoted_over_plain() const {
  bool any = false;
  for (const FirstCell& cell : first_) {
    if (cell.is_quoted) any = any || !cell.text.empty();
    if (!cell.is_quoted && !cell.text.empty()) return false;
  }
  if (!any) return false;
  bool has_plain = false;
  for (std::size_t j = 0; j < first_.size(); ++j) {
    const auto n_quoted = count_below(j, [](const FirstCell& cell) { return cell.is_quoted; });
    if (n_quoted == 0 && is_number_column(j)) has_plain = true;
  }
  return has_plain;
}

/// Whether the first column below may be row names: none missing, all different, and texts, whole
/// numbers or numbers in order.
bool Comparison::has_names_below() const {
  std::set<std::string_view> seen;
  bool is_whole = true;
  bool is_text = false;
  std::vector<double> values;
  for (const auto* row : below_) {
    const FirstCell& cell = row->front();
    if (cell.is_missing() || !seen.insert(cell.text).second) return false;
    is_whole = is_whole && !cell.has_point;
    is_text = is_text || cell.is_text();
    values.push_back(cell.value.value);
  }
  return !below_.empty() && (is_text || is_whole || std::ranges::is_sorted(values));
}

/// Nothing in the corner, names below it, and no gap among the headings.
bool Comparison::has_empty_corner() const {
  return first_.size() > 1 && first_[0].text.empty() &&
         std::none_of(first_.begin() + 1, first_.end(), std::mem_fn(&FirstCell::is_missing)) &&
         has_names_below();
}

NumberHeadings Comparison::judge_numbers() const {
  std::vector<const FirstCell*> headings;
  std::vector<std::size_t> columns;
  for (std::size_t j = 0; j < first_.size(); ++j) {
    const bool is_corner = j == 0 && offset() == 0 && !first_[0].value.is_value();
    if (is_corner || is_text_column(j)) continue;
    headings.push_back(&first_[j]);
    columns.push_back(j);
  }
  std::vector<std::vector<const FirstCell*>> rows;
  for (std::size_t i = 0; i < below_.size(); ++i) {
    auto& row = rows.emplace_back();
    for (const std::size_t j : columns) row.push_back(&below(i, j));
  }
  return judge_number_headings(headings, rows);
}

HeaderGuess Comparison::guess_by_numbers() const {
  switch (judge_numbers()) {
    case NumberHeadings::yes:
      return {true, true, "its numbers look like names of columns"};
    case NumberHeadings::perhaps:
      return {false, true, "though its numbers are in order"};
    case NumberHeadings::no:
      break;
  }
  return {};
}

bool Comparison::occurs_below(std::size_t column) const {
  return count_below(column,
                     [&](const FirstCell& cell) { return cell.text == first_[column].text; }) > 0;
}

/// s1 over s2, s3; a date over dates: the same form, with digits in it.
bool Comparison::looks_like_below(std::size_t column) const {
  const std::string shape = name_form(first_[column].text);
  return shape.find('9') != std::string::npos && !below_.empty() &&
         count_below(column, [&](const FirstCell& cell) {
           return name_form(cell.text) == shape;
         }) == below_.size();
}

/// "id" over s1, s2: all names below have digits, and it has none.
bool Comparison::differs_from_numbered(std::size_t column) const {
  const auto has_digit = [](const FirstCell& cell) {
    return name_form(cell.text).find('9') != std::string::npos;
  };
  return !has_digit(first_[column]) && count_below(column, has_digit) == below_.size();
}

/// Whether half of the numbers lie among those of their columns.
bool Comparison::fits_into_columns() const {
  std::size_t n_numbers = 0;
  std::size_t n_inside = 0;
  for (std::size_t j = 0; j < first_.size(); ++j) {
    const double value = first_[j].value.value;
    if (!first_[j].value.is_value() || !is_number_column(j)) continue;
    ++n_numbers;
    const auto n_low = count_below(j, [&](const FirstCell& cell) {
      return cell.value.is_value() && cell.value.value <= value;
    });
    const auto n_high = count_below(j, [&](const FirstCell& cell) {
      return cell.value.is_value() && cell.value.value >= value;
    });
    n_inside += n_low > 0 && n_high > 0 ? 1 : 0;
  }
  return 2 * n_inside >= n_numbers;
}

/// Texts of the first row that all stand over texts.
HeaderGuess Comparison::guess_by_texts(const std::vector<std::size_t>& texts) const {
  for (const std::size_t j : texts) {
    if (occurs_below(j) || looks_like_below(j)) return {};
  }
  const bool has_numbers =
      std::ranges::any_of(first_, [](const FirstCell& cell) { return cell.value.is_value(); });
  if (!has_numbers) return {true};
  for (const std::size_t j : texts) {
    if (is_corner_word(first_[j].text) || differs_from_numbered(j)) return {true};
  }
  if (has_empty_corner() || judge_numbers() == NumberHeadings::yes) return {true};
  const bool is_data = below_.size() >= kFewestForRange
                           ? fits_into_columns()
                           : std::ranges::any_of(first_, &FirstCell::has_point);
  if (is_data) return {false, true, "its numbers are like those below"};
  return {true, true, "its numbers are not like those below"};
}

HeaderGuess Comparison::guess() const {
  std::vector<std::size_t> over_texts;
  std::size_t n_over_numbers = 0;
  std::size_t n_decimals = 0;
  for (std::size_t j = 0; j < first_.size(); ++j) {
    if (first_[j].is_text() && is_text_column(j)) over_texts.push_back(j);
    n_over_numbers += first_[j].is_text() && !is_text_column(j) ? 1 : 0;
    n_decimals += first_[j].value.is_value() && first_[j].has_point && is_number_column(j) ? 1 : 0;
  }
  if (below_.empty()) return {n_over_numbers > (first_[0].is_text() ? 1U : 0U)};
  if (n_over_numbers > 0) {
    // One odd cell among measurements is no header.
    const bool is_data = n_decimals > n_over_numbers && below_.size() >= kFewestForRange &&
                         judge_numbers() == NumberHeadings::no && fits_into_columns();
    if (is_data) return {false, true, "most of its cells are numbers like those below"};
    return {true};
  }
  if (is_quoted_over_plain()) return {true};
  if (!over_texts.empty()) return guess_by_texts(over_texts);
  const bool has_values =
      std::ranges::any_of(first_, [](const FirstCell& cell) { return cell.value.is_value(); });
  if (!has_values) return {};
  if (is_one_short_) {
    const bool has_text_names = below_.front()->front().is_text();
    if (has_text_names && has_names_below()) return {true};
    return judge_numbers() == NumberHeadings::yes ? HeaderGuess{true} : HeaderGuess{};
  }
  if (has_empty_corner()) return {true};
  return guess_by_numbers();
}

}  // namespace

bool is_corner_word(std::string_view text) {
  std::string word;
  for (const char c : lower(text) + " ") {
    if ((c >= 'a' && c <= 'z')) {
      word += c;
      continue;
    }
    if (std::ranges::find(kCornerWords, word) != kCornerWords.end()) return true;
    word.clear();
  }
  return false;
}

std::string name_form(std::string_view text) {
  std::string shape;
  for (const char c : text) {
    const bool is_letter =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || static_cast<unsigned char>(c) >= 0x80;
    const char kind = c >= '0' && c <= '9' ? '9' : is_letter ? 'a' : c;
    const bool is_run = kind == '9' || kind == 'a';
    if (!is_run || !shape.ends_with(kind)) shape += kind;
  }
  return shape;
}

HeaderGuess guess_header(const std::vector<FirstRow>& rows,
                         const std::vector<std::string>& known_names) {
  const auto& first = rows.front().cells;
  if (!known_names.empty()) {
    std::unordered_set<std::string_view> headings;
    for (const FirstCell& cell : first) headings.insert(cell.text);
    const auto n_found = std::ranges::count_if(
        known_names, [&](const std::string& name) { return headings.contains(name); });
    if (static_cast<std::size_t>(n_found) == known_names.size()) return {true};
  }
  return Comparison(rows).guess();
}

}  // namespace sfg::detail
