#include "read/formats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/text.hpp"
#include "io/text_source.hpp"
#include "io/unpack.hpp"
#include "sfg/error.hpp"
#include "sfg/read.hpp"

namespace sfg {

namespace {

constexpr std::array<std::pair<std::string_view, Format>, 12> kEndings{{
    {".csv", Format::csv},
    {".tsv", Format::tsv},
    {".tab", Format::tsv},
    {".npy", Format::npy},
    {".mat", Format::mat},
    {".mtx", Format::matrix_market},
    {".mm", Format::matrix_market},
    {".svm", Format::svmlight},
    {".svmlight", Format::svmlight},
    {".libsvm", Format::svmlight},
    {".h5ad", Format::h5ad},
    {".h5", Format::h5ad},
}};

std::string lower(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

/// Whether the first line that is not a comment is "label index:value ...".
bool looks_like_svmlight(std::string_view text) {
  while (!text.empty()) {
    auto line = detail::next_line(text);
    line = line.substr(0, line.find('#'));
    const auto label = detail::next_word(line);
    if (label.empty()) continue;
    if (label.find_first_not_of("+-.,0123456789eE") != std::string_view::npos) return false;
    int n_entries = 0;
    for (auto word = detail::next_word(line); !word.empty(); word = detail::next_word(line)) {
      const auto colon = word.find(':');
      if (colon == std::string_view::npos) return false;
      const bool is_query = word.starts_with("qid:");
      if (!is_query && !parse_number(word.substr(0, colon))) return false;
      if (!parse_number(word.substr(colon + 1))) return false;
      ++n_entries;
    }
    return n_entries > 0;
  }
  return false;
}

/// Whether the first line has more tabs than commas and semicolons, those in quotes aside. What
/// really separates the cells is found out later; this is for what will be written.
bool has_most_tabs(std::string_view text) {
  std::size_t n_tabs = 0;
  std::size_t n_others = 0;
  bool is_quoted = false;
  for (const char c : text.substr(std::min(text.find_first_not_of(" \r\n"), text.size()))) {
    if (c == '"') is_quoted = !is_quoted;
    if (is_quoted) continue;
    if (c == '\n' || c == '\r') break;
    n_tabs += c == '\t' ? 1 : 0;
    n_others += c == ',' || c == ';' ? 1 : 0;
  }
  return n_tabs > n_others;
}

}  // namespace

Format format_from_path(const std::filesystem::path& path) {
  const auto name = detail::without_packed_ending(lower(path.filename().string()));
  for (const auto& [ending, format] : kEndings) {
    if (name.ends_with(ending)) return format;
  }
  return Format::automatic;
}

namespace detail {

Format format_from_bytes(std::string_view bytes) {
  constexpr std::string_view kMatrixMarket = "%%MatrixMarket";
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (bytes.starts_with(kByteOrderMark)) bytes.remove_prefix(kByteOrderMark.size());
  if (bytes.starts_with("\x93NUMPY")) return Format::npy;
  if (bytes.starts_with("\x89HDF\r\n\x1a\n")) return Format::h5ad;
  if (bytes.starts_with("MATLAB 5.0 MAT-file") || bytes.starts_with("MATLAB 7.3 MAT-file")) {
    return Format::mat;
  }
  if (lower(std::string(bytes.substr(0, kMatrixMarket.size()))) ==
      lower(std::string(kMatrixMarket))) {
    return Format::matrix_market;
  }
  if (looks_like_svmlight(bytes)) return Format::svmlight;
  return has_most_tabs(bytes) ? Format::tsv : Format::csv;
}

}  // namespace detail

}  // namespace sfg
