#include "read/mat5_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "io/size_check.hpp"
#include "read/compressed.hpp"

namespace sfg::detail {

namespace {

/// Memory for each byte of text: its character in 4 bytes while it is decoded, and up to 3 of
/// UTF-8.
constexpr double kMemoryPerTextByte = 8;
/// Memory for each entry of a sparse matrix: its row as stored and as ours, its value.
constexpr double kMemoryPerEntry = sizeof(std::uint32_t) + sizeof(Index) + sizeof(double);
/// Memory for each column of it: its start as stored and as ours.
constexpr double kMemoryPerColumn = sizeof(std::uint32_t) + sizeof(Offset);

using Texts = std::optional<std::vector<std::string>>;

Texts text_rows(Mat5Elements& elements, const Mat5Head& head) {
  const Mat5Tag tag = elements.characters_tag(head.n_items);
  return mat_text_rows(elements.characters(tag, head.n_items), head.extents);
}

/// The text of a cell, if it is one. Empty cells of any class are empty texts.
std::optional<std::string> cell_text(Mat5Elements& elements) {
  if (elements.left() == 0) return std::string();
  const Mat5Head head = elements.head();
  const bool has_items = head.kind != MatClass::sparse && head.kind != MatClass::opaque;
  if (has_items && head.n_items == 0) return std::string();
  if (head.kind != MatClass::character) return std::nullopt;
  Texts rows = text_rows(elements, head);
  if (!rows || rows->size() != 1) return std::nullopt;
  return std::move(rows->front());
}

Texts cell_texts(Mat5Elements& elements, const Mat5Head& head) {
  std::vector<std::string> texts;
  const std::uint64_t count = elements.item_count(head);
  texts.reserve(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    std::optional<std::string> text;
    elements.inside(elements.item_tag(), [&] { text = cell_text(elements); });
    if (!text) return std::nullopt;
    texts.push_back(std::move(*text));
  }
  return texts;
}

/// The arrays as they are stored, without spare room at their ends.
SparseMatrix sparse_arrays(Mat5Elements& elements, const Mat5Head& head, const std::string& what,
                           const RunContext& run) {
  const auto n_rows = static_cast<double>(head.extents[0]);
  const auto n_columns = static_cast<double>(head.extents[1]);
  const Mat5Tag row_tag = elements.sparse_rows_tag();
  const std::size_t n_stored = row_tag.size / sizeof(std::uint32_t);
  check_size(what, n_rows, n_columns,
             kMemoryPerEntry * static_cast<double>(n_stored) + kMemoryPerColumn * n_columns, 1,
             run);
  std::vector<std::uint32_t> rows(n_stored);
  elements.integers(row_tag, rows);
  std::vector<std::uint32_t> starts(head.extents[1] + 1);
  elements.integers(elements.sparse_starts_tag(head.extents[1]), starts);
  Mat5Tag value_tag = elements.sparse_values_tag(head);
  const std::size_t n_entries = starts.back();
  const bool are_bytes = value_tag.size == n_entries || value_tag.size == n_stored;
  if (head.is_logical && are_bytes) value_tag.type = Mat5Type::uint8;
  const std::uint64_t n_values =
      value_tag.size / std::max<std::uint64_t>(1, mat5_item_size(value_tag.type));
  if (n_entries > rows.size() || n_entries > n_values) {
    throw BrokenMat{
        fmt::format("its column starts promise {} entries, there are {} rows and {} values",
                    n_entries, rows.size(), n_values)};
  }
  SparseMatrix arrays;
  arrays.n_samples = static_cast<Index>(head.extents[0]);
  arrays.n_features = static_cast<Index>(head.extents[1]);
  arrays.starts.assign(starts.begin(), starts.end());
  arrays.rows.resize(n_entries);
  // Rows beyond the range of Index are out of range in any case: checked_sparse() refuses them.
  static constexpr std::uint32_t kLargestIndex = std::numeric_limits<Index>::max();
  std::transform(
      rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(n_entries), arrays.rows.begin(),
      [](std::uint32_t row) { return static_cast<Index>(std::min(row, kLargestIndex)); });
  arrays.values.resize(n_entries);
  elements.numbers(value_tag, arrays.values);
  return arrays;
}

}  // namespace

Mat5File::Mat5File(const std::string& name, std::string_view bytes)
    : MatFile(name), archive_(name, bytes) {
  for (const Mat5Archive::Variable& stored : archive_.variables()) {
    MatVariable variable;
    variable.name = stored.head.name;
    variable.extents = stored.head.extents;
    variable.kind = stored.head.kind;
    variable.is_complex = stored.head.is_complex;
    add(std::move(variable));
  }
}

DenseMatrix Mat5File::load_dense(const MatVariable& variable, const RunContext& run) const {
  const double n_items = variable.n_items();
  check_size(what(variable), static_cast<double>(variable.extents[0]),
             static_cast<double>(variable.extents[1]), n_items, sizeof(double), run);
  DenseMatrix matrix(static_cast<Index>(variable.extents[0]),
                     static_cast<Index>(variable.extents[1]));
  archive_.open(variable.number, [&](Mat5Elements& elements) {
    const auto count = static_cast<std::size_t>(n_items);
    elements.numbers(elements.numbers_tag(count), {matrix.data(), count});
  });
  return matrix;
}

SparseMatrix Mat5File::load_sparse(const MatVariable& variable, const RunContext& run) const {
  const Mat5Head& head = archive_.variables()[variable.number].head;
  SparseMatrix arrays;
  archive_.open(variable.number, [&](Mat5Elements& elements) {
    arrays = sparse_arrays(elements, head, what(variable), run);
  });
  return checked_sparse(what(variable), std::move(arrays), Compressed::by_columns);
}

Texts Mat5File::load_texts(const MatVariable& variable, const RunContext& run) const {
  const Mat5Archive::Variable& stored = archive_.variables()[variable.number];
  const Mat5Head& head = stored.head;
  const bool is_cell = head.kind == MatClass::cell;
  // More rows than bytes are no texts, see mat_text_rows().
  const std::uint64_t n_texts =
      is_cell ? head.n_items : std::min<std::uint64_t>(head.extents[0], head.n_items);
  check_size(what(variable), 1, 1,
             static_cast<double>(n_texts) * sizeof(std::string) +
                 static_cast<double>(stored.unpacked_bytes) * kMemoryPerTextByte,
             1, run);
  Texts texts;
  archive_.open(variable.number, [&](Mat5Elements& elements) {
    texts = is_cell ? cell_texts(elements, head) : text_rows(elements, head);
  });
  return texts;
}

}  // namespace sfg::detail
