#pragma once

#include <string>
#include <string_view>

#include "io/text_source.hpp"
#include "sfg/read.hpp"

// How a CSV file is written: what separates its cells, and its decimal mark.
//
// The separator is the one that cuts the first lines best: into equal numbers of cells, of which
// many are numbers. So "1,5;2,5" is cut at the semicolon, as the comma would leave "5;2". Blanks
// separate only where nothing else does. A file called .tsv has tabs, if it has any.
//
// The decimal mark is a comma if cells such as 2,6 (no group of thousands) outnumber those with a
// point, or if there are only cells such as 1,234 and the comma does not separate.
namespace sfg::detail {

struct Dialect {
  char separator = ',';
  std::string comment = {};  ///< lines that start with it are no rows; empty: all are rows
  bool is_guessed = false;   ///< neither the user nor the file says the separator
  bool is_comment_guessed = false;
};

/// Throws invalid_option for options that name no separator.
[[nodiscard]] Dialect find_dialect(const TextSource& source, Format format,
                                   const ReadOptions& options);

/// "tab", "blanks" or the character in quotes.
[[nodiscard]] std::string separator_name(char separator);

/// The decimal mark that the options name; nothing if they leave it to the file. Throws
/// invalid_option for another one than point and comma.
[[nodiscard]] std::optional<char> given_decimal(const ReadOptions& options);

}  // namespace sfg::detail
