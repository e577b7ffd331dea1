#pragma once

#ifdef SFG_WITH_HDF5

#include "io/hdf5.hpp"
#include "sfg/matrix.hpp"

namespace sfg::detail {

/// The matrix of an h5ad file: a dataset (dense), or a group of compressed rows or columns
/// (sparse). Throws malformed_input or over_memory.
[[nodiscard]] Matrix read_h5ad_matrix(const Hdf5Node& node, const RunContext& run);

}  // namespace sfg::detail

#endif
