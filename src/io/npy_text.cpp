#include <cstring>

#include "core/unicode.hpp"
#include "io/npy.hpp"
#include "sfg/error.hpp"

namespace sfg::detail {

namespace {

constexpr std::int64_t kCharacterBytes = 4;

/// One character: 32 bits in the file's byte order.
char32_t character_at(const char* bytes, bool big_endian) {
  unsigned char raw[kCharacterBytes];
  std::memcpy(raw, bytes, sizeof raw);
  char32_t value = 0;
  for (int k = 0; k < kCharacterBytes; ++k) {
    value = (value << 8U) | raw[big_endian ? k : kCharacterBytes - 1 - k];
  }
  return value;
}

}  // namespace

std::vector<std::string> npy_text_values(const std::string& name, const NpyHeader& header,
                                         std::string_view bytes) {
  if (header.kind != 'U') {
    throw Error(ErrorCode::malformed_input, name + ": not an array of texts");
  }
  std::vector<std::string> texts;
  const std::int64_t length = header.item_size / kCharacterBytes;
  const char* next = bytes.data() + header.data_start;
  for (std::int64_t item = 0; item < npy_size(header); ++item) {
    std::u32string points;
    for (std::int64_t k = 0; k < length; ++k, next += kCharacterBytes) {
      points.push_back(character_at(next, header.big_endian));
    }
    // numpy fills short texts up with NUL characters.
    while (!points.empty() && points.back() == U'\0') points.pop_back();
    texts.push_back(encode_utf8(points));
  }
  return texts;
}

}  // namespace sfg::detail
