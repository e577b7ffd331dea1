#pragma once

#include <cstddef>
#include <string_view>

namespace sfg::detail {

/// A file in the address space. When another program cuts the file short, touching the lost pages
/// raises SIGBUS; where the process called guard_mapped_files() they read as zeros instead, and
/// was_cut() tells.
class MappedFile {
 public:
  MappedFile() = default;
  /// Leaves it empty where the file cannot be mapped.
  MappedFile(int descriptor, std::size_t size);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;

  [[nodiscard]] bool is_mapped() const noexcept { return start_ != nullptr; }
  [[nodiscard]] std::string_view bytes() const noexcept {
    return {static_cast<const char*>(start_), size_};
  }
  [[nodiscard]] bool was_cut() const noexcept;

 private:
  static constexpr int kNoSlot = -1;
  void* start_ = nullptr;
  std::size_t size_ = 0;
  int slot_ = kNoSlot;  ///< where the handler looks it up
};

}  // namespace sfg::detail
