#include "io/gzip.hpp"

#include <algorithm>
#include <new>
#include <sstream>

#include "sfg/error.hpp"

namespace sfg::detail {

namespace {

/// zlib's largest window, and its flag for a gzip frame around the data.
constexpr int kGzipWindowBits = 15 + 16;
constexpr int kMemoryLevel = 8;
constexpr std::size_t kPieceBytes = std::size_t{1} << 16;
/// zlib counts in 32 bits: longer input is handed over in parts.
constexpr std::size_t kAtOnce = std::size_t{1} << 30;

}  // namespace

GzipBuffer::GzipBuffer(std::ostream& out, int level) : out_(out), piece_(kPieceBytes) {
  if (deflateInit2(&stream_, level, Z_DEFLATED, kGzipWindowBits, kMemoryLevel,
                   Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::bad_alloc();
  }
}

GzipBuffer::~GzipBuffer() {
  deflateEnd(&stream_);
}

void GzipBuffer::finish() {
  pack({}, Z_FINISH);
}

GzipBuffer::int_type GzipBuffer::overflow(int_type c) {
  if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
  const char byte = traits_type::to_char_type(c);
  pack({&byte, 1}, Z_NO_FLUSH);
  return c;
}

std::streamsize GzipBuffer::xsputn(const char* bytes, std::streamsize count) {
  std::string_view rest(bytes, static_cast<std::size_t>(count));
  while (!rest.empty()) {
    const auto part = rest.substr(0, kAtOnce);
    pack(part, Z_NO_FLUSH);
    rest.remove_prefix(part.size());
  }
  return out_ ? count : 0;
}

void GzipBuffer::pack(std::string_view bytes, int flush) {
  // zlib does not write to its input but takes it without const.
  stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream_.avail_in = static_cast<uInt>(bytes.size());
  do {
    stream_.next_out = reinterpret_cast<Bytef*>(piece_.data());
    stream_.avail_out = static_cast<uInt>(piece_.size());
    if (deflate(&stream_, flush) == Z_STREAM_ERROR) {
      throw Error(ErrorCode::internal, "zlib cannot pack the data");
    }
    out_.write(piece_.data(), static_cast<std::streamsize>(piece_.size() - stream_.avail_out));
  } while (stream_.avail_out == 0);
}

std::string gzip(std::string_view bytes) {
  std::ostringstream out;
  GzipBuffer buffer(out, Z_BEST_COMPRESSION);
  buffer.sputn(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  buffer.finish();
  return std::move(out).str();
}

}  // namespace sfg::detail
