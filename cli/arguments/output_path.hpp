#pragma once

#include <filesystem>
#include <initializer_list>
#include <string>
#include <string_view>

#include "sfg/sfg.hpp"

namespace sfg::cli {

/// Throws invalid_option if a prefix ends like a file ("out.csv"), where users expect that file, or
/// names a folder ("out/"), where the files would have no name.
void check_prefix(const std::string& prefix);

/// Throws invalid_option if the ending of an output (.gz aside) is none of these (none given: any
/// will do) or if it names a folder; a name without an ending passes.
void check_ending(const std::string& path, std::initializer_list<std::string_view> endings);

/// Where to write a table: `path` itself if its ending names a format or it is "-" (standard
/// output, as text), else path + ".reduced" + the ending of the data set's format. Throws
/// invalid_option for an ending of another kind of file.
struct TablePlace {
  std::string path;
  Format format;
  Compression compression = Compression::none;
};
[[nodiscard]] TablePlace table_place(const std::string& path, const Dataset& dataset);

}  // namespace sfg::cli
