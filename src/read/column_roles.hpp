#pragma once

#include <string>
#include <vector>

#include "read/block_parser.hpp"

// What each column is, now that all of its cells are known:
//
//   a column of numbers    if at most a tenth of its values are none; those are missing, and noted
//   a column of texts      otherwise
//   row names              if they all differ; a repeated value (a sex, a city) is no name
//
// Guesses from the first rows may be wrong, so the roles are changed and the file parsed again
// until they fit. Both ways are judged by the same counts of the whole file, so this ends.
namespace sfg::detail {

/// Changes roles in the layout that do not fit what was parsed. Whether any was changed.
[[nodiscard]] bool change_roles(TableLayout& layout, const ParsedColumns& parsed);

/// Columns that are no numbers although a half of their values are: worth a word of their own.
[[nodiscard]] bool is_nearly_numbers(const std::vector<std::string>& values,
                                     const NumberStyle& style);

/// What a column of texts holds.
[[nodiscard]] TextKind text_kind(const std::vector<std::string>& values);

/// Whether all values differ.
[[nodiscard]] bool all_different(const std::vector<std::string>& values);

}  // namespace sfg::detail
