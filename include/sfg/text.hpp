#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Numbers and names as sfg writes and reads them, whatever the locale.
namespace sfg {

/// The whole text as a number: decimal point, optional exponent, "inf" and "nan" in any case, a
/// leading '+' allowed, no blanks around it. Nothing if it is not a number. Numbers too large for a
/// double give infinity, too small ones zero.
[[nodiscard]] std::optional<double> parse_number(std::string_view text) noexcept;

/// The shortest text that reads back as the same double.
[[nodiscard]] std::string format_number(double value);

/// A size with unit for people: "1.4 GB" (powers of 1000).
[[nodiscard]] std::string format_bytes(double bytes);

/// A whole number for people: "1,234,567".
[[nodiscard]] std::string with_commas(std::int64_t number);

/// A name safe in a line of tab-separated text, in messages and on terminals: tabs, line ends,
/// backslashes and other control characters as `\t`, `\n`, `\\`, `\x01`.
[[nodiscard]] std::string escaped(std::string_view name);

/// A number in a table for people: six significant digits.
[[nodiscard]] std::string format_rounded(double value);

/// An R^2 for people: three decimals, or as many more as tell it from 1 ("0.99998"); what five do
/// not is "above 0.99999".
[[nodiscard]] std::string format_r2(double r2);

/// The names that a misspelt one may stand for, nearest first, at most five: those with a few
/// letters other, and those that begin like it.
[[nodiscard]] std::vector<std::string> nearest_names(std::string_view given,
                                                     const std::vector<std::string>& known);

}  // namespace sfg
