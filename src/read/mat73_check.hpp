#pragma once

#include <filesystem>

namespace sfg::detail {

/// Goes through all arrays of a MAT file of version 7.3 (an HDF5 file) and throws malformed_input
/// if one claims far more data than the file holds, before matio allocates memory for it. Does
/// nothing in a build without HDF5.
void check_mat73(const std::filesystem::path& path);

}  // namespace sfg::detail
