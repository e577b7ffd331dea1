#pragma once

#include <vector>

#include "read/block_parser.hpp"
#include "read/readers.hpp"

namespace sfg::detail {

/// What was assumed about a CSV file, one sentence each: separator and decimal mark, header, rows
/// and columns left out, cells that are no numbers, where the labels are.
[[nodiscard]] std::vector<Note> table_notes(const TextSource& source, const TableLayout& layout,
                                            const ParsedColumns& parsed, const RawTable& table,
                                            const ReadOptions& options);

/// "a, b, c and 5 more", each name escaped and in its place.
[[nodiscard]] std::string some_of(const std::vector<std::string>& names);

}  // namespace sfg::detail
