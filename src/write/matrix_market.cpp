#include "io/text_sink.hpp"
#include "write/writers.hpp"

namespace sfg::detail {

namespace {

void add_sparse(const SparseMatrix& matrix, TextSink& sink) {
  for (Index feature = 0; feature < matrix.n_features; ++feature) {
    const auto rows = matrix.column_rows(feature);
    const auto values = matrix.column_values(feature);
    for (std::size_t k = 0; k < rows.size(); ++k) {
      sink.add_integer(Offset{rows[k]} + 1);
      sink.add(' ');
      sink.add_integer(Offset{feature} + 1);
      sink.add(' ');
      sink.add_number(values[k]);
      sink.add('\n');
    }
  }
}

void add_dense(const DenseMatrix& matrix, TextSink& sink) {
  for (Index feature = 0; feature < matrix.n_features(); ++feature) {
    for (const double value : matrix.column(feature)) {
      sink.add_number(value);
      sink.add('\n');
    }
  }
}

}  // namespace

void write_matrix_market(const Dataset& dataset, std::ostream& out) {
  TextSink sink(out);
  const auto* sparse = std::get_if<SparseMatrix>(&dataset.matrix);
  sink.add("%%MatrixMarket matrix ");
  sink.add(sparse != nullptr ? "coordinate" : "array");
  sink.add(" real general\n");
  sink.add_integer(n_samples(dataset.matrix));
  sink.add(' ');
  sink.add_integer(n_features(dataset.matrix));
  if (sparse != nullptr) {
    sink.add(' ');
    sink.add_integer(sparse->n_stored());
  }
  sink.add('\n');
  if (sparse != nullptr) {
    add_sparse(*sparse, sink);
  } else {
    add_dense(std::get<DenseMatrix>(dataset.matrix), sink);
  }
  sink.flush();
}

}  // namespace sfg::detail
