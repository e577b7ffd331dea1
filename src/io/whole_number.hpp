#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>

namespace sfg::detail {

/// A whole number of a document that anybody may have written. Throws json::type_error for a
/// fraction: what no 64 bits hold, 1e300, has no whole number that it could be converted to.
[[nodiscard]] inline std::int64_t whole_number(const nlohmann::json& value) {
  return value.get_ref<const nlohmann::json::number_integer_t&>();
}

}  // namespace sfg::detail
