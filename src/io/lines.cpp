#include <algorithm>
#include <string_view>

#include "core/text.hpp"
#include "io/file_memory.hpp"
#include "io/input_bytes.hpp"
#include "io/size_check.hpp"
#include "sfg/files.hpp"

namespace sfg {

namespace {

enum class BlankLines { skip, keep };

/// A line end of Windows is one end, not an empty line between two.
std::size_t after_line_end(std::string_view text, std::size_t end) {
  if (end == std::string_view::npos) return text.size();
  return end + (text.substr(end).starts_with("\r\n") ? 2 : 1);
}

std::vector<std::string> lines_of(const detail::InputBytes& input, BlankLines blanks,
                                  const RunContext& run) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  auto rest = input.bytes();
  if (rest.starts_with(kByteOrderMark)) rest.remove_prefix(kByteOrderMark.size());
  const auto is_end = [](char c) { return c == '\r' || c == '\n'; };
  const auto most_lines = static_cast<double>(std::ranges::count_if(rest, is_end)) + 1;
  detail::check_size(input.name(), 1, 1, most_lines, sizeof(std::string), run);
  std::vector<std::string> lines;
  lines.reserve(static_cast<std::size_t>(most_lines));
  while (!rest.empty()) {
    const auto end = rest.find_first_of("\r\n");
    // Names in tables have no blanks around them either, so that lists of names find them.
    const auto line = detail::trimmed(rest.substr(0, end));
    if (!line.empty() || blanks == BlankLines::keep) lines.emplace_back(line);
    rest.remove_prefix(after_line_end(rest, end));
  }
  return lines;
}

std::vector<std::string> read(const std::filesystem::path& path, BlankLines blanks,
                              const RunContext& run) {
  const detail::InputBytes input(path, run);
  return detail::use_unchanged(input, [&] {
    return detail::use_with_file_limit(run, input.given_size(), [&](const RunContext& limited) {
      return lines_of(input, blanks, limited);
    });
  });
}

}  // namespace

std::vector<std::string> read_lines(const std::filesystem::path& path, const RunContext& run) {
  return read(path, BlankLines::skip, run);
}

std::vector<std::string> read_labels(const std::filesystem::path& path, const RunContext& run) {
  return read(path, BlankLines::keep, run);
}

void drop_blank_end(std::vector<std::string>& labels, std::size_t n_wanted) {
  while (labels.size() > n_wanted && labels.back().empty()) labels.pop_back();
}

}  // namespace sfg
