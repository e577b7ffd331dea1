#include <algorithm>
#include <string_view>

#include "core/text.hpp"
#include "io/file_memory.hpp"
#include "io/input_bytes.hpp"
#include "io/size_check.hpp"
#include "sfg/files.hpp"

namespace sfg {

namespace {

std::vector<std::string> lines_of(const detail::InputBytes& input, const RunContext& run) {
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
    if (!line.empty()) lines.emplace_back(line);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  return lines;
}

}  // namespace

std::vector<std::string> read_lines(const std::filesystem::path& path) {
  const detail::InputBytes input(path, 0);
  return detail::use_unchanged(input, [&] {
    return detail::use_with_file_limit(RunContext(), input.given_size(),
                                       [&](const RunContext& run) { return lines_of(input, run); });
  });
}

}  // namespace sfg
