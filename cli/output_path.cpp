#include "output_path.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <fstream>
#include <system_error>

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

void write_text(const std::filesystem::path& path, const std::string& text) {
  errno = 0;
  std::ofstream out(path, std::ios::binary);
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
  out.close();
  if (!out) {
    throw Error(ErrorCode::cannot_write,
                fmt::format("{}: cannot be written: {}; check the folder and the space left",
                            path.string(), std::generic_category().message(errno)));
  }
}

Format writable_format(const Dataset& dataset) {
  const bool sparse = std::holds_alternative<SparseMatrix>(dataset.matrix);
  if (dataset.format != Format::h5ad && dataset.format != Format::automatic) return dataset.format;
  return sparse ? Format::matrix_market : Format::csv;
}

TablePlace table_place(const std::string& path, const Dataset& dataset) {
  const Format by_name = format_from_path(path);
  if (by_name != Format::automatic) return {path, by_name};
  const Format format = writable_format(dataset);
  return {path + ".reduced" + format_extension(format), format};
}

}  // namespace sfg::cli
