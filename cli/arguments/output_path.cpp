#include "output_path.hpp"

#include <fmt/format.h>

#include <filesystem>

namespace sfg::cli {

void check_prefix(const std::string& prefix) {
  const auto ending = std::filesystem::path(prefix).extension().string();
  if (format_from_path(prefix) == Format::automatic && ending != ".json" && ending != ".txt")
    return;
  throw Error(ErrorCode::invalid_option,
              fmt::format("-o takes the start of several file names, not a file: instead of '{}' "
                          "write -o {}",
                          prefix, std::filesystem::path(prefix).replace_extension().string()));
}

TablePlace table_place(const std::string& path, const Dataset& dataset) {
  const Format by_name = format_from_path(path);
  if (by_name != Format::automatic) return {path, by_name};
  const Format format = writable_format(dataset);
  return {path + ".reduced" + format_extension(format), format};
}

}  // namespace sfg::cli
