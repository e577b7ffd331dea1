#include "read/dialect.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "core/text.hpp"
#include "read/cell_values.hpp"
#include "read/delimited.hpp"
#include "read/front_lines.hpp"
#include "sfg/error.hpp"

namespace sfg::detail {

namespace {

constexpr std::string_view kCandidates = ",;\t|";
/// Lines and bytes that are looked at: enough for any habit of a file to show.
constexpr std::size_t kLines = 24;
constexpr std::size_t kBytes = std::size_t{1} << 20;
/// Cells of a line whose kind is looked at.
constexpr std::size_t kCellsOfLine = 64;
/// What an even cut is worth without a single number: text tables have a separator too.
constexpr double kWorthOfEvenCut = 0.5;
/// A cut into cells is believed if at least this share of the lines agrees.
constexpr double kFewestEven = 0.5;

/// How well a separator cuts the first lines.
struct Cut {
  std::size_t n_cells = 1;  ///< of most lines below the first
  double even = 0;          ///< share of the lines that have so many
  double numbers = 0;       ///< share of the cells below the first line that are numbers or missing

  [[nodiscard]] double score() const noexcept {
    return n_cells < 2 ? 0 : even * (kWorthOfEvenCut + numbers);
  }
};

bool is_number_or_missing(std::string_view text) {
  static const NumberStyle kPoint;
  return read_cell(text, kPoint).kind != CellKind::text || could_have_decimal_comma(text);
}

void count_numbers(const TextSource& source, std::string_view row, char separator,
                   std::size_t& n_numbers, std::size_t& n_cells) {
  CellScanner cells(row, separator);
  for (std::size_t k = 0; k < kCellsOfLine; ++k) {
    const auto cell = cells.next();
    if (!cell) return;
    ++n_cells;
    if (is_number_or_missing(cell_text(source, *cell))) ++n_numbers;
  }
}

Cut cut_by(const TextSource& source, std::string_view text, const Dialect& dialect) {
  std::map<std::size_t, std::size_t> lines_of;
  std::size_t n_lines = 0;
  std::size_t n_numbers = 0;
  std::size_t n_cells = 0;
  try {
    RowScanner rows(source, text, dialect);
    while (n_lines < kLines && rows.position() < kBytes) {
      const auto row = rows.next();
      if (!row) break;
      if (is_hollow(*row, dialect.separator) || row->starts_with('#')) continue;
      const bool is_first = n_lines++ == 0;
      // The first line may be a header of another length: it counts where it is the only one.
      lines_of[count_cells(*row, dialect.separator)] += is_first ? 1 : 2;
      if (!is_first) count_numbers(source, *row, dialect.separator, n_numbers, n_cells);
    }
  } catch (const Error&) {
    // Quotes that do not close under this separator, or not within the part that was looked at.
    return text.size() < source.text.size() ? cut_by(source, source.text, dialect) : Cut{};
  }
  if (lines_of.empty()) return {};
  const auto most =
      std::ranges::max_element(lines_of, {}, [](const auto& one) { return one.second; });
  std::size_t total = 0;
  for (const auto& [length, count] : lines_of) total += count;
  return {most->first, static_cast<double>(most->second) / static_cast<double>(total),
          n_cells == 0 ? 0 : static_cast<double>(n_numbers) / static_cast<double>(n_cells)};
}

char best_separator(const TextSource& source, const std::string& comment) {
  // The search for a quote would go through the whole file, once for every candidate.
  const auto text = source.text.substr(0, 4 * kBytes);
  char best = '\0';
  Cut best_cut;
  for (const char candidate : kCandidates) {
    const Cut cut = cut_by(source, text, {candidate, comment});
    const bool is_better = cut.score() > best_cut.score() ||
                           (cut.score() == best_cut.score() && cut.n_cells > best_cut.n_cells);
    if (cut.n_cells < 2 || !is_better) continue;
    best = candidate;
    best_cut = cut;
  }
  if (best_cut.n_cells > 1 && best_cut.even >= kFewestEven) return best;
  const Cut blanks = cut_by(source, text, {' ', comment});
  return blanks.score() > best_cut.score() ? ' ' : best;
}

/// "x" over 1,5 and 2,5: one column with decimal commas, and not a column with row names. Row names
/// that programs number go 1, 2, 3 or 0, 1, 2.
bool is_one_decimal_column(const TextSource& source, const std::string& comment) {
  const Dialect commas{',', comment};
  const auto part = source.text.substr(0, kBytes);
  if (part.find('"') != std::string_view::npos) return false;
  RowScanner rows(source, part, commas);
  const auto heading = rows.next();
  if (!heading || count_cells(*heading, ',') != 1) return false;
  bool is_numbered = true;
  std::size_t n_rows = 0;
  while (n_rows < kLines) {
    const auto row = rows.next();
    if (!row || is_hollow(*row, ',')) break;
    const auto text = trimmed(*row);
    const auto number = parse_number(text.substr(0, text.find(',')));
    if (!could_have_decimal_comma(text) && !parse_number(text)) return false;
    const auto place = static_cast<double>(n_rows++);
    is_numbered = is_numbered && (number == place || number == place + 1);
  }
  return n_rows > 1 && !is_numbered;
}

std::optional<char> given_separator(const ReadOptions& options) {
  const std::string& sep = options.sep;
  if (sep.empty()) return std::nullopt;
  if (sep == "tab" || sep == "\\t" || sep == "\t") return '\t';
  if (sep == "space" || sep == " ") return ' ';
  constexpr std::string_view kImpossible = "\"\r\n.+-0123456789";
  if (sep.size() != 1 || kImpossible.find(sep.front()) != std::string_view::npos) {
    throw Error(ErrorCode::invalid_option, fmt::format("{} separates no cells", in_quotes(sep)), "",
                {"sep", "give one character, 'tab' or 'space' as {sep}"});
  }
  return sep.front();
}

}  // namespace

Dialect find_dialect(const TextSource& source, Format format, const ReadOptions& options) {
  Dialect dialect;
  dialect.comment = options.comment;
  // The series of the Gene Expression Omnibus have lines of this kind around their table.
  dialect.is_comment_guessed = options.comment.empty() && source.text.starts_with("!Series_");
  if (dialect.is_comment_guessed) dialect.comment = "!";
  if (const auto given = given_separator(options)) {
    dialect.separator = *given;
    return dialect;
  }
  if (const auto line = separator_line(source.text)) {
    dialect.separator = line->separator;
    return dialect;
  }
  const bool has_tab = source.text.substr(0, kBytes).find('\t') != std::string_view::npos;
  if (format == Format::tsv && has_tab) {
    dialect.separator = '\t';
    return dialect;
  }
  dialect.is_guessed = true;
  const char best = best_separator(source, dialect.comment);
  if (best == ',' && is_one_decimal_column(source, dialect.comment)) {
    dialect.separator = ';';
  } else if (best != '\0') {
    dialect.separator = best;
  } else {
    dialect.separator = format == Format::tsv ? '\t' : ',';
  }
  return dialect;
}

std::string separator_name(char separator) {
  if (separator == '\t') return "tab";
  if (separator == ' ') return "blanks";
  return in_quotes({&separator, 1});
}

std::optional<char> given_decimal(const ReadOptions& options) {
  if (options.decimal.empty()) return std::nullopt;
  if (options.decimal == "." || options.decimal == ",") return options.decimal.front();
  throw Error(ErrorCode::invalid_option,
              fmt::format("{} is no decimal mark", in_quotes(options.decimal)), "",
              {"decimal", "give . or , as {decimal}"});
}

}  // namespace sfg::detail
