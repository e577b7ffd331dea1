#pragma once

#include <string>
#include <string_view>

namespace sfg::detail {

/// The code points of a UTF-8 text; each byte that is no part of valid UTF-8 becomes U+FFFD.
[[nodiscard]] std::u32string decode_utf8(std::string_view text);

/// The code points of UTF-16 units; lone surrogates become U+FFFD.
[[nodiscard]] std::u32string decode_utf16(std::u16string_view units);

/// Code points as UTF-8; values that are no code points become U+FFFD.
[[nodiscard]] std::string encode_utf8(std::u32string_view points);

/// Code points as UTF-16; values that are no code points become U+FFFD.
[[nodiscard]] std::u16string encode_utf16(std::u32string_view points);

}  // namespace sfg::detail
