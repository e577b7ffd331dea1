#pragma once

#include <string>

#include "sfg/matrix.hpp"

namespace sfg::detail {

/// Whether the starts of a compressed sparse matrix count columns (CSC) or rows (CSR).
enum class Compressed { by_columns, by_rows };

/// Turns the arrays of a compressed sparse matrix, as a file has them, into a SparseMatrix of the
/// file's orientation: entries are sorted, zeros dropped. The arrays come as a SparseMatrix whose
/// "features" are the compressed lines (rows of the file for CSR). Throws malformed_input (message
/// starts with `what`) unless starts ascend and fit, indices are in range and none is repeated.
[[nodiscard]] SparseMatrix checked_sparse(const std::string& what, SparseMatrix arrays,
                                          Compressed compressed);

}  // namespace sfg::detail
