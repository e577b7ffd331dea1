#pragma once

#include <variant>

#include "read/readers.hpp"

namespace sfg::testing {

/// The values of a table that was read; fails the test by an exception if they are of the other
/// kind.
inline DenseMatrix dense(const detail::RawTable& table) {
  return std::get<DenseMatrix>(table.matrix);
}
inline SparseMatrix sparse(const detail::RawTable& table) {
  return std::get<SparseMatrix>(table.matrix);
}

}  // namespace sfg::testing
