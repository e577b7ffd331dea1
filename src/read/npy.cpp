#include "io/npy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/threads.hpp"
#include "read/npy_table.hpp"
#include "read/readers.hpp"
#include "sfg/error.hpp"

namespace sfg::detail {

/// The file has whole rows one after the other, the matrix has columns. Going tile by tile keeps
/// both sides in cache.
void fill_from_rows(const NpyTable& table, Index first, const RunContext& run,
                    DenseMatrix& matrix) {
  constexpr Index kTile = 64;
  const Index n_rows = matrix.n_samples();
  const Index n_columns = matrix.n_features();
  std::array<double, kTile> buffer{};
  for (Index row0 = 0; row0 < n_rows; row0 += std::min(kTile, n_rows - row0)) {
    check_stop(run);
    const Index row_end = row0 + std::min(kTile, n_rows - row0);
    for (Index column0 = 0; column0 < n_columns; column0 += std::min(kTile, n_columns - column0)) {
      const Index width = std::min(kTile, n_columns - column0);
      const std::span<double> items(buffer.data(), static_cast<std::size_t>(width));
      for (Index row = row0; row < row_end; ++row) {
        const Offset place = static_cast<Offset>(row) * table.n_columns + first + column0;
        npy_decode(table.header, table.bytes, place, items);
        for (Index k = 0; k < width; ++k) {
          matrix(row, column0 + k) = items[k];
        }
      }
    }
  }
}

void fill_from_columns(const NpyTable& table, Index first, const RunContext& run,
                       DenseMatrix& matrix) {
  for (Index column = 0; column < matrix.n_features(); ++column) {
    check_stop(run);
    npy_decode(table.header, table.bytes,
               (static_cast<Offset>(first) + column) * matrix.n_samples(), matrix.column(column));
  }
}

NpyShape npy_table_shape(const std::string& name, const NpyHeader& header) {
  check_npy_numeric(name, header);
  const auto rank = header.shape.size();
  if (rank == 0 || rank > 2) {
    throw Error(
        ErrorCode::malformed_input,
        fmt::format("{}: the array has {} dimensions ({}), but a table has 2; reshape it to "
                    "samples x features and save it again",
                    name, rank, fmt::join(header.shape, " x ")));
  }
  // A vector is one feature.
  const std::int64_t rows = header.shape[0];
  const std::int64_t columns = rank == 2 ? header.shape[1] : 1;
  check_size(name, static_cast<double>(rows), static_cast<double>(columns), 0, sizeof(double), {});
  return {static_cast<Index>(rows), static_cast<Index>(columns)};
}

RawTable read_npy(const InputBytes& input, const RunContext& run) {
  const NpyHeader header = parse_npy_header(input.name(), input.bytes());
  const NpyShape shape = npy_table_shape(input.name(), header);
  check_size(input.name(), shape.rows, shape.columns,
             static_cast<double>(shape.rows) * static_cast<double>(shape.columns), sizeof(double),
             run);
  DenseMatrix matrix(shape.rows, shape.columns);
  const NpyTable columns{header, input.bytes(), shape.columns};
  if (is_by_column(header, shape)) {
    fill_from_columns(columns, 0, run, matrix);
  } else {
    fill_from_rows(columns, 0, run, matrix);
  }
  RawTable table;
  table.matrix = std::move(matrix);
  return table;
}

}  // namespace sfg::detail
