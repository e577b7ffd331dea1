#pragma once

#include <filesystem>
#include <string>

#include "sfg/sfg.hpp"

namespace sfg::cli {

/// Throws invalid_option if a prefix ends like a file ("out.csv"): users expect that file then.
void check_prefix(const std::string& prefix);

/// Writes a whole file. Throws cannot_write.
void write_text(const std::filesystem::path& path, const std::string& text);

/// The data set's own format if it can be written, else Matrix Market (sparse) or CSV (dense).
[[nodiscard]] Format writable_format(const Dataset& dataset);

/// Where to write a table: `path` itself if its ending names a format, else path + ".reduced" + the
/// ending of the data set's format.
struct TablePlace {
  std::string path;
  Format format;
};
[[nodiscard]] TablePlace table_place(const std::string& path, const Dataset& dataset);

}  // namespace sfg::cli
