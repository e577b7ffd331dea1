#pragma once

#include <gtest/gtest.h>
#include <zlib.h>

#include <string>

namespace sfg::testing {

/// One gzip member, as small as it gets.
inline std::string packed(const std::string& text) {
  constexpr int kGzipWindowBits = 15 + 16;
  constexpr int kMemoryLevel = 9;
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, kGzipWindowBits, kMemoryLevel,
                         Z_DEFAULT_STRATEGY),
            Z_OK);
  std::string result(deflateBound(&stream, text.size()), '\0');
  std::string input = text;
  stream.next_in = reinterpret_cast<Bytef*>(input.data());
  stream.avail_in = static_cast<uInt>(input.size());
  stream.next_out = reinterpret_cast<Bytef*>(result.data());
  stream.avail_out = static_cast<uInt>(result.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  result.resize(stream.total_out);
  deflateEnd(&stream);
  return result;
}

}  // namespace sfg::testing
