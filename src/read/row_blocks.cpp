#include "read/row_blocks.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/text.hpp"
#include "core/threads.hpp"
#include "sfg/error.hpp"

namespace sfg::detail {

namespace {

/// A block's numbers, by rows, before they go to their columns: should stay in cache.
constexpr std::size_t kBlockBytes = std::size_t{1} << 20;
/// Fewer rows than fill a cache line of a column make every store a miss.
constexpr std::size_t kLeastRows = 8;
constexpr std::size_t kMostRows = 4096;
/// Very wide rows: memory for the blocks of all threads is worth more than full cache lines.
constexpr std::size_t kMostBlockBytes = std::size_t{32} << 20;

std::size_t choose_rows_per_block(std::size_t n_columns) {
  const std::size_t row_bytes = n_columns * sizeof(double);
  const auto rows = std::clamp(kBlockBytes / row_bytes, kLeastRows, kMostRows);
  return std::clamp<std::size_t>(kMostBlockBytes / row_bytes, 1, rows);
}

class RowPass {
 public:
  RowPass(const TextSource& source, const TableLayout& layout, const ReadOptions& options)
      : source_(source),
        layout_(layout),
        wanted_row_(options.features_in_rows && layout.columns[0].role == CellRole::row_name
                        ? trimmed(options.labels)
                        : std::string_view()) {}

  RowBlocks scan(const RunContext& run) {
    RowBlocks result;
    result.rows_per_block = choose_rows_per_block(layout_.columns.size());
    RowScanner scanner(source_, layout_.data, layout_.dialect);
    std::size_t block_start = 0;
    std::size_t rows_in_block = 0;
    const auto close_block = [&](std::size_t end) {
      result.blocks.push_back(layout_.data.substr(block_start, end - block_start));
      block_start = end;
      rows_in_block = 0;
      check_stop(run);
    };
    while (const auto row = scanner.next()) {
      if (!wanted_row_.empty()) look_for_labels(*row, result);
      ++result.n_rows;
      if (++rows_in_block == result.rows_per_block) {
        close_block(std::min(scanner.position(), layout_.data.size()));
      }
    }
    if (rows_in_block > 0) close_block(layout_.data.size());
    return result;
  }

 private:
  void look_for_labels(std::string_view row, RowBlocks& result) const {
    const auto name = CellScanner(row, layout_.dialect.separator).next();
    if (!name || cell_text(source_, *name) != wanted_row_) return;
    if (result.label_row) {
      throw Error(ErrorCode::inconsistent_input,
                  fmt::format("{}: line {}: a second row is called {}; rename one of them",
                              source_.name, source_.line_of(row.data()), in_quotes(wanted_row_)));
    }
    result.label_row = result.n_rows;
  }

  const TextSource& source_;
  const TableLayout& layout_;
  std::string_view wanted_row_;
};

/// Each cell takes at least one byte, its separator or line end. A table that claims more has a
/// short row, which is a better message than "too large".
void refuse_impossible_size(const TextSource& source, const TableLayout& layout,
                            std::int64_t n_rows) {
  const double n_cells = static_cast<double>(n_rows) * static_cast<double>(layout.columns.size());
  if (n_cells <= static_cast<double>(layout.data.size()) + 1) return;
  RowScanner scanner(source, layout.data, layout.dialect);
  while (const auto row = scanner.next()) {
    if (count_cells(*row, layout.dialect.separator) < layout.columns.size()) {
      refuse_ragged(source, *row, layout);
    }
  }
}

}  // namespace

RowBlocks find_rows(const TextSource& source, const TableLayout& layout, const ReadOptions& options,
                    const RunContext& run) {
  auto rows = RowPass(source, layout, options).scan(run);
  refuse_impossible_size(source, layout, rows.n_rows);
  if (rows.n_samples() == 0) {
    throw Error(ErrorCode::malformed_input,
                fmt::format("{}: no row of numbers beside the labels", source.name));
  }
  return rows;
}

}  // namespace sfg::detail
