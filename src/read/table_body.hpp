#pragma once

#include <cstdint>
#include <string_view>

#include "read/delimited.hpp"

namespace sfg::detail {

/// The rows of a file without what stands around them: blank lines, comments in front that start
/// with '#', and rows without any cell at the end.
struct TableBody {
  std::string_view text;
  std::int64_t n_comments = 0;
  std::int64_t n_hollow_rows = 0;
  bool has_marked_header = false;  ///< the first row starts with '#', as in "#chrom pos"
};

/// Throws malformed_input if nothing is left.
[[nodiscard]] TableBody find_body(const TextSource& source, const Dialect& dialect);

}  // namespace sfg::detail
