#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

namespace sfg::detail {

/// What the page is about: a JSON document whose long arrays stand beside it as plain numbers.
/// web/src/data.ts reads it.
class PageData {
 public:
  /// Adds an array; the answer stands for it in the document.
  [[nodiscard]] nlohmann::ordered_json add(std::span<const std::uint8_t> values);
  [[nodiscard]] nlohmann::ordered_json add(std::span<const std::uint16_t> values);
  [[nodiscard]] nlohmann::ordered_json add(std::span<const std::uint32_t> values);
  [[nodiscard]] nlohmann::ordered_json add(std::span<const float> values);
  [[nodiscard]] nlohmann::ordered_json add(std::span<const double> values);

  /// Document and arrays, packed (gzip) and as base64: no character in it means anything to HTML,
  /// whatever the names of features are.
  [[nodiscard]] std::string text(const nlohmann::ordered_json& document) const;

 private:
  template <typename Value>
  nlohmann::ordered_json add_values(std::span<const Value> values, const char* type);

  std::string bytes_;  ///< little-endian; of each array the first bytes of all values come first
};

[[nodiscard]] std::string base64(std::string_view bytes);

}  // namespace sfg::detail
