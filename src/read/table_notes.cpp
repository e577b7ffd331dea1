#include "read/table_notes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/text.hpp"
#include "read/column_roles.hpp"

namespace sfg::detail {

namespace {

constexpr std::size_t kNamesInNote = 6;

std::string counted_noun(std::int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

class NoteMaker {
 public:
  NoteMaker(const TextSource& source, const TableLayout& layout, const ParsedColumns& parsed,
            const RawTable& table, const ReadOptions& options)
      : source_(source), layout_(layout), parsed_(parsed), table_(table), options_(options) {}

  std::vector<Note> make() {
    note_dialect();
    note_header();
    note_labels();
    note_hollow();
    note_front();
    note_first_column();
    note_texts();
    note_nearly_numbers();
    note_odd_cells();
    note_words();
    return std::move(notes_);
  }

 private:
  void add(Note::About about, std::string text, Hint hint = {}) {
    notes_.push_back({about, std::move(text), std::move(hint)});
  }

  [[nodiscard]] std::string name_of(std::size_t column) const {
    if (!layout_.headings.empty() && !layout_.headings[column].empty()) {
      return escaped(layout_.headings[column]);
    }
    return fmt::format("column {}", column + 1);
  }

  void note_dialect();
  void note_header();
  void note_labels();
  void note_hollow();
  void note_front();
  void note_first_column();
  void note_texts();
  void note_nearly_numbers();
  void note_odd_cells();
  void note_words();
  [[nodiscard]] std::string odd_text(std::size_t column) const;

  const TextSource& source_;
  const TableLayout& layout_;
  const ParsedColumns& parsed_;
  const RawTable& table_;
  const ReadOptions& options_;
  std::vector<Note> notes_;
};

void NoteMaker::note_dialect() {
  const char separator = layout_.dialect.separator;
  const bool says_separator =
      layout_.dialect.is_guessed && separator != ',' && layout_.columns.size() > 1;
  const bool says_decimal = layout_.is_decimal_guessed && layout_.style.decimal == ',';
  if (!says_separator && !says_decimal) return;
  std::string text =
      says_separator ? fmt::format("cells are taken as separated by {}", separator_name(separator))
                     : "numbers are taken";
  if (says_decimal)
    text += says_separator ? ", numbers with decimal commas" : " with decimal commas";
  add(Note::About::form, text,
      {"sep", says_decimal && says_separator ? "{sep} and {decimal} change that"
              : says_decimal                 ? "{decimal=.} changes that"
                                             : "{sep} changes that"});
}

void NoteMaker::note_header() {
  if (!layout_.header.is_open) return;
  if (layout_.header.is_header) {
    add(Note::About::form,
        fmt::format("the first line is taken for the header: {}", layout_.header.reason),
        {"header", "{header=false} if it is a sample"});
  } else {
    add(Note::About::form,
        fmt::format("the first line is taken for a sample, {}", layout_.header.reason),
        {"header", "{header=true} if it names the columns"});
  }
}

void NoteMaker::note_labels() {
  if (!layout_.knows_labels) return;
  add(Note::About::form,
      fmt::format("the last column, {}, is taken for the labels: its cells are in quotes, as sfg "
                  "writes labels",
                  in_quotes(layout_.heading_of(CellRole::label))));
}

void NoteMaker::note_hollow() {
  std::vector<std::string> parts;
  if (layout_.n_comments > 0) {
    parts.push_back(layout_.n_comments == 1
                        ? "1 line that starts with #"
                        : fmt::format("{} lines that start with #", layout_.n_comments));
  }
  if (layout_.n_hollow_rows > 0) {
    parts.push_back(fmt::format("{} at the end", counted_noun(layout_.n_hollow_rows, "empty row")));
  }
  if (parsed_.n_hollow_tails > 0) parts.emplace_back("empty cells behind the last column");
  if (table_.n_empty_columns > 0) {
    parts.push_back(counted_noun(table_.n_empty_columns, "empty column") + " without a name");
  }
  if (parts.empty()) return;
  std::string text = parts.front();
  for (std::size_t i = 1; i < parts.size(); ++i) {
    text += (i + 1 < parts.size() ? ", " : " and ") + parts[i];
  }
  const bool is_one = parts.size() == 1 && (layout_.n_comments == 1 || layout_.n_hollow_rows == 1 ||
                                            table_.n_empty_columns == 1);
  add(Note::About::form, text + (is_one ? " is left out" : " are left out"));
}

/// Titles above the header, units below it, lines of another kind.
void NoteMaker::note_front() {
  if (layout_.dialect.is_comment_guessed) {
    add(Note::About::form, "lines that start with ! are left out",
        {"comment", "{comment} names another mark"});
  }
  if (layout_.n_titles > 0) {
    add(Note::About::form,
        fmt::format("{} above the header {} left out: {}", counted_noun(layout_.n_titles, "line"),
                    layout_.n_titles == 1 ? "is" : "are", in_quotes(layout_.titles)));
  }
  if (!layout_.units.empty()) {
    add(Note::About::form,
        fmt::format("the line below the header has no numbers and is left out, as it seems to give "
                    "units: {}",
                    in_quotes(layout_.units)));
  }
  if (layout_.may_be_one_column) {
    add(Note::About::form,
        "there is one heading over two cells, so the first is taken for the name of the row",
        {"decimal", "add {sep=';'} and {decimal=,} if the commas are decimal marks"});
  }
}

/// A first column that would be names but for values that come twice.
void NoteMaker::note_first_column() {
  const Column& first = layout_.columns[0];
  if (!first.is_fixed || first.role != CellRole::text || options_.features_in_rows) return;
  if (!options_.sample_ids.empty() || layout_.knows_labels) return;
  const auto& values = table_.texts.front().values;
  if (is_nearly_numbers(values, layout_.style)) return;
  add(Note::About::form,
      first.is_measured
          ? fmt::format(
                "{} has numbers with other text such as {}, so it does not name the samples",
                name_of(0), in_quotes(values.front()))
          : fmt::format("{} has equal values in several rows, so it does not name the samples",
                        name_of(0)),
      {"sample_ids", "{sample_ids} names another column"});
}

void NoteMaker::note_texts() {
  std::vector<std::string> names;
  for (const TextColumn& column : table_.texts) {
    const bool is_given =
        column.name == trimmed(options_.batch) ||
        std::ranges::find(options_.sample_ids, column.name) != options_.sample_ids.end();
    if (is_given) continue;
    const bool is_moment = column.kind == TextKind::date || column.kind == TextKind::time;
    names.push_back(escaped(column.name) +
                    (is_moment ? fmt::format(" ({}s)", choice_name(column.kind)) : ""));
  }
  if (names.empty()) return;
  const std::string what =
      fmt::format("{} of {} {} not numbers and {} no feature{}: {}", names.size(),
                  counted_noun(static_cast<std::int64_t>(layout_.columns.size()), "column"),
                  names.size() == 1 ? "is" : "are", names.size() == 1 ? "is" : "are",
                  names.size() == 1 ? "" : "s", some_of(names));
  const bool can_encode = options_.encode == Encoding::none && !options_.features_in_rows &&
                          std::ranges::any_of(table_.texts, [](const TextColumn& column) {
                            return column.kind == TextKind::category;
                          });
  add(Note::About::columns, what,
      can_encode ? Hint{"encode", "{encode=onehot} makes features of categories"} : Hint{});
}

/// "heavy" in line 3, "<5" in line 9
std::string NoteMaker::odd_text(std::size_t column) const {
  std::string text;
  for (const OddCell& cell : parsed_.counts[column].odd) {
    text += fmt::format("{}{} in line {}", text.empty() ? "" : ", ", in_quotes(cell.text),
                        source_.line_of(cell.place));
  }
  return text;
}

/// Texts of which many are numbers: someone may wonder why they are left out.
void NoteMaker::note_nearly_numbers() {
  for (const TextColumn& column : table_.texts) {
    if (!is_nearly_numbers(column.values, layout_.style)) continue;
    std::int64_t n_odd = 0;
    std::string example;
    for (const std::string& value : column.values) {
      if (read_cell(value, layout_.style).kind != CellKind::text) continue;
      if (n_odd++ == 0) example = in_quotes(value);
    }
    if (n_odd == 0) continue;
    add(Note::About::cells,
        fmt::format("{} would be numbers but for {} such as {}", escaped(column.name),
                    counted_noun(n_odd, "cell"), example),
        {"na_values", "if they mean that a value is missing, name them by {na_values}"});
  }
}

void NoteMaker::note_odd_cells() {
  std::vector<std::string> parts;
  std::int64_t n_odd = 0;
  for (std::size_t j = 0; j < layout_.columns.size(); ++j) {
    const ColumnCounts& counts = parsed_.counts[j];
    if (layout_.columns[j].role != CellRole::number || counts.n_odd == 0) continue;
    n_odd += counts.n_odd;
    parts.push_back(
        fmt::format("{}: {}{}", name_of(j), odd_text(j),
                    counts.n_odd > static_cast<std::int64_t>(counts.odd.size()) ? ", ..." : ""));
  }
  if (parts.empty()) return;
  const std::size_t n_shown = std::min<std::size_t>(parts.size(), 3);
  add(Note::About::cells,
      fmt::format(
          "{} no number{} and count{} as missing ({}{})",
          n_odd == 1 ? "1 cell is" : fmt::format("{} cells are", n_odd), n_odd == 1 ? "" : "s",
          n_odd == 1 ? "s" : "",
          fmt::join(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(n_shown), "; "),
          parts.size() > n_shown ? fmt::format("; and {} more columns", parts.size() - n_shown)
                                 : ""));
}

void NoteMaker::note_words() {
  std::vector<std::string> flags;
  std::vector<std::string> shares;
  std::vector<std::string> amounts;
  for (std::size_t j = 0; j < layout_.columns.size(); ++j) {
    if (layout_.columns[j].role != CellRole::number) continue;
    if (parsed_.counts[j].n_flags > 0) flags.push_back(name_of(j));
    if (parsed_.counts[j].n_percent > 0) shares.push_back(name_of(j));
    if (parsed_.counts[j].n_currency > 0) amounts.push_back(name_of(j));
  }
  if (!flags.empty()) {
    add(Note::About::cells,
        fmt::format("true and false are read as 1 and 0 in {}", some_of(flags)));
  }
  if (!shares.empty()) {
    add(Note::About::cells, fmt::format("50% is read as 0.5 in {}", some_of(shares)));
  }
  if (!amounts.empty()) {
    add(Note::About::cells,
        fmt::format("signs of currencies are left out in {}", some_of(amounts)));
  }
}

}  // namespace

std::string some_of(const std::vector<std::string>& names) {
  const std::size_t n_shown =
      names.size() == kNamesInNote + 1 ? names.size() : std::min(names.size(), kNamesInNote);
  std::string text;
  for (std::size_t i = 0; i < n_shown; ++i) text += (i == 0 ? "" : ", ") + names[i];
  if (n_shown < names.size()) text += fmt::format(" and {} more", names.size() - n_shown);
  return text;
}

std::vector<Note> table_notes(const TextSource& source, const TableLayout& layout,
                              const ParsedColumns& parsed, const RawTable& table,
                              const ReadOptions& options) {
  return NoteMaker(source, layout, parsed, table, options).make();
}

}  // namespace sfg::detail
