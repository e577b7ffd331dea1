// CSV and TSV: rows are found by one quick pass, then blocks of rows are parsed by all threads.
#include "read/delimited.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "core/text.hpp"
#include "core/threads.hpp"
#include "read/readers.hpp"
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

/// Rows of the data, cut into blocks of equal numbers of rows (the last may be shorter).
struct RowBlocks {
  std::vector<std::string_view> blocks;
  std::size_t rows_per_block = 1;
  std::int64_t n_rows = 0;
  std::optional<std::int64_t> label_row;  ///< with features in rows: the row named by the options
};

std::size_t choose_rows_per_block(std::size_t n_numbers) {
  const std::size_t row_bytes = n_numbers * sizeof(double);
  const auto rows = std::clamp(kBlockBytes / row_bytes, kLeastRows, kMostRows);
  return std::clamp<std::size_t>(kMostBlockBytes / row_bytes, 1, rows);
}

class RowPass {
 public:
  RowPass(const TextSource& source, const TableLayout& layout, const ReadOptions& options)
      : source_(source),
        layout_(layout),
        wanted_row_(options.features_in_rows && layout.roles[0] == CellRole::row_name
                        ? trimmed(options.labels)
                        : std::string_view()) {}

  RowBlocks scan(const RunContext& run) {
    RowBlocks result;
    result.rows_per_block = choose_rows_per_block(layout_.n_numbers);
    RowScanner scanner(source_, layout_.data, layout_.separator);
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
      if (++rows_in_block == result.rows_per_block) close_block(scanner.position());
    }
    if (rows_in_block > 0) close_block(layout_.data.size());
    return result;
  }

 private:
  void look_for_labels(std::string_view row, RowBlocks& result) const {
    const auto name = CellScanner(row, layout_.separator).next();
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
  const double n_cells = static_cast<double>(n_rows) * static_cast<double>(layout.roles.size());
  if (n_cells <= static_cast<double>(layout.data.size()) + 1) return;
  RowScanner scanner(source, layout.data, layout.separator);
  while (const auto row = scanner.next()) {
    if (count_cells(*row, layout.separator) != layout.roles.size()) {
      refuse_ragged(source, *row, layout);
    }
  }
}

/// Parses blocks of rows into the table; different blocks may be parsed at the same time.
class BlockParser {
 public:
  BlockParser(const TextSource& source, const TableLayout& layout, const RowBlocks& rows)
      : source_(source),
        layout_(layout),
        rows_(rows),
        matrix_(static_cast<Index>(rows.n_rows - (rows.label_row ? 1 : 0)),
                static_cast<Index>(layout.n_numbers)) {
    if (layout.has(CellRole::row_name)) row_names_.resize(size_of(matrix_.n_samples()));
    if (layout.has(CellRole::label)) label_values_.resize(size_of(matrix_.n_samples()));
  }

  void parse(std::int64_t block, std::vector<double>& numbers) {
    const auto text = rows_.blocks[size_of(block)];
    numbers.resize(rows_.rows_per_block * layout_.n_numbers);
    std::int64_t file_row = block * static_cast<std::int64_t>(rows_.rows_per_block);
    const std::size_t first = size_of(file_row) - (is_below_labels(file_row) ? 1 : 0);
    std::size_t n_parsed = 0;
    RowScanner scanner(source_, text, layout_.separator);
    for (; const auto row = scanner.next(); ++file_row) {
      if (rows_.label_row == file_row) {
        parse_label_row(*row);
      } else {
        parse_row(*row, first + n_parsed, numbers.data() + n_parsed * layout_.n_numbers);
        ++n_parsed;
      }
    }
    store(numbers.data(), first, n_parsed);
  }

  RawTable take() && {
    RawTable table;
    table.matrix = std::move(matrix_);
    table.row_names = std::move(row_names_);
    if (layout_.has(CellRole::row_name)) table.row_heading = layout_.heading_of(CellRole::row_name);
    for (std::size_t i = 0; i < layout_.headings.size(); ++i) {
      if (layout_.roles[i] == CellRole::number) table.column_names.push_back(layout_.headings[i]);
    }
    if (layout_.has(CellRole::label)) {
      table.labels = Labels{layout_.heading_of(CellRole::label), std::move(label_values_)};
    } else if (rows_.label_row) {
      table.labels = Labels{label_row_name_, std::move(label_values_)};
    }
    return table;
  }

 private:
  template <typename Integer>
  static std::size_t size_of(Integer value) {
    return static_cast<std::size_t>(value);
  }

  [[nodiscard]] bool is_below_labels(std::int64_t file_row) const {
    return rows_.label_row && file_row > *rows_.label_row;
  }

  void parse_row(std::string_view row, std::size_t sample, double* out) {
    const char* place = row.data();
    const char* const end = place + row.size();
    for (std::size_t cell = 0; cell < layout_.roles.size(); ++cell) {
      if (cell > 0 && place++ == end) refuse_ragged(source_, row, layout_);
      if (layout_.roles[cell] == CellRole::number) {
        const auto [stop, error] = std::from_chars(place, end, *out);
        if (error == std::errc{} && (stop == end || *stop == layout_.separator)) {
          place = stop;
          ++out;
          continue;
        }
      }
      const auto text = *CellScanner({place, end}, layout_.separator).next();
      switch (layout_.roles[cell]) {
        case CellRole::number:
          *out++ = parse_cell(text, cell, row);
          break;
        case CellRole::row_name:
          row_names_[sample] = cell_text(source_, text);
          break;
        case CellRole::label:
          label_values_[sample] = cell_text(source_, text);
          break;
      }
      place += text.size();
    }
    if (place != end) refuse_ragged(source_, row, layout_);
  }

  /// Numbers that are not written plainly: blanks, quotes, a leading '+', missing, out of range.
  [[nodiscard]] double parse_cell(std::string_view cell, std::size_t column,
                                  std::string_view row) const {
    auto text = trimmed(cell);
    std::string unquoted;
    if (text.starts_with('"')) text = unquoted = cell_text(source_, cell);
    if (is_missing(text)) return std::numeric_limits<double>::quiet_NaN();
    if (const auto number = parse_number(text)) return *number;
    // A lost or added separator also moves text under the wrong heading: say that first.
    if (count_cells(row, layout_.separator) != layout_.roles.size()) {
      refuse_ragged(source_, row, layout_);
    }
    const auto heading = layout_.headings.empty() || layout_.headings[column].empty()
                             ? std::string()
                             : fmt::format(" ({})", in_quotes(layout_.headings[column]));
    source_.refuse(
        cell.data(),
        fmt::format("column {}{}: {} is not a number{}", column + 1, heading, in_quotes(text),
                    text.find(',') != std::string_view::npos ? " (decimals need a point)" : ""),
        {"labels",
         "correct it, leave the cell empty if the value is missing, or name the column "
         "with {labels} or {sample_ids}"});
  }

  void parse_label_row(std::string_view row) {
    const auto texts = row_texts(source_, row, layout_.separator);
    if (texts.size() != layout_.roles.size()) refuse_ragged(source_, row, layout_);
    label_row_name_ = texts[0];
    label_values_.assign(texts.begin() + 1, texts.end());
  }

  /// From rows to columns, a few columns at a time, so that each cache line read is used up.
  void store(const double* numbers, std::size_t first, std::size_t n_rows) {
    constexpr std::size_t kColumnsAtOnce = 8;
    const std::size_t n_columns = layout_.n_numbers;
    for (std::size_t left = 0; left < n_columns; left += kColumnsAtOnce) {
      const std::size_t right = std::min(n_columns, left + kColumnsAtOnce);
      for (std::size_t column = left; column < right; ++column) {
        double* target = matrix_.column(static_cast<Index>(column)).data() + first;
        for (std::size_t i = 0; i < n_rows; ++i) target[i] = numbers[i * n_columns + column];
      }
    }
  }

  const TextSource& source_;
  const TableLayout& layout_;
  const RowBlocks& rows_;
  DenseMatrix matrix_;
  std::vector<std::string> row_names_;
  std::vector<std::string> label_values_;
  std::string label_row_name_;
};

}  // namespace

RawTable read_delimited(const InputBytes& input, Format format, const ReadOptions& options,
                        const RunContext& run) {
  auto source = text_source(input);
  if (source.text.find('\n') == std::string_view::npos) source.line_end = '\r';
  const char separator = format == Format::tsv ? '\t' : guess_separator(source.text);
  const auto layout = find_layout(source, separator, options);
  const auto rows = RowPass(source, layout, options).scan(run);
  refuse_impossible_size(source, layout, rows.n_rows);
  const auto n_rows = static_cast<double>(rows.n_rows);
  const auto n_columns = static_cast<double>(layout.n_numbers);
  const auto n_texts = static_cast<double>(layout.roles.size() - layout.n_numbers);
  const double row_bytes = n_columns * sizeof(double) + n_texts * sizeof(std::string);
  check_size(source.name, n_rows, n_columns, n_rows, row_bytes, run);
  if (rows.n_rows == 1 && rows.label_row) {
    throw Error(ErrorCode::malformed_input,
                fmt::format("{}: no row of numbers beside the labels", source.name));
  }
  BlockParser parser(source, layout, rows);
  const auto n_blocks = static_cast<std::int64_t>(rows.blocks.size());
  const auto n_workers = std::min<std::int64_t>(worker_count(run), n_blocks);
  std::vector<std::vector<double>> numbers(static_cast<std::size_t>(n_workers));
  parallel_for_workers(run, "read", n_blocks, [&](std::int64_t block, int worker) {
    parser.parse(block, numbers[worker]);
  });
  return std::move(parser).take();
}

}  // namespace sfg::detail
