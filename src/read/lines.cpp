#include <string_view>

#include "core/text.hpp"
#include "read/input_bytes.hpp"
#include "sfg/read.hpp"

namespace sfg {

std::vector<std::string> read_lines(const std::filesystem::path& path) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  const detail::InputBytes input(path, 0);
  auto rest = input.bytes();
  if (rest.starts_with(kByteOrderMark)) rest.remove_prefix(kByteOrderMark.size());
  std::vector<std::string> lines;
  while (!rest.empty()) {
    const auto end = rest.find_first_of("\r\n");
    // Names in tables have no blanks around them either, so that lists of names find them.
    const auto line = detail::trimmed(rest.substr(0, end));
    if (!line.empty()) lines.emplace_back(line);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  return lines;
}

}  // namespace sfg
