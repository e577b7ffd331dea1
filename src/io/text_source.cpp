#include "io/text_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <optional>
#include <utility>

#include "core/text.hpp"
#include "io/size_check.hpp"
#include "sfg/error.hpp"

namespace sfg::detail {

namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
/// A NUL byte this early means that the file is no text at all.
constexpr std::size_t kExaminedBytes = 4096;
constexpr std::size_t kQuotedBytes = 40;

/// By its mark, or by a NUL in every second byte of its start.
bool is_utf16(std::string_view text) {
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff")) return true;
  constexpr std::size_t kLooked = 16;
  if (text.size() < kLooked) return false;
  std::array<std::size_t, 2> n_nul{};
  for (std::size_t i = 0; i < kLooked; ++i) n_nul[i % 2] += text[i] == '\0' ? 1 : 0;
  return (n_nul[0] == kLooked / 2 && n_nul[1] == 0) || (n_nul[1] == kLooked / 2 && n_nul[0] == 0);
}

bool has_ascending_rows(const SparseMatrix& matrix) {
  for (Index column = 0; column < matrix.n_features; ++column) {
    const auto rows = matrix.column_rows(column);
    if (std::ranges::adjacent_find(rows, std::greater_equal{}) != rows.end()) return false;
  }
  return true;
}

void drop_zeros(SparseMatrix& matrix) {
  if (std::ranges::find(matrix.values, 0.0) == matrix.values.end()) return;
  std::size_t n_kept = 0;
  std::size_t next = 0;
  for (std::size_t column = 0; column + 1 < matrix.starts.size(); ++column) {
    for (const auto end = static_cast<std::size_t>(matrix.starts[column + 1]); next < end; ++next) {
      if (matrix.values[next] == 0) continue;
      matrix.rows[n_kept] = matrix.rows[next];
      matrix.values[n_kept++] = matrix.values[next];
    }
    matrix.starts[column + 1] = static_cast<Offset>(n_kept);
  }
  matrix.rows.resize(n_kept);
  matrix.values.resize(n_kept);
}

/// Files list their entries by rows or by columns: then one pass puts each into its column, in
/// order. Nothing if the entries come in another order or twice.
std::optional<SparseMatrix> assemble_ordered(Index rows, Index columns,
                                             const std::vector<Triplet>& entries) {
  SparseMatrix result;
  result.n_samples = rows;
  result.n_features = columns;
  result.starts.assign(static_cast<std::size_t>(columns) + 1, 0);
  result.rows.resize(entries.size());
  result.values.resize(entries.size());
  for (const auto& entry : entries) ++result.starts[entry.column + 1];
  std::partial_sum(result.starts.begin(), result.starts.end(), result.starts.begin());
  std::vector<Offset> next(result.starts.begin(), result.starts.end() - 1);
  for (const auto& entry : entries) {
    const auto place = static_cast<std::size_t>(next[entry.column]++);
    result.rows[place] = entry.row;
    result.values[place] = entry.value;
  }
  if (!has_ascending_rows(result)) return std::nullopt;
  drop_zeros(result);
  return result;
}

}  // namespace

std::int64_t TextSource::line_of(const char* place) const {
  return 1 + std::count(text.data(), place, line_end);
}

void TextSource::refuse(const char* place, const std::string& fault, const Hint& hint) const {
  throw Error(ErrorCode::malformed_input, fault, fmt::format("{}: line {}", name, line_of(place)),
              hint);
}

TextSource text_source(const InputBytes& input) {
  auto text = input.bytes();
  if (is_utf16(text)) {
    throw Error(ErrorCode::malformed_input,
                fmt::format("{0}: the text is UTF-16; save it as UTF-8, or: iconv -f UTF-16 -t "
                            "UTF-8 {0} > table.csv",
                            input.name()));
  }
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  const auto nul = text.substr(0, kExaminedBytes).find('\0');
  if (nul != std::string_view::npos) {
    throw Error(ErrorCode::malformed_input,
                fmt::format("not a text file (byte {} is NUL)", nul + 1), input.name(),
                {"input_format", "give its {input_format} if it is not a text file"});
  }
  if (text.find_first_not_of(" \t\r\n\v\f") == std::string_view::npos) {
    throw Error(ErrorCode::malformed_input,
                fmt::format("{}: the file is empty; it must hold a table", input.name()));
  }
  return {input.name(), text, '\n'};
}

std::string in_quotes(std::string_view text) {
  std::size_t length = std::min(text.size(), kQuotedBytes);
  // Never cut inside a UTF-8 character: its later bytes are 10xxxxxx.
  while (length > 0 && length < text.size() &&
         (static_cast<unsigned char>(text[length]) & 0xc0U) == 0x80U) {
    --length;
  }
  const bool cut = length < text.size();
  return fmt::format("\"{}{}\"", escaped(text.substr(0, length)), cut ? "..." : "");
}

std::string_view next_line(std::string_view& rest) noexcept {
  const auto end = rest.find('\n');
  const auto line = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  return line;
}

std::string_view next_word(std::string_view& rest) noexcept {
  const auto is_blank = [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); };
  const auto* const first = std::ranges::find_if_not(rest, is_blank);
  const auto* const last = std::find_if(first, rest.end(), is_blank);
  const std::string_view word(first, last);
  rest = std::string_view(last, rest.end());
  return word;
}

std::vector<std::string_view> split_at_lines(std::string_view text, std::size_t piece_bytes) {
  std::vector<std::string_view> pieces;
  while (!text.empty()) {
    auto end = text.size() > piece_bytes ? text.find('\n', piece_bytes) : std::string_view::npos;
    end = end == std::string_view::npos ? text.size() : end + 1;
    pieces.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return pieces;
}

void check_sparse_size(const std::string& name, double rows, double columns, double entries,
                       const RunContext& run) {
  // The triplets with their order, then the sorted columns; starts of rows and columns; names.
  constexpr double kEntryBytes = sizeof(Triplet) + sizeof(Offset) + sizeof(Index) + sizeof(double);
  constexpr double kLineBytes = sizeof(Offset) + sizeof(std::string);
  check_size(name, rows, columns, kEntryBytes * entries + kLineBytes * (rows + columns), 1, run);
}

SparseMatrix assemble_table(const std::string& name, Index rows, Index columns,
                            const std::vector<Triplet>& entries) {
  if (auto ordered = assemble_ordered(rows, columns, entries)) return *std::move(ordered);
  try {
    return assemble(rows, columns, entries, RepeatedEntries::refuse);
  } catch (const Error& error) {
    throw Error(error.code(), error.fault(), name, error.hint());
  }
}

}  // namespace sfg::detail
