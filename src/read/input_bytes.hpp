#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace sfg::detail {

/// The bytes of a file for as long as it lives: mapped where possible, read where not (pipes,
/// standard input "-"), unpacked where they are gzip (told by the first two bytes).
class InputBytes {
 public:
  /// Throws cannot_read (no such file, a folder, no permission) or malformed_input (broken gzip).
  /// Reading a pipe and unpacking stop with over_memory when the contents exceed `memory_limit`
  /// bytes (0: what the machine has).
  InputBytes(const std::filesystem::path& path, std::size_t memory_limit);
  InputBytes(const InputBytes&) = delete;
  InputBytes& operator=(const InputBytes&) = delete;

  [[nodiscard]] std::string_view bytes() const noexcept { return bytes_; }
  /// What to call the input in messages: its path, or "standard input".
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  /// Whether a file at `path` holds just these bytes: not for pipes and unpacked files.
  [[nodiscard]] bool is_plain_file() const noexcept { return is_plain_file_; }

 private:
  std::string name_;
  std::string_view bytes_;
  std::vector<char> owned_;
  std::shared_ptr<const void> mapping_;
  bool is_plain_file_ = false;
};

}  // namespace sfg::detail
