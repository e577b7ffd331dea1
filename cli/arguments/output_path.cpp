#include "output_path.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

namespace sfg::cli {

namespace {

/// Files whose names would start with nothing: "sub/", "/", "..".
void check_has_name(const std::string& path) {
  const auto name = std::filesystem::path(path).filename().string();
  if (!name.empty() && name != "." && name != "..") return;
  throw Error(
      ErrorCode::invalid_option,
      fmt::format("'{}' is a folder: -o takes the name of a file or the start of some, like "
                  "{}out",
                  path, path.ends_with('/') ? path : path + "/"));
}

/// The ending without .gz; empty where it is no word: "run.2" ends in a number.
std::string ending_of(const std::string& path) {
  std::filesystem::path name = path;
  if (name.extension() == ".gz") name.replace_extension();
  std::string ending = name.extension().string();
  const bool is_word =
      ending.size() > 1 && (std::isalpha(static_cast<unsigned char>(ending[1])) != 0);
  return is_word ? ending : std::string();
}

[[noreturn]] void refuse_ending(const std::string& path, const std::string& known) {
  throw Error(ErrorCode::invalid_option,
              fmt::format("'{}': the ending {} names no format that this command writes; use {}",
                          path, ending_of(path), known));
}

}  // namespace

void check_prefix(const std::string& prefix) {
  check_has_name(prefix);
  if (prefix == "-") {
    throw Error(ErrorCode::invalid_option,
                "several files are written, which cannot all go to standard output: give -o the "
                "start of their names");
  }
  const auto ending = std::filesystem::path(prefix).extension().string();
  if (format_from_path(prefix) == Format::automatic && ending != ".json" && ending != ".txt")
    return;
  throw Error(ErrorCode::invalid_option,
              fmt::format("-o takes the start of several file names, not a file: instead of '{}' "
                          "write -o {}",
                          prefix, std::filesystem::path(prefix).replace_extension().string()));
}

void check_ending(const std::string& path, std::initializer_list<std::string_view> endings) {
  if (path.empty() || path == "-") return;
  check_has_name(path);
  const std::string ending = ending_of(path);
  const bool packs = compression_from_path(path) != Compression::none;
  const bool is_known = endings.size() == 0 || std::ranges::find(endings, ending) != endings.end();
  if (is_known || (ending.empty() && !packs)) return;
  refuse_ending(path, fmt::format("{}", fmt::join(endings, ", ")));
}

TablePlace table_place(const std::string& path, const Dataset& dataset) {
  const Format usual = writable_format(dataset);
  if (path == "-")
    return {path, usual == Format::npy || usual == Format::mat ? Format::csv : usual};
  check_has_name(path);
  const Compression compression = compression_from_path(path);
  const Format by_name = format_from_path(path);
  if (by_name != Format::automatic) return {path, by_name, compression};
  if (!ending_of(path).empty()) refuse_ending(path, ".csv, .tsv, .npy, .mat, .mtx or .svm");
  return {path + ".reduced" + format_extension(usual), usual};
}

}  // namespace sfg::cli
