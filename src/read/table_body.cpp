#include "read/table_body.hpp"

#include <fmt/format.h>

#include "core/text.hpp"
#include "read/front_lines.hpp"
#include "sfg/error.hpp"

namespace sfg::detail {

namespace {

/// The text without blank lines before and after the rows.
std::string_view without_blank_lines(const TextSource& source, std::string_view text,
                                     char separator) {
  const std::string_view blanks = separator == '\t' ? " \r\n" : " \t\r\n";
  const auto first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) {
    throw Error(ErrorCode::malformed_input,
                fmt::format("{}: the file is empty; it must hold a table", source.name));
  }
  // Blanks may belong to the first and to the last row: cut at line ends.
  const auto before = text.substr(0, first).rfind(source.line_end);
  const auto start = before == std::string_view::npos ? 0 : before + 1;
  const auto end = text.find(source.line_end, text.find_last_not_of(blanks));
  return text.substr(start, end == std::string_view::npos ? end : end - start);
}

/// Cuts off rows of separators alone at the end; the first row stays, whatever it is.
void drop_hollow_rows(const TextSource& source, char separator, TableBody& body) {
  while (true) {
    const auto line_end = body.text.rfind(source.line_end);
    if (line_end == std::string_view::npos) return;
    if (!is_hollow(body.text.substr(line_end + 1), separator)) return;
    body.text = body.text.substr(0, line_end);
    ++body.n_hollow_rows;
  }
}

/// Passes over lines that start with '#'. The last of them is the header if it has as many cells as
/// the row below.
void drop_comments(const TextSource& source, const Dialect& dialect, TableBody& body) {
  if (!dialect.comment.empty()) return;
  std::string_view last;
  std::size_t start = 0;
  while (body.text.substr(start).starts_with('#')) {
    const auto end = body.text.find(source.line_end, start);
    if (end == std::string_view::npos) return;
    last = body.text.substr(start);
    start = end + 1;
    ++body.n_comments;
  }
  if (body.n_comments == 0) return;
  const auto rest = body.text.substr(start);
  const auto line_of = [&](std::string_view text) {
    return text.substr(0, text.find(source.line_end));
  };
  auto heading = line_of(last);
  // "# a b": where blanks separate, the mark is no cell of its own.
  if (dialect.separator == ' ') heading.remove_prefix(1);
  const auto n_cells = count_cells(heading, dialect.separator);
  body.has_marked_header = n_cells > 1 && n_cells == count_cells(line_of(rest), dialect.separator);
  if (body.has_marked_header) --body.n_comments;
  body.text = body.has_marked_header ? last : rest;
}

}  // namespace

TableBody find_body(const TextSource& source, const Dialect& dialect) {
  TableBody body;
  const auto separator = separator_line(source.text);
  body.text = without_blank_lines(source, source.text.substr(separator ? separator->length : 0),
                                  dialect.separator);
  drop_comments(source, dialect, body);
  body.text = without_blank_lines(source, body.text, dialect.separator);
  drop_hollow_rows(source, dialect.separator, body);
  return body;
}

}  // namespace sfg::detail
