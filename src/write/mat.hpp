#pragma once

#include <filesystem>

#include "sfg/dataset.hpp"

namespace sfg::detail {

/// Versions of the MAT format: 5 holds at most 2 GB per variable, 7.3 (an HDF5 file) any size.
enum class MatVersion { v5, v73 };

/// The oldest version that can hold the data.
[[nodiscard]] MatVersion mat_version_for(const Dataset& dataset);

/// write_mat() in a given version. Throws cannot_write.
void write_mat_version(const Dataset& dataset, const std::filesystem::path& path,
                       MatVersion version);

}  // namespace sfg::detail
