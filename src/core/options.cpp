#include "sfg/options.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "core/bad_value.hpp"
#include "core/text.hpp"
#include "sfg/error.hpp"

namespace sfg {

namespace {

/// What a number with the suffix k is multiplied by.
constexpr double kThousand = 1000;

[[noreturn]] void refuse_text(const FieldText& field, const std::string& text,
                              std::string_view expected) {
  throw detail::bad_value(field.name,
                          fmt::format("must be {}{}, not {}", expected,
                                      field.zero.empty() ? "" : fmt::format(" or '{}'", field.zero),
                                      detail::quoted_value(text)));
}

}  // namespace

std::string limits_text(const Limits& limits) {
  std::string text;
  if (std::isfinite(limits.low)) {
    text = fmt::format("{} {}", limits.low_excluded ? "above" : "at least", limits.low);
  }
  if (std::isfinite(limits.high)) {
    if (!text.empty()) text += " and ";
    text += fmt::format("{} {}", limits.high_excluded ? "below" : "at most", limits.high);
  }
  return text;
}

namespace detail {

void refuse_choice(std::string_view field, std::string_view given,
                   const std::vector<std::string_view>& names) {
  throw bad_value(
      field, fmt::format("must be one of {}, not {}", fmt::join(names, ", "), quoted_value(given)));
}

void refuse_nameless() {
  throw Error(ErrorCode::internal, "a value without a name");
}

void check_number(const FieldText& text, double value) {
  if (text.limits.allow(value)) return;  // a NaN is not
  throw bad_value(text.name, fmt::format("must be {}, not {}", limits_text(text.limits), value));
}

std::int64_t integer_from_text(const FieldText& field, const std::string& text, std::int64_t low,
                               std::int64_t high) {
  if (!field.zero.empty() && text == field.zero) return 0;
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [place, fault] = std::from_chars(text.data(), end, value);
  if (fault != std::errc() || place != end || value < low || value > high) {
    refuse_text(field, text, "a whole number");
  }
  return value;
}

double number_from_text(const FieldText& field, const std::string& text) {
  if (!field.zero.empty() && text == field.zero) return 0;
  const double unit = !field.takes_suffix   ? 1
                      : text.ends_with('k') ? kThousand
                      : text.ends_with('M') ? kThousand * kThousand
                                            : 1;
  const auto value = parse_number(unit > 1 ? text.substr(0, text.size() - 1) : text);
  if (!value) {
    refuse_text(field, text, field.takes_suffix ? "a number, such as 500, 250k or 1M" : "a number");
  }
  return *value * unit;
}

bool flag_from_text(const FieldText& field, const std::string& text) {
  if (text == "true") return true;
  if (text != "false") refuse_text(field, text, "true or false");
  return false;
}

std::vector<std::string> items_of(const std::string& text) {
  std::vector<std::string> items;
  std::size_t start = 0;
  while (start <= text.size()) {
    const std::size_t comma = std::min(text.find(',', start), text.size());
    items.push_back(text.substr(start, comma - start));
    start = comma + 1;
  }
  return items;
}

std::string text_of(double value) {
  return fmt::format("{}", value);
}

}  // namespace detail

}  // namespace sfg
