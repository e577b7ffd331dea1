#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace sfg::detail {

/// Bytes that grow as they arrive. Growing does not copy large contents (realloc moves pages), so
/// that they are in memory once.
class GrowingBytes {
 public:
  /// Room for more bytes: at least one, and none beyond `most` bytes in all.
  /// Throws std::bad_alloc.
  [[nodiscard]] std::span<char> room(std::size_t most);
  void add(std::size_t n_bytes) noexcept { used_ += n_bytes; }
  [[nodiscard]] bool is_full() const noexcept { return used_ == size_; }
  [[nodiscard]] std::size_t used() const noexcept { return used_; }
  [[nodiscard]] std::string_view view() const noexcept { return {bytes_.get(), used_}; }

 private:
  struct Free {
    void operator()(char* bytes) const noexcept { std::free(bytes); }
  };
  std::unique_ptr<char, Free> bytes_;
  std::size_t size_ = 0;
  std::size_t used_ = 0;
};

/// Room for more bytes; throws over_memory (of the input `name`) where there would be more than
/// `limit`.
[[nodiscard]] std::span<char> room_below(GrowingBytes& bytes, std::size_t limit,
                                         const std::string& name);

}  // namespace sfg::detail
