#pragma once

#include <string_view>

#include "sfg/text.hpp"

namespace sfg::detail {

/// Text without blanks, tabs and carriage returns at both ends.
[[nodiscard]] std::string_view trimmed(std::string_view text) noexcept;

}  // namespace sfg::detail
