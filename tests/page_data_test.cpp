#include "report/page_data.hpp"
#include "io/gzip.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <zlib.h>

#include <array>
#include <bit>
#include <cstring>

namespace sfg {
namespace {

using detail::base64;
using detail::gzip;
using detail::PageData;

std::string unbase64(std::string_view text) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  unsigned bits = 0;
  int n_bits = 0;
  for (const char c : text) {
    if (c == '=') break;
    bits = bits << 6 | static_cast<unsigned>(digits.find(c));
    n_bits += 6;
    if (n_bits >= 8) {
      n_bits -= 8;
      bytes += static_cast<char>(bits >> n_bits & 0xff);
    }
  }
  return bytes;
}

std::string gunzip(std::string packed) {
  z_stream stream{};
  inflateInit2(&stream, MAX_WBITS + 16);
  stream.next_in = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_in = static_cast<uInt>(packed.size());
  std::string bytes;
  std::array<char, 4096> piece{};
  int status = Z_OK;
  while (status == Z_OK) {
    stream.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream.avail_out = piece.size();
    status = inflate(&stream, Z_NO_FLUSH);
    bytes.append(piece.data(), piece.size() - stream.avail_out);
  }
  inflateEnd(&stream);
  EXPECT_EQ(status, Z_STREAM_END);
  return bytes;
}

TEST(Base64, writes_what_the_standard_shows) {
  // RFC 4648, section 10.
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo"), "Zm9v");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
}

RC_GTEST_PROP(PageData, bytes_come_back_through_gzip_and_base64, ()) {
  const auto bytes = *rc::gen::arbitrary<std::string>();
  RC_ASSERT(gunzip(gzip(bytes)) == bytes);
  RC_ASSERT(unbase64(base64(bytes)) == bytes);
}

TEST(PageData, puts_the_arrays_behind_the_document_where_it_says) {
  PageData data;
  const std::vector<std::uint8_t> bytes{1, 2, 3};
  const std::vector<double> numbers{0.5, -2};
  nlohmann::ordered_json document;
  document["bytes"] = data.add(std::span<const std::uint8_t>(bytes));
  document["numbers"] = data.add(std::span<const double>(numbers));
  document["name"] = "<not utf-8: \xff>";
  const std::string all = gunzip(unbase64(data.text(document)));
  std::uint64_t length = 0;
  std::memcpy(&length, all.data(), sizeof length);
  const auto read = nlohmann::json::parse(all.substr(8, length));
  EXPECT_EQ(read.at("name"), "<not utf-8: \xef\xbf\xbd>");
  const std::size_t start = 8 + length;
  // Of two numbers the first bytes of both come first, then the second bytes.
  const std::size_t at = start + read.at("numbers").at("at").get<std::size_t>();
  std::array<char, 8> second{};
  for (std::size_t byte = 0; byte < 8; ++byte) second[byte] = all[at + 2 * byte + 1];
  EXPECT_EQ(std::bit_cast<double>(second), -2);
  EXPECT_EQ(all[start + read.at("bytes").at("at").get<std::size_t>() + 2], 3);
}

}  // namespace
}  // namespace sfg
