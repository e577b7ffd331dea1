#include "core/markup.hpp"

#include <array>
#include <utility>

#include "core/unicode.hpp"

namespace sfg::detail {

namespace {

using Replacement = std::pair<char32_t, std::string_view>;

constexpr std::string_view kUnknown = "\xEF\xBF\xBD";  // U+FFFD

bool is_control(char32_t c) {
  return c < 0x20 || c == 0x7F;
}

/// Every code point replaced by the table's text, where it has one.
template <std::size_t N>
std::string replaced(std::string_view text, const std::array<Replacement, N>& table,
                     std::string_view for_controls) {
  std::string result;
  for (const char32_t c : decode_utf8(text)) {
    const Replacement* found = nullptr;
    for (const Replacement& entry : table) {
      if (entry.first == c) found = &entry;
    }
    if (found != nullptr) {
      result += found->second;
    } else if (is_control(c)) {
      result += for_controls;
    } else {
      result += encode_utf8(std::u32string_view(&c, 1));
    }
  }
  return result;
}

}  // namespace

std::string xml_text(std::string_view text) {
  static constexpr std::array<Replacement, 10> kXml{{{U'&', "&amp;"},
                                                     {U'<', "&lt;"},
                                                     {U'>', "&gt;"},
                                                     {U'"', "&quot;"},
                                                     {U'\t', "&#9;"},
                                                     {U'\n', "&#10;"},
                                                     {U'\r', "&#13;"},
                                                     {0x7F, "\x7F"},
                                                     {0xFFFE, kUnknown},
                                                     {0xFFFF, kUnknown}}};
  return replaced(text, kXml, kUnknown);
}

std::string markdown_text(std::string_view text) {
  static constexpr std::array<Replacement, 11> kMarkdown{{{U'\\', "\\\\"},
                                                          {U'|', "\\|"},
                                                          {U'`', "\\`"},
                                                          {U'*', "\\*"},
                                                          {U'_', "\\_"},
                                                          {U'[', "\\["},
                                                          {U']', "\\]"},
                                                          {U'#', "\\#"},
                                                          {U'<', "&lt;"},
                                                          {U'>', "&gt;"},
                                                          {U'&', "&amp;"}}};
  return replaced(text, kMarkdown, " ");
}

std::string latex_text(std::string_view text) {
  static constexpr std::array<Replacement, 10> kLatex{{{U'\\', "\\textbackslash{}"},
                                                       {U'{', "\\{"},
                                                       {U'}', "\\}"},
                                                       {U'$', "\\$"},
                                                       {U'&', "\\&"},
                                                       {U'#', "\\#"},
                                                       {U'%', "\\%"},
                                                       {U'_', "\\_"},
                                                       {U'~', "\\textasciitilde{}"},
                                                       {U'^', "\\textasciicircum{}"}}};
  return replaced(text, kLatex, " ");
}

std::string csv_cell(std::string_view text) {
  constexpr std::string_view kSpecial{",;\t\"\r\n\0", 7};
  if (text.find_first_of(kSpecial) == std::string_view::npos && !text.starts_with(' ') &&
      !text.ends_with(' ')) {
    return std::string(text);
  }
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"') result += '"';
    // No text file holds NUL, and CSV has no other way to write it.
    if (c == '\0') {
      result += kUnknown;
    } else {
      result += c;
    }
  }
  return result + "\"";
}

}  // namespace sfg::detail
