#include "io/npy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/threads.hpp"
#include "read/readers.hpp"
#include "sfg/error.hpp"

namespace sfg::detail {

namespace {

/// The file has whole rows one after the other, the matrix has columns. Going tile by tile keeps
/// both sides in cache.
void fill_from_rows(const NpyHeader& header, std::string_view bytes, const RunContext& run,
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
        npy_decode(header, bytes, static_cast<Offset>(row) * n_columns + column0, items);
        for (Index k = 0; k < width; ++k) {
          matrix(row, column0 + k) = items[k];
        }
      }
    }
  }
}

void fill_from_columns(const NpyHeader& header, std::string_view bytes, const RunContext& run,
                       DenseMatrix& matrix) {
  for (Index column = 0; column < matrix.n_features(); ++column) {
    check_stop(run);
    npy_decode(header, bytes, static_cast<Offset>(column) * matrix.n_samples(),
               matrix.column(column));
  }
}

}  // namespace

RawTable read_npy(const InputBytes& input, const RunContext& run) {
  const NpyHeader header = parse_npy_header(input.name(), input.bytes());
  check_npy_numeric(input.name(), header);
  const auto rank = header.shape.size();
  if (rank == 0 || rank > 2) {
    throw Error(
        ErrorCode::malformed_input,
        fmt::format("{}: the array has {} dimensions ({}), but a table has 2; reshape it to "
                    "samples x features and save it again",
                    input.name(), rank, fmt::join(header.shape, " x ")));
  }
  // A vector is one feature.
  const std::int64_t rows = header.shape[0];
  const std::int64_t columns = rank == 2 ? header.shape[1] : 1;
  check_size(input.name(), static_cast<double>(rows), static_cast<double>(columns),
             static_cast<double>(rows) * static_cast<double>(columns), sizeof(double), run);

  DenseMatrix matrix(static_cast<Index>(rows), static_cast<Index>(columns));
  if (header.fortran_order || columns == 1) {
    fill_from_columns(header, input.bytes(), run, matrix);
  } else {
    fill_from_rows(header, input.bytes(), run, matrix);
  }
  RawTable table;
  table.matrix = std::move(matrix);
  return table;
}

}  // namespace sfg::detail
