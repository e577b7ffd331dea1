#pragma once

namespace sfg::detail {

/// Teaches HDF5 the filter "lzf" of h5py, once; does nothing in a build without LibLZF.
void register_lzf();

}  // namespace sfg::detail
