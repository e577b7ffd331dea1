// CSV and TSV: a header, then a row per sample: its name, the features, the columns that are not
// numbers, its label. Names that look like numbers are in quotes, so that a header stays a header
// and names stay names; so are all labels, by which the reader knows them again. Other programs
// take quotes for what they are in CSV: nothing.
#include <string>
#include <string_view>

#include "core/markup.hpp"
#include "io/text_sink.hpp"
#include "read/cell_values.hpp"
#include "write/writers.hpp"

namespace sfg::detail {

namespace {

enum class Quotes { where_needed, always };

void add_quoted(std::string_view text, Quotes quotes, TextSink& sink) {
  const std::string cell = csv_cell(text);
  const bool has_quotes = cell.starts_with('"');
  if (quotes == Quotes::always && !has_quotes) {
    sink.add('"' + cell + '"');
  } else {
    sink.add(cell);
  }
}

/// A name of a feature or sample: in quotes if it could be a number, a missing value or a comment.
void add_name(std::string_view name, TextSink& sink) {
  static const NumberStyle kPoint;
  const bool is_plain = read_cell(name, kPoint).kind == CellKind::text && !name.starts_with('#');
  add_quoted(name, is_plain ? Quotes::where_needed : Quotes::always, sink);
}

void add_header(const Dataset& dataset, char separator, TextSink& sink) {
  bool is_first = true;
  const auto next = [&] {
    if (!is_first) sink.add(separator);
    is_first = false;
  };
  if (!dataset.sample_names.empty()) {
    next();
    add_name(dataset.sample_column.empty() ? "sample" : dataset.sample_column, sink);
  }
  for (const std::string& name : dataset.feature_names) {
    next();
    add_name(name, sink);
  }
  for (const TextColumn& column : dataset.texts) {
    next();
    add_name(column.name, sink);
  }
  if (dataset.labels) {
    next();
    const bool has_name = !dataset.labels->name.empty();
    add_quoted(has_name ? dataset.labels->name : "label", Quotes::always, sink);
  }
  sink.add('\n');
}

}  // namespace

void write_delimited(const Dataset& dataset, char separator, std::ostream& out) {
  TextSink sink(out);
  const bool has_names = !dataset.sample_names.empty();
  add_header(dataset, separator, sink);
  for_each_row(dataset.matrix, [&](Index sample, std::span<const double> values) {
    const auto row = static_cast<std::size_t>(sample);
    if (has_names) add_name(dataset.sample_names[row], sink);
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (has_names || i > 0) sink.add(separator);
      sink.add_number(values[i]);
    }
    for (const TextColumn& column : dataset.texts) {
      sink.add(separator);
      add_quoted(column.values[row], Quotes::where_needed, sink);
    }
    if (dataset.labels) {
      sink.add(separator);
      add_quoted(dataset.labels->values[row], Quotes::always, sink);
    }
    sink.add('\n');
  });
  sink.flush();
}

}  // namespace sfg::detail
