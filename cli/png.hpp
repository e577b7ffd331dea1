#pragma once

#include <string>

namespace sfg::cli {

/// Whether this build can make PNG files.
[[nodiscard]] bool can_make_png();

/// An SVG document as the bytes of a PNG file, twice as large for sharp print. Throws
/// cannot_write without librsvg or where that fails.
[[nodiscard]] std::string svg_to_png(const std::string& svg);

}  // namespace sfg::cli
