#include "io/growing_bytes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <new>

#include "core/text.hpp"
#include "sfg/error.hpp"

namespace sfg::detail {

std::span<char> GrowingBytes::room(std::size_t most) {
  constexpr std::size_t kFirstSize = std::size_t{1} << 16U;
  /// zlib counts in 32 bits: longer input and output is handed over in pieces.
  constexpr std::size_t kLargestPiece = std::size_t{1} << 30U;
  if (is_full()) {
    const std::size_t size = std::max(used_ + 1, std::min(most, std::max(kFirstSize, 2 * size_)));
    auto* larger = static_cast<char*>(std::realloc(bytes_.get(), size));
    if (larger == nullptr) throw std::bad_alloc();
    static_cast<void>(bytes_.release());
    bytes_.reset(larger);
    size_ = size;
  }
  return {bytes_.get() + used_, std::min(size_ - used_, kLargestPiece)};
}

std::span<char> room_below(GrowingBytes& bytes, std::size_t limit, const std::string& name) {
  // One byte beyond the limit tells contents that fit from such that do not.
  if (bytes.used() <= limit) return bytes.room(std::max(limit, limit + 1));
  throw Error(ErrorCode::over_memory,
              fmt::format("the contents exceed the memory limit of {}",
                          format_bytes(static_cast<double>(limit))),
              name, {"memory_limit", "raise {memory_limit} or unpack the file first"});
}

}  // namespace sfg::detail
