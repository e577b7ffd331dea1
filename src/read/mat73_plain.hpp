#pragma once

#ifdef SFG_WITH_HDF5

#include <optional>
#include <string>
#include <vector>

#include "io/hdf5.hpp"
#include "read/mat_file.hpp"

// Variables of MAT files of version 7.3 that other programs than MATLAB wrote. matio only knows a
// variable's class if the attribute that names it ends in a NUL, and h5py pads it another way.
namespace sfg::detail {

/// Sets class and complexity of a variable from its dataset; leaves it as it is where that holds
/// neither numbers nor characters nor cells.
void describe_plain(const Hdf5Node& dataset, MatVariable& variable);

/// Its numbers: MATLAB's rows are HDF5's columns.
[[nodiscard]] DenseMatrix plain_numbers(const Hdf5Node& dataset, const RunContext& run);

/// Its texts: one per row of characters, or one per cell; nothing where a cell holds no text.
[[nodiscard]] std::optional<std::vector<std::string>> plain_texts(const Hdf5Node& dataset,
                                                                  const MatVariable& variable,
                                                                  const RunContext& run);

}  // namespace sfg::detail

#endif
