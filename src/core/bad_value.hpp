#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

#include "sfg/error.hpp"

namespace sfg::detail {

/// An option whose value has no meaning: "max_atoms", "must be at least 1, not 0".
[[nodiscard]] inline Error bad_value(std::string_view field, std::string_view rule) {
  Hint hint{std::string(field), fmt::format("{{{}}} {}", field, rule)};
  return {ErrorCode::invalid_option, "", "", std::move(hint)};
}

/// A user's text for such a rule: in quotes, without the braces that would be taken for a place.
[[nodiscard]] inline std::string quoted_value(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c != '{' && c != '}') quoted += c;
  }
  return quoted + "'";
}

}  // namespace sfg::detail
