#include "core/text.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace sfg::detail {
namespace {

TEST(ParseNumber, takes_plain_numbers_signs_and_exponents) {
  EXPECT_EQ(parse_number("1.5"), 1.5);
  EXPECT_EQ(parse_number("-2"), -2.0);
  EXPECT_EQ(parse_number("+3e2"), 300.0);
  EXPECT_EQ(parse_number(".5"), 0.5);
  EXPECT_EQ(parse_number("5."), 5.0);
  EXPECT_EQ(parse_number("1E-3"), 0.001);
}

TEST(ParseNumber, refuses_everything_else) {
  for (const auto* text : {"", "+", "-", "+-1", "++1", "1,5", "1 ", " 1", "1e", "0x10", "abc",
                           "1.2.3", "--1", "1_0"}) {
    EXPECT_FALSE(parse_number(text)) << text;
  }
  EXPECT_FALSE(parse_number(std::string_view("1\0", 2)));
}

TEST(ParseNumber, knows_infinity_and_nan_in_any_case) {
  EXPECT_EQ(parse_number("inf"), std::numeric_limits<double>::infinity());
  EXPECT_EQ(parse_number("-Inf"), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(parse_number("INFINITY"), std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(parse_number("NaN").value_or(0)));
  EXPECT_TRUE(std::isnan(parse_number("nan").value_or(0)));
}

TEST(ParseNumber, out_of_range_numbers_become_infinity_or_zero) {
  EXPECT_EQ(parse_number("1e999"), std::numeric_limits<double>::infinity());
  EXPECT_EQ(parse_number("-1e999"), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(parse_number("1e-999"), 0.0);
  EXPECT_EQ(parse_number(std::string(400, '9')), std::numeric_limits<double>::infinity());
  EXPECT_EQ(parse_number("0." + std::string(400, '0') + "1"), 0.0);
}

RC_GTEST_PROP(FormatNumber, reads_back_as_the_same_bits, (std::uint64_t bits)) {
  const auto value = std::bit_cast<double>(bits);
  RC_PRE(!std::isnan(value));
  const auto back = parse_number(format_number(value));
  RC_ASSERT(back.has_value());
  RC_ASSERT(std::bit_cast<std::uint64_t>(*back) == bits);
}

TEST(FormatNumber, is_as_short_as_possible) {
  EXPECT_EQ(format_number(0.1), "0.1");
  EXPECT_EQ(format_number(3), "3");
  EXPECT_EQ(format_number(-0.0), "-0");
}

TEST(Trimmed, takes_blanks_tabs_and_carriage_returns_from_both_ends_only) {
  EXPECT_EQ(trimmed(" \t a b\r"), "a b");
  EXPECT_EQ(trimmed(" \t\r"), "");
  EXPECT_EQ(trimmed(""), "");
  EXPECT_EQ(trimmed("a\n"), "a\n");
}

TEST(FormatBytes, chooses_the_unit) {
  EXPECT_EQ(format_bytes(0), "0 B");
  EXPECT_EQ(format_bytes(999), "999 B");
  EXPECT_EQ(format_bytes(1400), "1.4 kB");
  EXPECT_EQ(format_bytes(1.4e9), "1.4 GB");
  EXPECT_EQ(format_bytes(250e9), "250 GB");
  EXPECT_EQ(format_bytes(5e18), "5000 PB");
}

TEST(FormatR2, never_says_one_of_what_is_less) {
  EXPECT_EQ(format_r2(-0.0261), "-0.026");
  EXPECT_EQ(format_r2(0.5), "0.500");
  EXPECT_EQ(format_r2(0.9994), "0.999");
  EXPECT_EQ(format_r2(0.9996), "0.9996");
  EXPECT_EQ(format_r2(0.99998), "0.99998");
  EXPECT_EQ(format_r2(0.999997), "above 0.99999");
  EXPECT_EQ(format_r2(1.0), "above 0.99999");
}

TEST(Escaped, leaves_no_control_characters_and_keeps_utf8) {
  EXPECT_EQ(escaped("a\tb\nc\rd\\e"), "a\\tb\\nc\\rd\\\\e");
  EXPECT_EQ(escaped(std::string_view("\0\x01\x7f", 3)), "\\x00\\x01\\x7f");
  EXPECT_EQ(escaped("\xc3\xa9"), "\xc3\xa9");
  // What begins commands for terminals, as one character of UTF-8 and as one byte.
  EXPECT_EQ(escaped("a\xc2\x9b[2J"), "a\\xc2\\x9b[2J");
  EXPECT_EQ(escaped("a\x90z"), "a\\x90z");
  EXPECT_EQ(escaped("\xe2\x82\xac \xc4\x80 \xf0\x9f\x98\x80"),
            "\xe2\x82\xac \xc4\x80 \xf0\x9f\x98\x80");
}

}  // namespace
}  // namespace sfg::detail
