#pragma once

#include <cstddef>
#include <ctime>
#include <filesystem>
#include <string>
#include <string_view>

#include "io/growing_bytes.hpp"
#include "io/mapped_file.hpp"
#include "sfg/run_context.hpp"

namespace sfg::detail {

/// A descriptor that closes itself.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int number) : number_(number) {}
  ~FileDescriptor();
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  [[nodiscard]] int number() const noexcept { return number_; }

 private:
  int number_ = -1;
};

/// The bytes of a file for as long as it lives: mapped where possible, read where not (pipes,
/// standard input "-"), unpacked where they are packed (told by the first bytes, see unpack.hpp).
class InputBytes {
 public:
  /// Throws cannot_read (no such file, a folder, no permission), malformed_input (broken packed
  /// data) or interrupted (while it waits for a stream). Reading a pipe and unpacking stop with
  /// over_memory when the contents exceed the memory limit (where there is none: half of what is
  /// free, and what a file of this size may take, see memory_for_file()).
  InputBytes(const std::filesystem::path& path, const RunContext& run);
  /// With a memory limit (0: none) and nobody who could stop it.
  InputBytes(const std::filesystem::path& path, std::size_t memory_limit);
  /// A file inside another one of `given_size` bytes.
  InputBytes(std::string name, std::string contents, std::size_t given_size);
  InputBytes(const InputBytes&) = delete;
  InputBytes& operator=(const InputBytes&) = delete;

  [[nodiscard]] std::string_view bytes() const noexcept { return bytes_; }
  /// What to call the input in messages: its path, or "standard input".
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  /// Whether a file at `path` holds just these bytes: not for pipes and unpacked files.
  [[nodiscard]] bool is_plain_file() const noexcept { return is_plain_file_; }
  /// Bytes that were given: of the file as it lies there, packed or not.
  [[nodiscard]] std::size_t given_size() const noexcept { return given_size_; }
  /// Throws cannot_read if the file was changed since it was opened: bytes that were looked at
  /// before and after belong to no file that ever was.
  void check_unchanged() const;

 private:
  void read(const RunContext& run);
  void unpack(const RunContext& run);

  std::string name_;
  FileDescriptor file_;
  std::string text_;
  std::string_view bytes_;
  GrowingBytes owned_;
  MappedFile mapping_;
  std::size_t given_size_ = 0;
  std::timespec changed_{};  ///< when the file was last changed
  bool is_plain_file_ = false;
};

/// What `use` makes of the bytes, unless they changed meanwhile.
template <typename Use>
auto use_unchanged(const InputBytes& input, Use use) {
  try {
    auto result = use();
    input.check_unchanged();
    return result;
  } catch (...) {
    // Whatever is wrong with it, that it changed explains it best.
    input.check_unchanged();
    throw;
  }
}

}  // namespace sfg::detail
