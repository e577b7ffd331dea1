#include "io/npy.hpp"

#include <algorithm>

#include "write/writers.hpp"

namespace sfg::detail {

namespace {

void write_values(std::span<const double> values, std::ostream& out) {
  out.write(reinterpret_cast<const char*>(values.data()),
            static_cast<std::streamsize>(values.size_bytes()));
}

/// npy has no sparse arrays: zeros are written out, one column at a time.
void write_columns(const SparseMatrix& sparse, std::ostream& out) {
  std::vector<double> column(static_cast<std::size_t>(sparse.n_samples));
  for (Index feature = 0; feature < sparse.n_features; ++feature) {
    std::ranges::fill(column, 0.0);
    const auto rows = sparse.column_rows(feature);
    const auto values = sparse.column_values(feature);
    for (std::size_t k = 0; k < rows.size(); ++k) {
      column[rows[k]] = values[k];
    }
    write_values(column, out);
  }
}

void write_columns(const DenseMatrix& dense, std::ostream& out) {
  for (Index feature = 0; feature < dense.n_features(); ++feature) {
    write_values(dense.column(feature), out);
  }
}

}  // namespace

void write_npy(const Dataset& dataset, std::ostream& out) {
  const std::int64_t shape[] = {n_samples(dataset.matrix), n_features(dataset.matrix)};
  // Columns are contiguous here, which numpy calls Fortran order.
  constexpr bool kFortranOrder = true;
  out << npy_header("<f8", shape, kFortranOrder);
  std::visit([&](const auto& matrix) { write_columns(matrix, out); }, dataset.matrix);
}

}  // namespace sfg::detail
