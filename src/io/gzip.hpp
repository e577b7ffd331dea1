#pragma once

#include <zlib.h>

#include <ostream>
#include <streambuf>
#include <string>
#include <string_view>
#include <vector>

// Packing by gzip. Equal contents give equal bytes: no time and no name stand in them.
namespace sfg::detail {

/// The bytes as one gzip member.
[[nodiscard]] std::string gzip(std::string_view bytes);

/// Packs what is written to it and hands it on to a stream.
class GzipBuffer final : public std::streambuf {
 public:
  /// `level`: zlib's, 1 (fast) to 9 (small).
  GzipBuffer(std::ostream& out, int level);
  ~GzipBuffer() override;
  GzipBuffer(const GzipBuffer&) = delete;
  GzipBuffer& operator=(const GzipBuffer&) = delete;

  /// Writes the end; nothing may follow.
  void finish();

 protected:
  int_type overflow(int_type c) override;
  std::streamsize xsputn(const char* bytes, std::streamsize count) override;

 private:
  void pack(std::string_view bytes, int flush);

  std::ostream& out_;
  std::vector<char> piece_;
  z_stream stream_{};
};

}  // namespace sfg::detail
