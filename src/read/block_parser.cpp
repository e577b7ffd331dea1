#include "read/block_parser.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "core/text.hpp"
#include "core/threads.hpp"
#include "io/size_check.hpp"
#include "sfg/error.hpp"

namespace sfg::detail {

namespace {

/// Odd cells of a column that a note can show.
constexpr std::size_t kOddShown = 3;

constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

template <typename Integer>
std::size_t size_of(Integer value) {
  return static_cast<std::size_t>(value);
}

/// What one worker needs for itself.
struct Worker {
  std::vector<double> numbers;  ///< of a block, by rows
  std::vector<ColumnCounts> counts;
  std::int64_t n_hollow_tails = 0;
};

class BlockParser {
 public:
  BlockParser(const TextSource& source, const TableLayout& layout, const RowBlocks& rows)
      : source_(source),
        layout_(layout),
        rows_(rows),
        separator_(layout.dialect.separator),
        n_numbers_(layout.count(CellRole::number)),
        is_plain_(layout.style.decimal == '.'),
        has_codes_(!layout.style.missing_numbers.empty()) {
    const std::size_t n = size_of(rows.n_samples());
    parsed_.numbers = DenseMatrix(rows.n_samples(), static_cast<Index>(n_numbers_));
    parsed_.texts.resize(layout.count(CellRole::text));
    for (auto& text : parsed_.texts) text.resize(n);
    if (layout.count(CellRole::row_name) > 0) parsed_.row_names.resize(n);
    if (layout.count(CellRole::label) > 0) parsed_.labels.resize(n);
    std::size_t n_texts = 0;
    for (const Column& column : layout.columns) {
      text_slots_.push_back(n_texts);
      n_texts += column.role == CellRole::text ? 1 : 0;
    }
  }

  void parse(std::int64_t block, Worker& worker) {
    worker.numbers.resize(rows_.rows_per_block * n_numbers_);
    worker.counts.resize(layout_.columns.size());
    std::int64_t file_row = block * static_cast<std::int64_t>(rows_.rows_per_block);
    const std::size_t first = size_of(file_row) - (is_below_labels(file_row) ? 1 : 0);
    std::size_t n_parsed = 0;
    RowScanner scanner(source_, rows_.blocks[size_of(block)], layout_.dialect);
    for (; const auto row = scanner.next(); ++file_row) {
      if (rows_.label_row == file_row) {
        parse_label_row(*row);
      } else {
        parse_row(*row, first + n_parsed, worker.numbers.data() + n_parsed * n_numbers_, worker);
        ++n_parsed;
      }
    }
    store(worker.numbers.data(), first, n_parsed);
  }

  ParsedColumns take(const std::vector<Worker>& workers) && {
    parsed_.counts.resize(layout_.columns.size());
    for (const Worker& worker : workers) {
      parsed_.n_hollow_tails += worker.n_hollow_tails;
      for (std::size_t j = 0; j < worker.counts.size(); ++j) {
        parsed_.counts[j].add(worker.counts[j]);
      }
    }
    return std::move(parsed_);
  }

 private:
  [[nodiscard]] bool is_below_labels(std::int64_t file_row) const {
    return rows_.label_row && file_row > *rows_.label_row;
  }

  [[nodiscard]] const char* after_blanks(const char* place, const char* end) const {
    if (separator_ != ' ') return place;
    return std::find_if(place, end, [](char c) { return c != ' '; });
  }

  void parse_row(std::string_view row, std::size_t sample, double* out, Worker& worker) {
    const char* const end = row.data() + row.size();
    const char* place = after_blanks(row.data(), end);
    const std::size_t n_columns = layout_.columns.size();
    for (std::size_t cell = 0; cell < n_columns; ++cell) {
      if (cell > 0) {
        if (place++ == end) refuse_ragged(source_, row, layout_);
        place = after_blanks(place, end);
      }
      const CellRole role = layout_.columns[cell].role;
      if (role == CellRole::number && is_plain_) {
        const auto [stop, error] = std::from_chars(place, end, *out);
        if (error == std::errc{} && (stop == end || *stop == separator_)) {
          if (has_codes_ && layout_.style.is_missing(*out)) *out = kNoNumber;
          place = stop;
          ++out;
          continue;
        }
      }
      const auto text = *CellScanner({place, end}, separator_).next();
      switch (role) {
        case CellRole::number:
          *out++ = parse_cell(text, row, worker.counts[cell]);
          break;
        case CellRole::row_name:
          parsed_.row_names[sample] = cell_text(source_, text);
          break;
        case CellRole::label:
          parsed_.labels[sample] = cell_text(source_, text);
          break;
        case CellRole::text:
          parsed_.texts[text_slots_[cell]][sample] = cell_text(source_, text);
          break;
        case CellRole::skipped:
          break;
      }
      place += text.size();
    }
    if (place == end) return;
    const std::string_view tail(place, size_of(end - place));
    if (!is_hollow(tail, separator_)) refuse_ragged(source_, row, layout_);
    worker.n_hollow_tails += separator_ == ' ' ? 0 : 1;
  }

  /// Numbers that are not written plainly: blanks, quotes, marks, words, missing, out of range.
  [[nodiscard]] double parse_cell(std::string_view cell, std::string_view row,
                                  ColumnCounts& counts) const {
    auto text = trimmed(cell);
    std::string unquoted;
    if (text.starts_with('"')) text = unquoted = cell_text(source_, cell);
    const CellValue value = read_cell(text, layout_.style);
    if (value.kind == CellKind::text) {
      refuse_broken(text, cell, row);
      counts.add_odd(cell.data(), text);
    }
    counts.n_flags += value.kind == CellKind::flag ? 1 : 0;
    counts.n_percent += value.kind == CellKind::percent ? 1 : 0;
    counts.n_currency += value.kind == CellKind::currency ? 1 : 0;
    return value.value;
  }

  /// A lost or added separator moves text under the wrong heading: that comes first. A NUL byte is
  /// in no text.
  void refuse_broken(std::string_view text, std::string_view cell, std::string_view row) const {
    const auto n_cells = count_cells(row, separator_);
    if (n_cells < layout_.columns.size()) refuse_ragged(source_, row, layout_);
    if (text.find('\0') == std::string_view::npos) return;
    CellScanner cells(row, separator_);
    std::size_t column = 1;
    for (auto one = cells.next(); one && one->data() + one->size() < cell.data(); ++column) {
      one = cells.next();
    }
    source_.refuse(cell.data(),
                   fmt::format("column {}: {} is not a number, and no text has a NUL byte", column,
                               in_quotes(text)));
  }

  void parse_label_row(std::string_view row) {
    const auto texts = row_texts(source_, row, separator_);
    std::size_t n_numbers = 0;
    if (texts.size() < layout_.columns.size()) refuse_ragged(source_, row, layout_);
    parsed_.label_row_name = texts[0];
    parsed_.labels.resize(n_numbers_);
    for (std::size_t j = 0; j < layout_.columns.size(); ++j) {
      if (layout_.columns[j].role == CellRole::number) parsed_.labels[n_numbers++] = texts[j];
    }
  }

  /// From rows to columns, a few columns at a time, so that each cache line read is used up.
  void store(const double* numbers, std::size_t first, std::size_t n_rows) {
    constexpr std::size_t kColumnsAtOnce = 8;
    for (std::size_t left = 0; left < n_numbers_; left += kColumnsAtOnce) {
      const std::size_t right = std::min(n_numbers_, left + kColumnsAtOnce);
      for (std::size_t column = left; column < right; ++column) {
        double* target = parsed_.numbers.column(static_cast<Index>(column)).data() + first;
        for (std::size_t row = 0; row < n_rows; ++row) {
          target[row] = numbers[row * n_numbers_ + column];
        }
      }
    }
  }

  const TextSource& source_;
  const TableLayout& layout_;
  const RowBlocks& rows_;
  const char separator_;
  const std::size_t n_numbers_;
  const bool is_plain_;   ///< a number with a decimal point is what it looks like
  const bool has_codes_;  ///< some numbers mean "missing"
  std::vector<std::size_t> text_slots_;
  ParsedColumns parsed_;
};

void check_table_size(const TextSource& source, const TableLayout& layout, const RowBlocks& rows,
                      const RunContext& run) {
  const auto n_columns = static_cast<double>(layout.columns.size());
  const auto n_numbers = static_cast<double>(layout.count(CellRole::number));
  const auto n_skipped = static_cast<double>(layout.count(CellRole::skipped));
  const double n_texts = n_columns - n_numbers - n_skipped;
  const auto n_rows = static_cast<double>(rows.n_rows);
  const double row_bytes = n_numbers * sizeof(double) + n_texts * sizeof(std::string);
  check_size(source.name, n_rows, n_columns, n_rows, row_bytes, run);
}

}  // namespace

void ColumnCounts::add_odd(const char* place, std::string_view text) {
  ++n_odd;
  if (odd.size() == kOddShown && odd.back().place < place) return;
  const auto at = std::ranges::lower_bound(odd, place, {}, &OddCell::place);
  odd.insert(at, {place, std::string(text)});
  if (odd.size() > kOddShown) odd.pop_back();
}

void ColumnCounts::add(const ColumnCounts& other) {
  const std::int64_t total = n_odd + other.n_odd;
  for (const OddCell& cell : other.odd) add_odd(cell.place, cell.text);
  n_odd = total;
  n_flags += other.n_flags;
  n_percent += other.n_percent;
  n_currency += other.n_currency;
}

ParsedColumns parse_rows(const TextSource& source, const TableLayout& layout, const RowBlocks& rows,
                         const RunContext& run) {
  check_table_size(source, layout, rows, run);
  BlockParser parser(source, layout, rows);
  const auto n_blocks = static_cast<std::int64_t>(rows.blocks.size());
  const auto n_workers = std::min<std::int64_t>(worker_count(run), n_blocks);
  std::vector<Worker> workers(static_cast<std::size_t>(n_workers));
  parallel_for_workers(run, "read", n_blocks, [&](std::int64_t block, int worker) {
    parser.parse(block, workers[worker]);
  });
  return std::move(parser).take(workers);
}

}  // namespace sfg::detail
