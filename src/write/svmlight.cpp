#include <fmt/format.h>

#include <cmath>
#include <string_view>

#include "core/text.hpp"
#include "io/text_sink.hpp"
#include "sfg/error.hpp"
#include "write/writers.hpp"

namespace sfg::detail {

namespace {

/// A number, or several with commas between them (a sample of several classes).
bool is_numeric_label(std::string_view label) {
  for (;;) {
    const auto comma = label.find(',');
    const auto number = parse_number(label.substr(0, comma));
    if (!number || !std::isfinite(*number)) return false;
    if (comma == std::string_view::npos) return true;
    label.remove_prefix(comma + 1);
  }
}

void check_labels(const Dataset& dataset) {
  if (!dataset.labels) return;
  const auto& values = dataset.labels->values;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (is_numeric_label(values[i])) continue;
    throw Error(
        ErrorCode::inconsistent_input,
        fmt::format("svmlight files hold numbers as labels, but sample {} has \"{}\"; write "
                    "csv or mat, or number the classes",
                    i + 1, escaped(values[i])));
  }
}

class SampleWriter {
 public:
  SampleWriter(const Dataset& dataset, std::ostream& out) : dataset_(dataset), sink_(out) {}

  void start(Index sample) {
    if (dataset_.labels) {
      sink_.add(dataset_.labels->values[sample]);
    } else {
      sink_.add('0');
    }
  }
  void add(Index feature, double value) {
    if (value == 0) return;
    sink_.add(' ');
    sink_.add_integer(Offset{feature} + 1);
    sink_.add(':');
    sink_.add_number(value);
  }
  void end() { sink_.add('\n'); }
  void flush() { sink_.flush(); }

 private:
  const Dataset& dataset_;
  TextSink sink_;
};

void write_sparse(const SparseMatrix& matrix, SampleWriter& writer) {
  const auto by_rows = std::get<SparseMatrix>(transpose(Matrix(matrix)));
  for (Index sample = 0; sample < matrix.n_samples; ++sample) {
    const auto features = by_rows.column_rows(sample);
    const auto values = by_rows.column_values(sample);
    writer.start(sample);
    for (std::size_t k = 0; k < features.size(); ++k) writer.add(features[k], values[k]);
    writer.end();
  }
}

}  // namespace

void write_svmlight(const Dataset& dataset, std::ostream& out) {
  check_labels(dataset);
  SampleWriter writer(dataset, out);
  if (const auto* sparse = std::get_if<SparseMatrix>(&dataset.matrix)) {
    write_sparse(*sparse, writer);
  } else {
    for_each_row(dataset.matrix, [&](Index sample, std::span<const double> values) {
      writer.start(sample);
      for (std::size_t i = 0; i < values.size(); ++i) writer.add(static_cast<Index>(i), values[i]);
      writer.end();
    });
  }
  writer.flush();
}

}  // namespace sfg::detail
