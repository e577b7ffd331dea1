#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <string>

namespace sfg::fuzz {

/// Ends the program where one input took more than a second of computing. libFuzzer's own limit
/// counts the time that a busy machine spends elsewhere.
class OneSecond {
 public:
  OneSecond() : begin_(std::clock()) {}
  ~OneSecond() {
    if (std::clock() - begin_ > CLOCKS_PER_SEC) std::abort();
  }
  OneSecond(const OneSecond&) = delete;
  OneSecond& operator=(const OneSecond&) = delete;

 private:
  std::clock_t begin_;
};

/// A file in memory that the readers open by its path: what is fuzzed is all that a user's file
/// meets, from opening on.
class MemoryFile {
 public:
  explicit MemoryFile(const char* name) : number_(memfd_create(name, MFD_CLOEXEC)) {
    if (number_ < 0) std::abort();
    path_ = "/proc/self/fd/" + std::to_string(number_);
  }
  ~MemoryFile() { close(number_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  void set(const std::uint8_t* bytes, std::size_t size) const {
    const bool done =
        ftruncate(number_, 0) == 0 && pwrite(number_, bytes, size, 0) == static_cast<ssize_t>(size);
    if (!done) std::abort();
  }
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

 private:
  int number_;
  std::filesystem::path path_;
};

}  // namespace sfg::fuzz
