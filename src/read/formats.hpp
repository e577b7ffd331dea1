#pragma once

#include <string_view>

#include "sfg/dataset.hpp"

namespace sfg::detail {

/// The format that the first bytes of a file stand for; csv (or tsv, if tabs stand in its first
/// line) when they say nothing else.
[[nodiscard]] Format format_from_bytes(std::string_view bytes);

}  // namespace sfg::detail
