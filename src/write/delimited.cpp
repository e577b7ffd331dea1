// CSV and TSV: a header, then a row per sample: its name, the features, its label.
#include <string>
#include <string_view>

#include "core/markup.hpp"
#include "io/text_sink.hpp"
#include "write/writers.hpp"

namespace sfg::detail {

namespace {

void add_text_cell(std::string_view text, TextSink& sink) {
  sink.add(csv_cell(text));
}

}  // namespace

void write_delimited(const Dataset& dataset, char separator, std::ostream& out) {
  TextSink sink(out);
  const bool has_names = !dataset.sample_names.empty();
  if (has_names) {
    add_text_cell(dataset.sample_column.empty() ? "sample" : dataset.sample_column, sink);
  }
  for (std::size_t i = 0; i < dataset.feature_names.size(); ++i) {
    if (has_names || i > 0) sink.add(separator);
    add_text_cell(dataset.feature_names[i], sink);
  }
  if (dataset.labels) {
    sink.add(separator);
    add_text_cell(dataset.labels->name.empty() ? "label" : dataset.labels->name, sink);
  }
  sink.add('\n');
  for_each_row(dataset.matrix, [&](Index sample, std::span<const double> values) {
    const auto row = static_cast<std::size_t>(sample);
    if (has_names) add_text_cell(dataset.sample_names[row], sink);
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (has_names || i > 0) sink.add(separator);
      sink.add_number(values[i]);
    }
    if (dataset.labels) {
      sink.add(separator);
      add_text_cell(dataset.labels->values[row], sink);
    }
    sink.add('\n');
  });
  sink.flush();
}

}  // namespace sfg::detail
