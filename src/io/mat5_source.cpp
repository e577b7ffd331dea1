#include "io/mat5_source.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <new>

namespace sfg::detail {

Mat5Source::Mat5Source(std::string_view bytes, Packing packing)
    : bytes_(bytes), compressed_(packing == Packing::compressed) {
  if (!compressed_) return;
  if (inflateInit(&stream_) != Z_OK) throw std::bad_alloc();
  stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream_.avail_in = static_cast<uInt>(bytes.size());
}

Mat5Source::~Mat5Source() {
  if (compressed_) inflateEnd(&stream_);
}

void Mat5Source::read(char* target, std::size_t size) {
  if (compressed_) return unpack(target, size);
  if (bytes_.size() < size) throw BrokenMat{"it ends too early"};
  std::memcpy(target, bytes_.data(), size);
  bytes_.remove_prefix(size);
}

void Mat5Source::skip(std::uint64_t size) {
  if (!compressed_) {
    if (bytes_.size() < size) throw BrokenMat{"it ends too early"};
    bytes_.remove_prefix(static_cast<std::size_t>(size));
    return;
  }
  std::array<char, std::size_t{1} << 14> nowhere;
  while (size > 0) {
    const auto part = static_cast<std::size_t>(std::min<std::uint64_t>(size, nowhere.size()));
    unpack(nowhere.data(), part);
    size -= part;
  }
}

void Mat5Source::expect_end() {
  if (!compressed_) {
    if (!bytes_.empty()) throw BrokenMat{"it is longer than its contents"};
    return;
  }
  // Room for one byte too many: a right file leaves it empty.
  Bytef nowhere = 0;
  stream_.next_out = &nowhere;
  stream_.avail_out = 1;
  if (!ended_ && inflate(&stream_, Z_NO_FLUSH) != Z_STREAM_END) {
    throw BrokenMat{"its compressed data do not end where they should, or their checksum is wrong"};
  }
  if (stream_.avail_out == 0) throw BrokenMat{"it unpacks to more than its contents"};
}

void Mat5Source::unpack(char* target, std::size_t size) {
  stream_.next_out = reinterpret_cast<Bytef*>(target);
  stream_.avail_out = static_cast<uInt>(size);
  while (stream_.avail_out > 0) {
    const int status = ended_ ? Z_BUF_ERROR : inflate(&stream_, Z_NO_FLUSH);
    ended_ = ended_ || status == Z_STREAM_END;
    if (stream_.avail_out > 0 && status != Z_OK) {
      throw BrokenMat{"its compressed data are damaged or cut short"};
    }
  }
}

}  // namespace sfg::detail
