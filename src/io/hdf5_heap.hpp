#pragma once

#include <string>
#include <string_view>

namespace sfg::detail {

/// Checks the heaps in which an HDF5 file keeps its variable-length texts: every text must lie
/// inside its heap. HDF5 itself does not look and reads beyond its memory, or for ever. Throws
/// malformed_input.
void check_hdf5_heaps(const std::string& name, std::string_view bytes);

}  // namespace sfg::detail
