#pragma once

#include <string>
#include <string_view>

// Names of users in texts for other programs: whatever they hold, they stay names.
namespace sfg::detail {

/// Text for XML: markup escaped; bytes that are no UTF-8 and characters that XML 1.0 cannot hold
/// become U+FFFD.
[[nodiscard]] std::string xml_text(std::string_view text);

/// Text for a cell of a Markdown table: markup escaped, line ends as blanks.
[[nodiscard]] std::string markdown_text(std::string_view text);

/// Text for LaTeX: special characters as commands, control characters as blanks.
[[nodiscard]] std::string latex_text(std::string_view text);

/// A cell of a CSV or TSV file, in quotes where it has to be. All usual separators count: a reader
/// may guess the separator from the header.
[[nodiscard]] std::string csv_cell(std::string_view text);

}  // namespace sfg::detail
