#include "read/cell_values.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "core/missing_words.hpp"
#include "core/text.hpp"

namespace sfg::detail {

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
/// Longer texts are no numbers with marks in them.
constexpr std::size_t kLongestNumber = 64;
constexpr std::size_t kDigitsInGroup = 3;

bool is_digit(char c) noexcept {
  return c >= '0' && c <= '9';
}

/// Whether two texts are equal but for the case of ASCII letters; `lower` is in lower case.
bool equals_lower(std::string_view text, std::string_view lower) noexcept {
  return std::ranges::equal(text, lower, [](char a, char b) {
    return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
  });
}

/// Length of the mark between thousands at this place, 0 if there is none: a blank that does not
/// break (U+00A0, U+202F), a blank, an apostrophe, or the comma or point that is not the decimal
/// mark.
std::size_t group_mark(std::string_view rest, char decimal) noexcept {
  if (rest.starts_with("\xc2\xa0")) return 2;
  if (rest.starts_with("\xe2\x80\xaf")) return 3;
  const char c = rest.empty() ? '\0' : rest.front();
  const bool is_mark = c == ' ' || c == '\'' || c == (decimal == '.' ? ',' : '.');
  return is_mark ? 1 : 0;
}

std::size_t count_digits(std::string_view text) noexcept {
  return static_cast<std::size_t>(std::ranges::find_if_not(text, is_digit) - text.begin());
}

/// The number as from_chars reads it: without marks between thousands, with a decimal point.
/// Nothing if the marks are not where they belong.
std::optional<std::string> plain_number(std::string_view text, char decimal) {
  if (text.size() > kLongestNumber) return std::nullopt;
  std::string plain;
  if (text.starts_with('-') || text.starts_with('+')) {
    if (text.front() == '-') plain = '-';
    text.remove_prefix(1);
  }
  const std::size_t first = count_digits(text);
  plain += text.substr(0, first);
  text.remove_prefix(first);
  if (const std::size_t mark = group_mark(text, decimal); mark > 0) {
    // "0,123" has no thousands: nobody starts a number of them with a zero.
    const bool is_zero = first == 1 && plain.ends_with('0');
    if (first == 0 || first > kDigitsInGroup || is_zero) return std::nullopt;
    while (!text.empty() && group_mark(text, decimal) == mark) {
      text.remove_prefix(mark);
      if (count_digits(text) != kDigitsInGroup) return std::nullopt;
      plain += text.substr(0, kDigitsInGroup);
      text.remove_prefix(kDigitsInGroup);
    }
  }
  if (text.starts_with(decimal)) {
    plain += '.';
    text.remove_prefix(1);
  }
  // What is left must be digits and an exponent: a further mark has no place here.
  if (text.find_first_of(decimal == '.' ? ",'" : ".,'") != std::string_view::npos) {
    return std::nullopt;
  }
  return plain.append(text);
}

/// 1.5D+02, as Fortran writes double precision. With a point, as "3D2" is a name.
void read_fortran_exponent(std::string& number) {
  const auto mark = number.find_first_of("dD");
  if (mark == std::string::npos || number.find('.') > mark) return;
  number[mark] = 'e';
}

std::optional<double> number_in(std::string_view text, char decimal) {
  constexpr std::string_view kTypeset = "\xe2\x88\x92";  // U+2212, the minus of printed tables
  if (text.starts_with(kTypeset)) {
    const auto rest = text.substr(kTypeset.size());
    if (rest.empty() || (!is_digit(rest.front()) && rest.front() != decimal)) return std::nullopt;
    const auto number = number_in(rest, decimal);
    return number ? std::optional(-*number) : std::nullopt;
  }
  const auto plain = parse_number(text);
  const bool has_point = text.find('.') != std::string_view::npos;
  if (plain && (decimal == '.' || !has_point)) return plain;
  // Only what starts like a number can be one with marks: most texts are told here.
  if (text.empty() || (!is_digit(text.front()) && text.find_first_of("+-.,") != 0)) {
    return std::nullopt;
  }
  auto rewritten = plain_number(text, decimal);
  if (rewritten) read_fortran_exponent(*rewritten);
  return rewritten ? parse_number(*rewritten) : std::nullopt;
}

constexpr std::array<std::string_view, 4> kCurrencies{"$", "\xe2\x82\xac", "\xc2\xa3", "\xc2\xa5"};

/// $5.10, -$5, 5,10 €: without the sign of the currency; nothing if there is none.
std::optional<std::string> without_currency(std::string_view text) {
  const bool is_negative = text.starts_with('-');
  const auto rest = is_negative ? text.substr(1) : text;
  for (const auto sign : kCurrencies) {
    const bool is_first = rest.starts_with(sign);
    if (!is_first && !rest.ends_with(sign)) continue;
    const auto amount =
        is_first ? rest.substr(sign.size()) : rest.substr(0, rest.size() - sign.size());
    return (is_negative ? "-" : "") + std::string(trimmed(amount));
  }
  return std::nullopt;
}

/// What the C library of Windows wrote for an infinite number.
std::optional<double> windows_infinity(std::string_view text) {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  if (text == "1.#INF") return kInfinite;
  return text == "-1.#INF" ? std::optional(-kInfinite) : std::nullopt;
}

}  // namespace

NumberStyle NumberStyle::of(const ReadOptions& options) {
  NumberStyle style;
  for (const std::string& given : options.na_values) {
    const auto text = trimmed(given);
    if (const auto number = parse_number(text)) {
      style.missing_numbers.push_back(*number);
    } else {
      style.missing_texts.emplace_back(text);
    }
  }
  return style;
}

bool NumberStyle::is_missing(double value) const noexcept {
  return std::ranges::find(missing_numbers, value) != missing_numbers.end();
}

CellValue read_cell(std::string_view text, const NumberStyle& style) {
  if (is_missing_word(text) ||
      std::ranges::find(style.missing_texts, text) != style.missing_texts.end()) {
    return {CellKind::missing, kNan};
  }
  if (const auto number = number_in(text, style.decimal)) {
    const bool is_missing = std::isnan(*number) || style.is_missing(*number);
    return is_missing ? CellValue{CellKind::missing, kNan} : CellValue{CellKind::number, *number};
  }
  if (text.ends_with('%')) {
    constexpr double kWhole = 100;
    const auto number = number_in(trimmed(text.substr(0, text.size() - 1)), style.decimal);
    if (number && std::isfinite(*number)) return {CellKind::percent, *number / kWhole};
  }
  if (const auto amount = without_currency(text)) {
    const auto number = number_in(*amount, style.decimal);
    if (number && std::isfinite(*number)) return {CellKind::currency, *number};
  }
  if (const auto infinite = windows_infinity(text)) return {CellKind::number, *infinite};
  if (equals_lower(text, "true")) return {CellKind::flag, 1};
  if (equals_lower(text, "false")) return {CellKind::flag, 0};
  return {CellKind::text, kNan};
}

bool could_have_decimal_comma(std::string_view text) {
  const auto comma = text.find(',');
  if (comma == std::string_view::npos || comma + 1 == text.size()) return false;
  const auto number = number_in(text, ',');
  return number && std::isfinite(*number);
}

bool has_decimal_comma(std::string_view text) {
  return could_have_decimal_comma(text) && !number_in(text, '.');
}

}  // namespace sfg::detail
