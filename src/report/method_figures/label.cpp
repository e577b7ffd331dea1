#include "report/method_figures/label.hpp"

#include <algorithm>

#include "core/unicode.hpp"
#include "sfg/text.hpp"

namespace sfg::detail {

namespace {

/// Widths in parts of the size of the letters: of the usual sans-serif ones, and of those of East
/// Asia, which are as wide as they are high.
constexpr double kLetter = 0.62;
constexpr double kWideLetter = 1.0;
constexpr char32_t kFirstWide = 0x1100;
constexpr char32_t kFirstMark = 0x300;  ///< marks above and below other letters have no width
constexpr char32_t kLastMark = 0x36f;
constexpr char32_t kEllipsis = 0x2026;
constexpr double kLabelLine = 15;
constexpr double kHalfLabel = 4;
constexpr double kLabelSize = 11;
constexpr double kSymbolRoom = 12;

double letter_width(char32_t letter) {
  if (letter >= kFirstMark && letter <= kLastMark) return 0;
  return letter >= kFirstWide && letter != kEllipsis ? kWideLetter : kLetter;
}

double width_of(std::u32string_view letters, double size) {
  double width = 0;
  for (const char32_t letter : letters) width += letter_width(letter);
  return width * size;
}

}  // namespace

double text_width(std::string_view text, double size) {
  return width_of(decode_utf8(text), size);
}

std::string short_name(std::string_view name, double size, double width) {
  const std::u32string letters = decode_utf8(escaped(name));
  if (width_of(letters, size) <= width) return encode_utf8(letters);
  std::size_t n_first = 0;
  std::size_t n_last = 0;
  double used = kLetter * size;
  const auto room_for = [&](char32_t letter) {
    used += letter_width(letter) * size;
    return used <= width;
  };
  while (n_first + n_last < letters.size()) {
    const bool at_front = n_first <= n_last;
    if (!room_for(at_front ? letters[n_first] : letters[letters.size() - 1 - n_last])) break;
    ++(at_front ? n_first : n_last);
  }
  return encode_utf8(letters.substr(0, n_first) + kEllipsis +
                     letters.substr(letters.size() - n_last));
}

std::vector<std::string> lines_of(std::string_view text, double size, double width) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    const std::string longer =
        lines.empty() ? std::string(word) : lines.back() + ' ' + std::string(word);
    if (lines.empty() || text_width(longer, size) > width) {
      lines.emplace_back(word);
    } else {
      lines.back() = longer;
    }
  }
  return lines;
}

void draw_labels(Drawing& drawing, std::vector<CurveLabel> labels, Point upper_left,
                 double bottom) {
  std::ranges::stable_sort(labels, {}, &CurveLabel::y);
  double free_below = bottom;
  for (std::size_t k = labels.size(); k-- > 0;) {
    labels[k].y = std::min(labels[k].y, free_below);
    free_below = labels[k].y - kLabelLine;
  }
  double free_above = upper_left.y;
  for (CurveLabel& label : labels) {
    label.y = std::max(label.y, free_above);
    free_above = label.y + kLabelLine;
    const double indent = label.draw_symbol ? kSymbolRoom : 0;
    if (label.draw_symbol) label.draw_symbol(drawing, {upper_left.x + kSymbolRoom / 3, label.y});
    drawing.text({upper_left.x + indent, label.y + kHalfLabel}, label.text,
                 {kLabelSize, Anchor::start, label.colour});
  }
}

}  // namespace sfg::detail
