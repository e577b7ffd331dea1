#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "read/layout.hpp"

namespace sfg::detail {

/// Rows of the data, cut into blocks of equal numbers of rows (the last may be shorter).
struct RowBlocks {
  std::vector<std::string_view> blocks;
  std::size_t rows_per_block = 1;
  std::int64_t n_rows = 0;
  std::optional<std::int64_t> label_row;  ///< with features in rows: the row named by the options

  /// Rows of the table: without the labels.
  [[nodiscard]] Index n_samples() const noexcept {
    return static_cast<Index>(n_rows - (label_row ? 1 : 0));
  }
};

/// One quick pass over the text that finds where rows start. Throws malformed_input (quotes; rows
/// that cannot have the cells they must have) or interrupted.
[[nodiscard]] RowBlocks find_rows(const TextSource& source, const TableLayout& layout,
                                  const ReadOptions& options, const RunContext& run);

}  // namespace sfg::detail
