#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/input_bytes.hpp"
#include "sfg/error.hpp"
#include "sfg/matrix.hpp"
#include "sfg/run_context.hpp"

// What the readers of text formats share: places for messages, lines, words and blocks.
namespace sfg::detail {

/// A text with its name. Lines are counted only when a message needs a number: everything points
/// into `text`.
struct TextSource {
  std::string name;
  std::string_view text;  ///< without byte order mark
  char line_end = '\n';

  /// Number of the line that holds this byte, counted from 1.
  [[nodiscard]] std::int64_t line_of(const char* place) const;
  /// Throws malformed_input: "NAME: line 3: MESSAGE".
  [[noreturn]] void refuse(const char* place, const std::string& fault,
                           const Hint& hint = {}) const;
};

/// The input as text; throws malformed_input where it cannot be (empty, UTF-16, NUL bytes at its
/// start).
[[nodiscard]] TextSource text_source(const InputBytes& input);

/// A piece of the file for a message: escaped, in quotes, cut if long.
[[nodiscard]] std::string in_quotes(std::string_view text);

/// Cuts the first line off `rest` and returns it without its line end.
[[nodiscard]] std::string_view next_line(std::string_view& rest) noexcept;

/// Cuts the first word off `rest` and returns it; empty when only blanks are left.
[[nodiscard]] std::string_view next_word(std::string_view& rest) noexcept;

/// Pieces of whole lines, for threads to share.
[[nodiscard]] std::vector<std::string_view> split_at_lines(std::string_view text,
                                                           std::size_t piece_bytes);

/// check_size for a sparse table made from `entries` triplets, with the names it will need.
void check_sparse_size(const std::string& name, double rows, double columns, double entries,
                       const RunContext& run);

/// assemble() that refuses repeated entries, with the file's name in its message.
[[nodiscard]] SparseMatrix assemble_table(const std::string& name, Index rows, Index columns,
                                          const std::vector<Triplet>& entries);

}  // namespace sfg::detail
