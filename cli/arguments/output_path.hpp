#pragma once

#include <filesystem>
#include <string>

#include "sfg/sfg.hpp"

namespace sfg::cli {

/// Throws invalid_option if a prefix ends like a file ("out.csv"): users expect that file then.
void check_prefix(const std::string& prefix);

/// Where to write a table: `path` itself if its ending names a format, else path + ".reduced" + the
/// ending of the data set's format.
struct TablePlace {
  std::string path;
  Format format;
};
[[nodiscard]] TablePlace table_place(const std::string& path, const Dataset& dataset);

}  // namespace sfg::cli
