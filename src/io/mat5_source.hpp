#pragma once

#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace sfg::detail {

/// Says why a file is broken; whoever knows the place turns it into an Error.
struct BrokenMat {
  std::string reason;
};

enum class Packing { plain, compressed };

/// The bytes of one top-level element of a MAT file, unpacked on the way if they are compressed.
/// Throws BrokenMat where they end too early or are damaged.
class Mat5Source {
 public:
  Mat5Source(std::string_view bytes, Packing packing);
  ~Mat5Source();
  Mat5Source(const Mat5Source&) = delete;
  Mat5Source& operator=(const Mat5Source&) = delete;

  void read(char* target, std::size_t size);
  void skip(std::uint64_t size);
  /// Nothing may follow, and the checksum of compressed data must be right.
  void expect_end();

 private:
  void unpack(char* target, std::size_t size);

  std::string_view bytes_;
  bool compressed_;
  bool ended_ = false;
  z_stream stream_{};
};

}  // namespace sfg::detail
