#include "core/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace sfg {

std::optional<double> parse_number(std::string_view text) noexcept {
  if (!text.empty() && text.front() == '+') {
    text.remove_prefix(1);
    if (!text.empty() && (text.front() == '-' || text.front() == '+')) return std::nullopt;
  }
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (stop != end || text.empty()) return std::nullopt;
  if (error == std::errc::result_out_of_range) {
    // from_chars leaves the value alone: tell overflow from underflow by the sign of the exponent.
    const auto exponent = text.find_first_of("eE");
    const bool tiny = exponent != std::string_view::npos
                          ? text.substr(exponent + 1).starts_with('-')
                          : text.find_first_of("123456789") > text.find('.');
    const double magnitude = tiny ? 0.0 : std::numeric_limits<double>::infinity();
    return text.front() == '-' ? -magnitude : magnitude;
  }
  if (error != std::errc{}) return std::nullopt;
  return value;
}

std::string format_number(double value) {
  std::array<char, 32> buffer{};
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return {buffer.data(), result.ptr};
}

std::string format_bytes(double bytes) {
  constexpr std::array kUnits{"B", "kB", "MB", "GB", "TB", "PB"};
  std::size_t unit = 0;
  while (bytes >= 1000 && unit + 1 < kUnits.size()) {
    bytes /= 1000;
    ++unit;
  }
  const int digits = unit == 0 || bytes >= 100 ? 0 : 1;
  return fmt::format("{:.{}f} {}", bytes, digits, kUnits[unit]);
}

std::string format_r2(double r2) {
  double smallest_rest = 0.0005;
  for (int digits = 3; digits <= 5; ++digits, smallest_rest /= 10) {
    if (1 - r2 > smallest_rest) return fmt::format("{:.{}f}", r2, digits);
  }
  return "above 0.99999";
}

std::string format_rounded(double value) {
  return fmt::format("{:.6g}", value);
}

namespace {

/// Number of single-character changes between two names, given up above `limit`.
std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t limit) {
  if (std::max(a.size(), b.size()) - std::min(a.size(), b.size()) > limit) return limit + 1;
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::vector<std::string> nearest_names(std::string_view given,
                                       const std::vector<std::string>& known) {
  constexpr std::size_t kMostNames = 5;
  constexpr std::size_t kLargestDistance = 2;
  constexpr std::size_t kShortestStart = 3;
  std::vector<std::pair<std::size_t, std::string>> near;
  for (const std::string& name : known) {
    const std::size_t distance = edit_distance(given, name, kLargestDistance);
    const bool is_start = given.size() >= kShortestStart && name.starts_with(given);
    if (distance > kLargestDistance && !is_start) continue;
    // Two letters may be all of a short name.
    if (distance >= std::max(given.size(), name.size()) && !is_start) continue;
    near.emplace_back(std::min(distance, kLargestDistance + 1), name);
  }
  std::ranges::stable_sort(near, {}, &std::pair<std::size_t, std::string>::first);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(near.size(), kMostNames); ++i) {
    names.push_back(near[i].second);
  }
  return names;
}

namespace {

/// Whether a terminal may take the byte for (a part of) a command: control characters of ASCII, and
/// those from U+0080 to U+009F, as UTF-8 (0xc2 before them) or bare.
bool is_control(std::string_view name, std::size_t i) {
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(name[k]); };
  const auto is_c1 = [](unsigned char c) { return c >= 0x80 && c <= 0x9f; };
  constexpr unsigned char kLead = 0xc2;
  const unsigned char c = byte(i);
  if (c < 0x20 || c == 0x7f) return true;
  if (c == kLead) return i + 1 < name.size() && is_c1(byte(i + 1));
  return is_c1(c) && (i == 0 || byte(i - 1) < 0x80 || byte(i - 1) == kLead);
}

}  // namespace

std::string with_commas(std::int64_t number) {
  const std::string digits = fmt::format("{}", number);
  const std::size_t sign = number < 0 ? 1 : 0;
  std::string text;
  for (std::size_t k = 0; k < digits.size(); ++k) {
    if (k > sign && (digits.size() - k) % 3 == 0) text.push_back(',');
    text.push_back(digits[k]);
  }
  return text;
}

std::string escaped(std::string_view name) {
  std::string result;
  result.reserve(name.size());
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    switch (c) {
      case '\t':
        result += "\\t";
        break;
      case '\n':
        result += "\\n";
        break;
      case '\r':
        result += "\\r";
        break;
      case '\\':
        result += "\\\\";
        break;
      default:
        if (is_control(name, i)) {
          result += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
        } else {
          result += c;
        }
    }
  }
  return result;
}

namespace detail {

std::string_view trimmed(std::string_view text) noexcept {
  constexpr std::string_view kBlanks = " \t\r";
  const auto first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

}  // namespace detail

}  // namespace sfg
