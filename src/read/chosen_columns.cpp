#include "read/chosen_columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/text.hpp"
#include "sfg/error.hpp"

namespace sfg::detail {

namespace {

constexpr std::size_t kNamesInMessage = 8;

std::optional<std::size_t> find_one(const std::string& source,
                                    const std::vector<std::string>& headings,
                                    std::string_view wanted) {
  const auto found = std::ranges::find(headings, wanted);
  if (found == headings.end()) return std::nullopt;
  const auto again = std::find(found + 1, headings.end(), *found);
  if (again != headings.end()) {
    throw Error(
        ErrorCode::inconsistent_input,
        fmt::format("{}: columns {} and {} are both called {}; rename one of them", source,
                    found - headings.begin() + 1, again - headings.begin() + 1, in_quotes(wanted)));
  }
  return static_cast<std::size_t>(found - headings.begin());
}

/// Adds the columns that the words from `first` on name, and returns how many words that took.
std::size_t take(const std::string& source, const std::vector<std::string>& headings,
                 const std::vector<std::string>& wanted, std::size_t first,
                 std::vector<std::size_t>& columns) {
  std::string joined;
  for (std::size_t n = 1; first + n <= wanted.size(); ++n) {
    joined += (n > 1 ? "," : "") + wanted[first + n - 1];
    if (const auto column = find_one(source, headings, trimmed(joined))) {
      columns.push_back(*column);
      return n;
    }
  }
  const auto pattern = trimmed(wanted[first]);
  if (!pattern.ends_with('*')) return 0;
  const auto start = pattern.substr(0, pattern.size() - 1);
  const std::size_t before = columns.size();
  for (std::size_t j = 0; j < headings.size(); ++j) {
    if (headings[j].starts_with(start)) columns.push_back(j);
  }
  return columns.size() > before ? 1 : 0;
}

}  // namespace

std::vector<std::size_t> find_columns(const std::string& source,
                                      const std::vector<std::string>& headings,
                                      const std::vector<std::string>& wanted,
                                      const std::string& field) {
  std::vector<std::size_t> columns;
  for (std::size_t i = 0; i < wanted.size();) {
    const std::size_t n_taken = take(source, headings, wanted, i, columns);
    if (n_taken == 0) {
      const auto n_shown = std::min(headings.size(), kNamesInMessage);
      throw Error(
          ErrorCode::inconsistent_input,
          fmt::format("no column is called {}; the headings are {}{}",
                      in_quotes(trimmed(wanted[i])),
                      fmt::join(headings.begin(),
                                headings.begin() + static_cast<std::ptrdiff_t>(n_shown), ", "),
                      n_shown < headings.size() ? ", ..." : ""),
          source, {field, "check {" + field + "}"});
    }
    i += n_taken;
  }
  return columns;
}

}  // namespace sfg::detail
