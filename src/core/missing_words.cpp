#include "core/missing_words.hpp"

#include <algorithm>
#include <array>

namespace sfg::detail {

namespace {

// Sorted, so that a look takes a few comparisons.
constexpr std::array<std::string_view, 42> kWords{
    "",
    "#DIV/0!",
    "#N/A",
    "#N/A N/A",
    "#NA",
    "#NAME?",
    "#NULL!",
    "#NUM!",
    "#REF!",
    "#VALUE!",
    "+nan",
    "-",
    "--",
    "-1.#IND",
    "-1.#QNAN",
    "-NaN",
    "-nan",
    ".",
    "...",
    "1.#IND",
    "1.#QNAN",
    "<NA>",
    "?",
    "N/A",
    "NA",
    "NAN",
    "NIL",
    "NULL",
    "NaN",
    "NaT",
    "None",
    "Null",
    "n.a.",
    "n/a",
    "na",
    "nan",
    "nil",
    "none",
    "null",
    "\xe2\x80\x93",
    "\xe2\x80\x94",
    "\xe2\x88\x92",
};
static_assert(std::ranges::is_sorted(kWords));
/// No word is longer.
constexpr std::size_t kLongest = 8;

constexpr std::array<std::string_view, 16> kNoClass{
    "",   "#N/A", "#NA",  "-NaN", "-nan", "<NA>", "?",   "N/A",
    "NA", "NAN",  "NULL", "NaN",  "NaT",  "None", "n/a", "nan",
};
static_assert(std::ranges::is_sorted(kNoClass));

}  // namespace

bool is_missing_class(std::string_view text) noexcept {
  return text == "null" || std::ranges::binary_search(kNoClass, text);
}

bool is_missing_word(std::string_view text) noexcept {
  return text.size() <= kLongest && std::ranges::binary_search(kWords, text);
}

}  // namespace sfg::detail
