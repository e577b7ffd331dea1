#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "read/layout.hpp"
#include "read/row_blocks.hpp"

// Parses blocks of rows into a table, several at the same time. Plain numbers take the quick way;
// every other cell of a number column is looked at more closely, and counted.
namespace sfg::detail {

/// A cell of a number column that is none: as it stands in the text.
struct OddCell {
  const char* place = nullptr;
  std::string text;
};

/// What the cells of a number column were, beside plain numbers.
struct ColumnCounts {
  std::int64_t n_odd = 0;      ///< neither numbers nor missing; NaN in the table
  std::int64_t n_flags = 0;    ///< true and false
  std::int64_t n_percent = 0;  ///< 50.1%
  std::int64_t n_currency = 0;
  std::vector<OddCell> odd;  ///< the first few, by place

  void add_odd(const char* place, std::string_view text);
  void add(const ColumnCounts& other);
};

/// The columns of a file, each as its role says.
struct ParsedColumns {
  DenseMatrix numbers;                          ///< rows x number columns
  std::vector<std::string> row_names;           ///< one per row, or none
  std::vector<std::string> labels;              ///< one per row, or none
  std::string label_row_name;                   ///< with features in rows
  std::vector<std::vector<std::string>> texts;  ///< one per text column
  std::vector<ColumnCounts> counts;             ///< one per column of the file
  std::int64_t n_hollow_tails = 0;              ///< rows with empty cells beyond the last column
};

/// Throws malformed_input (rows of another length, NUL bytes), over_memory or interrupted. The
/// result does not depend on the number of threads.
[[nodiscard]] ParsedColumns parse_rows(const TextSource& source, const TableLayout& layout,
                                       const RowBlocks& rows, const RunContext& run);

}  // namespace sfg::detail
