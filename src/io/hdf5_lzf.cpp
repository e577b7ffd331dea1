#include "io/hdf5_lzf.hpp"

#if defined(SFG_WITH_HDF5) && defined(SFG_WITH_LZF)

#include <hdf5.h>
#include <lzf.h>

#include <cerrno>
#include <cstdlib>
#include <mutex>

namespace sfg::detail {

namespace {

/// The number that The HDF Group gave to the filter of h5py.
constexpr H5Z_filter_t kLzf = 32000;
/// Where h5py notes the bytes of a chunk.
constexpr std::size_t kChunkBytesPlace = 2;
/// LZF cannot shrink data more than this: 264 bytes become 3.
constexpr std::size_t kLargestRatio = 88;

/// Called by HDF5 for each chunk: unpacks it into memory of malloc(), as HDF5 wants it. 0: failed.
std::size_t unpack_chunk(unsigned flags, std::size_t n_values, const unsigned* values,
                         std::size_t n_bytes, std::size_t* buffer_size, void** buffer) {
  if ((flags & H5Z_FLAG_REVERSE) == 0) return 0;
  // Chunks of texts do not say how large they are.
  std::size_t size = n_values > kChunkBytesPlace ? values[kChunkBytesPlace] : n_bytes;
  for (; size > 0 && size / kLargestRatio <= n_bytes; size *= 2) {
    void* unpacked = std::malloc(size);
    if (unpacked == nullptr) return 0;
    const unsigned made = lzf_decompress(*buffer, static_cast<unsigned>(n_bytes), unpacked,
                                         static_cast<unsigned>(size));
    if (made > 0) {
      std::free(*buffer);
      *buffer = unpacked;
      *buffer_size = size;
      return made;
    }
    std::free(unpacked);
    const bool needs_more_room = errno == E2BIG;
    if (!needs_more_room) return 0;
  }
  return 0;
}

}  // namespace

void register_lzf() {
  static std::once_flag once;
  std::call_once(once, [] {
    constexpr unsigned kOnlyReads = 0;
    const H5Z_class2_t filter{H5Z_CLASS_T_VERS, kLzf,    kOnlyReads,  1, "lzf",
                              nullptr,          nullptr, unpack_chunk};
    H5Zregister(&filter);
  });
}

}  // namespace sfg::detail

#else

namespace sfg::detail {

void register_lzf() {}

}  // namespace sfg::detail

#endif
