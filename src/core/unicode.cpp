#include "core/unicode.hpp"

#include <algorithm>
#include <cstddef>

namespace sfg::detail {

namespace {

constexpr char32_t kReplacement = 0xFFFD;
constexpr char32_t kLastPoint = 0x10FFFF;
constexpr char32_t kFirstSurrogate = 0xD800;
constexpr char32_t kFirstLowSurrogate = 0xDC00;
constexpr char32_t kLastSurrogate = 0xDFFF;
constexpr char32_t kFirstBeyond16Bits = 0x10000;

bool is_surrogate(char32_t point) {
  return point >= kFirstSurrogate && point <= kLastSurrogate;
}

char32_t valid_or_replacement(char32_t point) {
  return point > kLastPoint || is_surrogate(point) ? kReplacement : point;
}

/// Lengths of sequences by their first byte, and the smallest code point that needs that length.
struct Lead {
  std::size_t length;
  char32_t smallest;
  unsigned char mask;
  unsigned char pattern;
};
constexpr Lead kLeads[] = {{1, 0, 0x80, 0x00},
                           {2, 0x80, 0xE0, 0xC0},
                           {3, 0x800, 0xF0, 0xE0},
                           {4, kFirstBeyond16Bits, 0xF8, 0xF0}};

/// The code point at the front of the text and its length; length 0 if there is no valid one.
std::pair<char32_t, std::size_t> first_point(std::string_view text) {
  const auto first = static_cast<unsigned char>(text.front());
  const auto* lead =
      std::ranges::find_if(kLeads, [&](const Lead& l) { return (first & l.mask) == l.pattern; });
  if (lead == std::end(kLeads) || text.size() < lead->length) return {0, 0};
  char32_t point = first & static_cast<unsigned char>(~lead->mask);
  for (std::size_t i = 1; i < lead->length; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xC0) != 0x80) return {0, 0};
    point = (point << 6) | (next & 0x3F);
  }
  if (point < lead->smallest || point > kLastPoint || is_surrogate(point)) return {0, 0};
  return {point, lead->length};
}

}  // namespace

std::u32string decode_utf8(std::string_view text) {
  std::u32string points;
  points.reserve(text.size());
  while (!text.empty()) {
    const auto [point, length] = first_point(text);
    points.push_back(length == 0 ? kReplacement : point);
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return points;
}

std::u32string decode_utf16(std::u16string_view units) {
  std::u32string points;
  points.reserve(units.size());
  for (std::size_t i = 0; i < units.size(); ++i) {
    const char32_t unit = units[i];
    const char32_t next = i + 1 < units.size() ? units[i + 1] : 0;
    if (unit >= kFirstSurrogate && unit < kFirstLowSurrogate && next >= kFirstLowSurrogate &&
        next <= kLastSurrogate) {
      points.push_back(kFirstBeyond16Bits + ((unit - kFirstSurrogate) << 10) +
                       (next - kFirstLowSurrogate));
      ++i;
    } else {
      points.push_back(valid_or_replacement(unit));
    }
  }
  return points;
}

std::string encode_utf8(std::u32string_view points) {
  std::string text;
  text.reserve(points.size());
  for (const char32_t given : points) {
    const char32_t point = valid_or_replacement(given);
    const auto tail = [&](int shift) {
      text.push_back(static_cast<char>(0x80 | ((point >> shift) & 0x3F)));
    };
    if (point < 0x80) {
      text.push_back(static_cast<char>(point));
    } else if (point < 0x800) {
      text.push_back(static_cast<char>(0xC0 | (point >> 6)));
      tail(0);
    } else if (point < kFirstBeyond16Bits) {
      text.push_back(static_cast<char>(0xE0 | (point >> 12)));
      tail(6);
      tail(0);
    } else {
      text.push_back(static_cast<char>(0xF0 | (point >> 18)));
      tail(12);
      tail(6);
      tail(0);
    }
  }
  return text;
}

std::u16string encode_utf16(std::u32string_view points) {
  std::u16string units;
  units.reserve(points.size());
  for (const char32_t given : points) {
    const char32_t point = valid_or_replacement(given);
    if (point < kFirstBeyond16Bits) {
      units.push_back(static_cast<char16_t>(point));
    } else {
      const char32_t rest = point - kFirstBeyond16Bits;
      units.push_back(static_cast<char16_t>(kFirstSurrogate + (rest >> 10)));
      units.push_back(static_cast<char16_t>(kFirstLowSurrogate + (rest & 0x3FF)));
    }
  }
  return units;
}

}  // namespace sfg::detail
