#include "read/layout.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/text.hpp"
#include "read/chosen_columns.hpp"
#include "read/front_lines.hpp"
#include "read/table_body.hpp"
#include "sfg/error.hpp"

namespace sfg::detail {

namespace {

/// Finds the layout step by step; each step sees what the ones before it found.
class LayoutFinder {
 public:
  LayoutFinder(const TextSource& source, const Dialect& dialect, const ReadOptions& options)
      : source_(source), options_(options) {
    layout_.dialect = dialect;
  }

  TableLayout find() {
    read_rows();
    drop_titles();
    decide_header();
    drop_units();
    decide_width();
    mark_given_columns();
    mark_labels_of_ours();
    mark_texts();
    mark_row_names();
    return std::move(layout_);
  }

 private:
  void read_rows();
  void drop_titles();
  void decide_header();
  void drop_units();
  [[nodiscard]] std::vector<std::string> named_columns() const;
  [[nodiscard]] bool names_places() const;
  void check_header_options() const;
  void refuse_short_first() const;
  void decide_width();
  void trim_headings(std::size_t n_cells);
  void mark_given_columns();
  void mark_labels_of_ours();
  void mark_texts();
  void mark_row_names();
  void fix(std::size_t column, CellRole role);
  [[nodiscard]] std::size_t n_rows() const { return rows_.size() - first_data_; }
  [[nodiscard]] bool is_all_quoted(std::size_t column) const;
  [[nodiscard]] bool is_mostly_text(std::size_t column) const;

  const TextSource& source_;
  const ReadOptions& options_;
  TableLayout layout_;
  std::string_view body_;
  std::vector<FirstRow> rows_;
  std::size_t first_data_ = 0;  ///< first of `rows_` that is below the header
  bool is_one_short_ = false;   ///< the header leaves out the row names, as R writes it
};

void LayoutFinder::read_rows() {
  const TableBody body = find_body(source_, layout_.dialect);
  body_ = body.text;
  layout_.n_comments = body.n_comments;
  layout_.n_hollow_rows = body.n_hollow_rows;
  layout_.style = NumberStyle::of(options_);
  rows_ = read_first_rows(source_, body_, layout_.dialect, layout_.style);
  if (rows_.empty()) {
    throw Error(ErrorCode::malformed_input, "there are only comments and no row", source_.name,
                {"comment", "check {comment}"});
  }
  const auto given = given_decimal(options_);
  layout_.is_decimal_guessed = !given;
  layout_.style.decimal = given ? *given : guess_decimal(rows_, layout_.dialect.separator);
  if (body.has_marked_header) {
    auto& cells = rows_.front().cells;
    if (cells[0].text == "#" && layout_.dialect.separator == ' ') cells.erase(cells.begin());
    if (cells[0].text.size() > 1) cells[0].text = trimmed(cells[0].text.substr(1));
  }
  read_again(rows_, layout_.style);
  for (const FirstRow& row : rows_) {
    for (const FirstCell& cell : row.cells) {
      layout_.has_points = layout_.has_points || (layout_.style.decimal == '.' && cell.has_point &&
                                                  cell.value.is_value());
    }
  }
  if (body.has_marked_header && !options_.header) layout_.header = {true};
}

/// Leaves out lines above the header, if the user does not say that there is none.
void LayoutFinder::drop_titles() {
  if (options_.header == false || layout_.header.is_header) return;
  const std::size_t n_titles = count_titles(rows_, options_.known_names);
  if (n_titles == 0) return;
  for (const FirstCell& cell : rows_[0].cells) {
    layout_.titles += (layout_.titles.empty() || cell.text.empty() ? "" : " ") + cell.text;
  }
  layout_.n_titles = static_cast<std::int64_t>(n_titles);
  const std::size_t start = rows_[n_titles].start;
  body_ = body_.substr(start);
  rows_.erase(rows_.begin(), rows_.begin() + static_cast<std::ptrdiff_t>(n_titles));
  for (FirstRow& row : rows_) row.start -= start;
}

/// Leaves out a row of units below the header.
void LayoutFinder::drop_units() {
  if (first_data_ == 0 || options_.features_in_rows || !is_units_row(rows_, first_data_)) return;
  for (const FirstCell& cell : rows_[first_data_].cells) {
    if (!cell.text.empty()) layout_.units += (layout_.units.empty() ? "" : ", ") + cell.text;
  }
  ++first_data_;
  layout_.data = body_.substr(rows_[first_data_].start);
}

std::vector<std::string> LayoutFinder::named_columns() const {
  std::vector<std::string> names = options_.sample_ids;
  names.insert(names.end(), options_.columns.begin(), options_.columns.end());
  names.insert(names.end(), options_.drop.begin(), options_.drop.end());
  return names;
}

/// Whether columns are named, all of them by their places: f0, f1, as tables without a header have
/// it.
bool LayoutFinder::names_places() const {
  const auto names = named_columns();
  return !names.empty() && std::ranges::all_of(names, [](const std::string& name) {
    return name.starts_with('f') && name.size() > 1 &&
           name.find_first_not_of("0123456789", 1) == std::string::npos;
  });
}

void LayoutFinder::check_header_options() const {
  const auto names = named_columns();
  if (options_.header != false || names.empty() || names_places()) return;
  throw Error(ErrorCode::invalid_option,
              fmt::format("{} is a heading, but the file is said to have no header",
                          in_quotes(names.front())),
              "", {"header", "leave out {header=false}, or name no columns"});
}

void LayoutFinder::decide_header() {
  check_header_options();
  const bool names_columns = !named_columns().empty() && !names_places();
  if (options_.header) {
    layout_.header = {*options_.header};
  } else if (names_columns && !options_.features_in_rows) {
    layout_.header = {true};
  } else if (!layout_.header.is_header) {
    layout_.header = guess_header(rows_, options_.known_names);
  }
  layout_.data = body_;
  if (!layout_.header.is_header) return;
  if (rows_.size() < 2) {
    throw Error(ErrorCode::malformed_input,
                fmt::format("{}: there is a header but no row of data below it", source_.name));
  }
  first_data_ = 1;
  layout_.data = body_.substr(rows_[1].start);
  for (const FirstCell& cell : rows_[0].cells) layout_.headings.push_back(cell.text);
}

/// Headings beyond the cells of every row: empty ones, and separators of another dialect in the
/// last one ("AH,,,,,").
void LayoutFinder::trim_headings(std::size_t n_cells) {
  auto& headings = layout_.headings;
  while (headings.size() > n_cells && headings.back().empty()) headings.pop_back();
  if (layout_.dialect.separator == ',') return;
  auto& last = headings.back();
  const auto end = last.find_last_not_of(",; \t");
  if (end != std::string::npos) last.resize(end + 1);
}

/// A first line that is shorter than all others, which agree, is the odd one.
void LayoutFinder::refuse_short_first() const {
  constexpr std::size_t kRowsThatAgree = 2;
  const std::size_t length = rows_[0].cells.size();
  const std::size_t others = rows_.back().cells.size();
  if (rows_.size() <= kRowsThatAgree || others <= length + 1) return;
  const bool agree = std::all_of(rows_.begin() + 1, rows_.end(), [&](const FirstRow& row) {
    return row.cells.size() == others &&
           !is_hollow(row.cells.back().text, layout_.dialect.separator);
  });
  if (!agree) return;
  const auto line = body_.substr(0, body_.find(source_.line_end));
  source_.refuse(
      line.data(),
      fmt::format("{} {} over rows of {}: {}; if it is a title or a count, it has to go; "
                  "if it names the columns, check its separators",
                  length, length == 1 ? "cell" : "cells", others, in_quotes(line)));
}

void LayoutFinder::decide_width() {
  refuse_short_first();
  if (!layout_.header.is_header) {
    layout_.columns.resize(rows_[0].cells.size());
    if (names_places())
      layout_.headings = generated_names(static_cast<Index>(rows_[0].cells.size()));
    return;
  }
  std::size_t n_one_more = 0;
  std::size_t longest = 0;
  for (std::size_t i = first_data_; i < rows_.size(); ++i) {
    const auto& cells = rows_[i].cells;
    longest = std::max(longest, cells.size());
    const bool is_one_more = cells.size() == layout_.headings.size() + 1;
    n_one_more += is_one_more && !is_hollow(cells.back().text, layout_.dialect.separator) ? 1 : 0;
  }
  trim_headings(longest);
  // R leaves out the heading of the row names. Rows whose further cell is empty only have a
  // separator at their end.
  is_one_short_ = 2 * n_one_more > n_rows();
  const bool has_quotes = std::ranges::any_of(rows_[first_data_].cells, &FirstCell::has_quotes);
  layout_.may_be_one_column = is_one_short_ && layout_.headings.size() == 1 && !has_quotes &&
                              layout_.dialect.separator == ',' && layout_.dialect.is_guessed &&
                              !is_mostly_text(0);
  if (is_one_short_) layout_.headings.insert(layout_.headings.begin(), std::string());
  layout_.columns.resize(layout_.headings.size());
}

void LayoutFinder::fix(std::size_t column, CellRole role) {
  layout_.columns[column].role = role;
  layout_.columns[column].is_fixed = true;
}

/// What the options say about columns.
void LayoutFinder::mark_given_columns() {
  if (options_.features_in_rows) {
    if (options_.sample_ids.empty()) return;
    throw Error(ErrorCode::invalid_option,
                "with features in rows the header holds the sample names", source_.name,
                {"sample_ids", "leave out {sample_ids}"});
  }
  const auto named = [&](const std::vector<std::string>& wanted, const char* field) {
    return find_columns(source_.name, layout_.headings, wanted, field);
  };
  if (!options_.columns.empty()) {
    for (std::size_t j = 0; j < layout_.columns.size(); ++j) fix(j, CellRole::skipped);
    layout_.columns[0].is_fixed = false;  // it may name the samples
    for (const std::size_t j : named(options_.columns, "columns")) layout_.columns[j] = {};
    layout_.has_chosen_columns = true;
  }
  for (const std::size_t j : named(options_.drop, "drop")) fix(j, CellRole::skipped);
  const auto label = std::ranges::find(layout_.headings, trimmed(options_.labels));
  if (!options_.labels.empty() && label != layout_.headings.end()) {
    fix(named({options_.labels}, "labels").front(), CellRole::label);
  }
  const auto batch = std::ranges::find(layout_.headings, trimmed(options_.batch));
  if (!options_.batch.empty() && options_.batch != options_.labels &&
      batch != layout_.headings.end()) {
    fix(named({options_.batch}, "batch").front(), CellRole::text);
  }
  const auto ids = named(options_.sample_ids, "sample_ids");
  for (std::size_t k = 0; k < ids.size(); ++k) {
    if (layout_.columns[ids[k]].role == CellRole::label) {
      throw Error(ErrorCode::invalid_option,
                  fmt::format("column {} cannot hold both the labels and the sample names",
                              in_quotes(options_.labels)));
    }
    fix(ids[k], k == 0 ? CellRole::row_name : CellRole::text);
  }
}

bool LayoutFinder::is_all_quoted(std::size_t column) const {
  bool any = false;
  for (std::size_t i = first_data_; i < rows_.size(); ++i) {
    if (column >= rows_[i].cells.size()) continue;
    const FirstCell& cell = rows_[i].cells[column];
    if (!cell.has_quotes) return false;
    any = any || cell.is_quoted;
  }
  return any;
}

/// sfg puts the heading and every value of the labels into quotes, numbers too, and no feature's
/// value: so the last column is known again for what it is.
void LayoutFinder::mark_labels_of_ours() {
  const std::size_t last = layout_.columns.size() - 1;
  if (!layout_.header.is_header || options_.features_in_rows || last == 0) return;
  if (layout_.columns[last].is_fixed || !rows_[0].cells.back().has_quotes) return;
  bool has_plain_numbers = false;
  for (std::size_t j = 0; j < last; ++j) {
    const bool is_quoted = is_all_quoted(j);
    if (is_quoted && j > 0) return;
    has_plain_numbers = has_plain_numbers || (!is_quoted && !is_mostly_text(j));
    // Headings that need no quotes have none: those of names that are texts.
    const std::size_t at = is_one_short_ ? j - 1 : j;
    const bool is_corner = is_one_short_ && j == 0;
    if (!is_corner && rows_[0].cells[at].is_quoted && rows_[0].cells[at].is_text()) return;
  }
  if (!has_plain_numbers || !is_all_quoted(last)) return;
  if (!options_.labels.empty()) {
    layout_.columns[last].role = CellRole::text;
    layout_.columns[last].is_fixed = true;
    return;
  }
  fix(last, CellRole::label);
  layout_.knows_labels = true;
}

bool LayoutFinder::is_mostly_text(std::size_t column) const {
  std::size_t n_texts = 0;
  std::size_t n_values = 0;
  for (std::size_t i = first_data_; i < rows_.size(); ++i) {
    if (column >= rows_[i].cells.size()) continue;
    const FirstCell& cell = rows_[i].cells[column];
    n_texts += cell.is_text() ? 1 : 0;
    n_values += cell.value.is_value() ? 1 : 0;
  }
  return n_texts > n_values;
}

void LayoutFinder::mark_texts() {
  for (std::size_t j = 0; j < layout_.columns.size(); ++j) {
    Column& column = layout_.columns[j];
    if (!column.is_fixed && is_mostly_text(j)) column.role = CellRole::text;
  }
}

/// The first column holds the row names if it has no heading, or texts, or numbers in quotes where
/// no others are. Whether they all differ shows when all are read.
void LayoutFinder::mark_row_names() {
  Column& first = layout_.columns[0];
  if (first.is_fixed || layout_.columns.size() < 2 || !options_.sample_ids.empty()) return;
  // Names of features: that they differ is asked for later, as of any features.
  const bool has_texts = first.role == CellRole::text;
  if (options_.features_in_rows && (layout_.header.is_header || has_texts)) {
    fix(0, CellRole::row_name);
    return;
  }
  const bool has_empty_corner = layout_.header.is_header && layout_.headings[0].empty();
  bool others_quoted = false;
  for (std::size_t j = 1; j < layout_.columns.size(); ++j) {
    others_quoted =
        others_quoted || (layout_.columns[j].role == CellRole::number && is_all_quoted(j));
  }
  first.is_unnamed = has_empty_corner;
  first.has_quotes = is_all_quoted(0) && !others_quoted && first.role == CellRole::number;
  if (has_empty_corner || first.has_quotes || has_texts) {
    first.role = CellRole::row_name;
  }
}

}  // namespace

std::size_t TableLayout::count(CellRole role) const noexcept {
  return static_cast<std::size_t>(std::ranges::count(columns, role, &Column::role));
}

std::string TableLayout::heading_of(CellRole role) const {
  const auto column = std::ranges::find(columns, role, &Column::role) - columns.begin();
  return headings.empty() ? std::string() : headings[static_cast<std::size_t>(column)];
}

TableLayout find_layout(const TextSource& source, const Dialect& dialect,
                        const ReadOptions& options) {
  return LayoutFinder(source, dialect, options).find();
}

void refuse_ragged(const TextSource& source, std::string_view row, const TableLayout& layout) {
  constexpr std::string_view kCommentMarks = "#%!/;";
  const auto found = count_cells(row, layout.dialect.separator);
  const std::size_t expected = layout.columns.size();
  const bool may_be_comment = layout.dialect.comment.empty() && !row.empty() &&
                              kCommentMarks.find(row.front()) != std::string_view::npos;
  const std::string fault = fmt::format(
      "{} where {}{} {} expected{}",
      row.empty() ? "an empty line" : fmt::format("{} {}", found, found == 1 ? "cell" : "cells"),
      expected,
      !row.empty()    ? ""
      : expected == 1 ? " cell"
                      : " cells",
      expected == 1 ? "was" : "were", row.empty() ? "" : ": " + in_quotes(row));
  if (may_be_comment) {
    source.refuse(row.data(), fault, {"comment", "if it is a comment, name its mark by {comment}"});
  }
  source.refuse(row.data(),
                fault + (found == 1 && expected > 1
                             ? "; titles, footnotes and empty lines have to go"
                             : "; every row must have as many cells as the first: check for lost "
                               "separators and unquoted text"));
}

}  // namespace sfg::detail
