#pragma once

#include <string>
#include <string_view>

#include "io/npy.hpp"
#include "sfg/matrix.hpp"
#include "sfg/run_context.hpp"

namespace sfg::detail {

/// What an npy file says of its table.
struct NpyShape {
  Index rows = 0;
  Index columns = 0;
};

/// Throws malformed_input unless the array is a table of numbers (a vector is one column).
[[nodiscard]] NpyShape npy_table_shape(const std::string& name, const NpyHeader& header);

/// Whether whole columns of the table follow one another in the file, else whole rows.
[[nodiscard]] inline bool is_by_column(const NpyHeader& header, const NpyShape& shape) noexcept {
  return header.fortran_order || shape.columns == 1;
}

/// The numbers of an npy file as columns: those of the table, or of the turned one.
struct NpyTable {
  const NpyHeader& header;
  std::string_view bytes;
  Index n_columns = 0;  ///< in the file
};

/// Fills a matrix with as many columns as it has, from `first` on. The rows, or the columns, follow
/// one another in the file.
void fill_from_rows(const NpyTable& table, Index first, const RunContext& run, DenseMatrix& matrix);
void fill_from_columns(const NpyTable& table, Index first, const RunContext& run,
                       DenseMatrix& matrix);

}  // namespace sfg::detail
