#pragma once

#include <filesystem>

#include "io/input_bytes.hpp"

namespace sfg::detail {

/// A path under which a library that opens files itself finds the bytes of an input: its own path,
/// or a temporary file for what came through a pipe or was unpacked. libhdf5 follows links and
/// looks names up again, so that the file must have one; it is gone with this object.
class PathOfBytes {
 public:
  /// Throws cannot_read where there is no room for a copy.
  PathOfBytes(const InputBytes& input, const std::filesystem::path& path);
  ~PathOfBytes();
  PathOfBytes(const PathOfBytes&) = delete;
  PathOfBytes& operator=(const PathOfBytes&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_;
  bool is_temporary_ = false;
};

}  // namespace sfg::detail
