#include "report/page_data.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "io/gzip.hpp"

namespace sfg::detail {

template <typename Value>
nlohmann::ordered_json PageData::add_values(std::span<const Value> values, const char* type) {
  static_assert(std::endian::native == std::endian::little, "the page reads little-endian numbers");
  nlohmann::ordered_json place{{"type", type}, {"at", bytes_.size()}, {"length", values.size()}};
  const auto raw = std::as_bytes(values);
  // All first bytes, all second bytes, ...: neighbours are alike, which packs better.
  for (std::size_t byte = 0; byte < sizeof(Value); ++byte) {
    for (std::size_t k = byte; k < raw.size(); k += sizeof(Value)) {
      bytes_ += static_cast<char>(raw[k]);
    }
  }
  return place;
}

nlohmann::ordered_json PageData::add(std::span<const std::uint8_t> values) {
  return add_values(values, "u8");
}
nlohmann::ordered_json PageData::add(std::span<const std::uint16_t> values) {
  return add_values(values, "u16");
}
nlohmann::ordered_json PageData::add(std::span<const std::uint32_t> values) {
  return add_values(values, "u32");
}
nlohmann::ordered_json PageData::add(std::span<const float> values) {
  return add_values(values, "f32");
}
nlohmann::ordered_json PageData::add(std::span<const double> values) {
  return add_values(values, "f64");
}

std::string PageData::text(const nlohmann::ordered_json& document) const {
  // Names may hold bytes that are not UTF-8: they are shown as U+FFFD.
  const std::string json =
      document.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  // Eight bytes with the length of the document, the document, the arrays.
  const std::uint64_t length = json.size();
  std::string all(sizeof length, '\0');
  std::memcpy(all.data(), &length, sizeof length);
  all += json;
  all += bytes_;
  return base64(gzip(all));
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - at);
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      const auto byte = k < count ? static_cast<unsigned char>(bytes[at + k]) : 0U;
      group = group << 8 | byte;
    }
    for (std::size_t k = 0; k < 4; ++k) {
      text += k <= count ? kDigits[group >> (18 - 6 * k) & 63] : '=';
    }
  }
  return text;
}

}  // namespace sfg::detail
