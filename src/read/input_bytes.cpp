#include "read/input_bytes.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <new>
#include <span>
#include <system_error>
#include <utility>

#include "core/text.hpp"
#include "sfg/error.hpp"
#include "sfg/run.hpp"

namespace sfg::detail {

namespace {

constexpr std::size_t kFirstBuffer = std::size_t{1} << 20;
/// zlib counts in 32 bits: longer input and output is handed over in pieces.
constexpr std::size_t kLargestPiece = std::size_t{1} << 30;
/// zlib's largest window, and its flag for a gzip frame around the data.
constexpr int kGzipWindowBits = 15 + 16;
constexpr std::string_view kGzipMagic = "\x1f\x8b";

class FileDescriptor {
 public:
  FileDescriptor(const std::filesystem::path& path, const std::string& name)
      : is_owned_(path != "-"),
        number_(is_owned_ ? open(path.c_str(), O_RDONLY | O_CLOEXEC) : STDIN_FILENO) {
    if (number_ < 0) {
      throw Error(ErrorCode::cannot_read,
                  fmt::format("{}: cannot be opened: {}; check the path and its permissions", name,
                              std::generic_category().message(errno)));
    }
  }
  ~FileDescriptor() {
    if (is_owned_) close(number_);
  }
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  [[nodiscard]] int number() const noexcept { return number_; }

 private:
  bool is_owned_;
  int number_;
};

/// Bytes that grow as they arrive and stop at a limit.
class GrowingBytes {
 public:
  GrowingBytes(const std::string& name, std::size_t limit)
      : name_(name), limit_(limit > 0 ? limit : available_memory()) {}

  /// Room for more bytes, at least one.
  std::span<char> room() {
    if (used_ == bytes_.size()) {
      if (used_ > limit_) refuse();
      bytes_.resize(std::max(kFirstBuffer, bytes_.size() * 2));
    }
    return std::span(bytes_).subspan(used_, std::min(bytes_.size() - used_, kLargestPiece));
  }
  void add(std::size_t n_bytes) {
    used_ += n_bytes;
    if (used_ > limit_) refuse();
  }
  std::vector<char> take() {
    bytes_.resize(used_);
    return std::move(bytes_);
  }

 private:
  [[noreturn]] void refuse() const {
    throw Error(ErrorCode::over_memory,
                fmt::format("{}: the contents exceed the memory limit of {}; raise the limit or "
                            "unpack the file first",
                            name_, format_bytes(static_cast<double>(limit_))));
  }

  const std::string& name_;
  std::size_t limit_;
  std::size_t used_ = 0;
  std::vector<char> bytes_;
};

std::vector<char> read_all(const FileDescriptor& file, const std::string& name,
                           std::size_t memory_limit) {
  GrowingBytes result(name, memory_limit);
  for (;;) {
    const auto room = result.room();
    const ssize_t n_read = read(file.number(), room.data(), room.size());
    if (n_read == 0) return result.take();
    if (n_read > 0) {
      result.add(static_cast<std::size_t>(n_read));
    } else if (errno != EINTR) {
      throw Error(ErrorCode::cannot_read, fmt::format("{}: reading failed: {}", name,
                                                      std::generic_category().message(errno)));
    }
  }
}

std::shared_ptr<const void> map_file(const FileDescriptor& file, std::size_t size) {
  void* start = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.number(), 0);
  if (start == MAP_FAILED) return nullptr;
  return {start, [size](void* mapped) { munmap(mapped, size); }};
}

/// Unpacks gzip data: one member after the other, as `cat a.gz b.gz` makes them.
class Unpacker {
 public:
  Unpacker(const std::string& name, std::string_view packed, std::size_t memory_limit)
      : name_(name), packed_(packed), result_(name, memory_limit) {
    if (inflateInit2(&stream_, kGzipWindowBits) != Z_OK) throw std::bad_alloc();
  }
  ~Unpacker() { inflateEnd(&stream_); }
  Unpacker(const Unpacker&) = delete;
  Unpacker& operator=(const Unpacker&) = delete;

  std::vector<char> unpack() {
    while (another_member()) {
      unpack_member();
      inflateReset(&stream_);
    }
    return result_.take();
  }

 private:
  [[nodiscard]] bool another_member() const {
    const auto rest = packed_.substr(position_);
    if (rest.starts_with(kGzipMagic)) return true;
    // Tapes and some tools pad with zeros; anything else means that data were lost or added.
    if (rest.find_first_not_of('\0') == std::string_view::npos) return false;
    throw Error(ErrorCode::malformed_input,
                fmt::format("{}: something that is not gzip follows the packed data at byte {}; "
                            "pack the file again",
                            name_, position_ + 1));
  }

  void unpack_member() {
    for (;;) {
      const auto piece = packed_.substr(position_, kLargestPiece);
      const auto room = result_.room();
      // zlib does not write to its input but takes it without const.
      stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(piece.data()));
      stream_.avail_in = static_cast<uInt>(piece.size());
      stream_.next_out = reinterpret_cast<Bytef*>(room.data());
      stream_.avail_out = static_cast<uInt>(room.size());
      const int status = inflate(&stream_, Z_NO_FLUSH);
      position_ += piece.size() - stream_.avail_in;
      result_.add(room.size() - stream_.avail_out);
      if (status == Z_STREAM_END) return;
      if (status == Z_MEM_ERROR) throw std::bad_alloc();
      if (status != Z_OK) refuse(status, piece.empty());
    }
  }

  [[noreturn]] void refuse(int status, bool at_end) const {
    if (status == Z_BUF_ERROR && at_end) {
      throw Error(ErrorCode::malformed_input,
                  fmt::format("{}: the gzip data end too early, after {} bytes; the file is "
                              "truncated: copy or download it again",
                              name_, packed_.size()));
    }
    throw Error(
        ErrorCode::malformed_input,
        fmt::format("{}: the gzip data are broken near byte {} ({}); copy or download it again",
                    name_, position_ + 1, stream_.msg != nullptr ? stream_.msg : "bad data"));
  }

  const std::string& name_;
  std::string_view packed_;
  std::size_t position_ = 0;
  GrowingBytes result_;
  z_stream stream_{};
};

}  // namespace

InputBytes::InputBytes(const std::filesystem::path& path, std::size_t memory_limit)
    : name_(path == "-" ? "standard input" : path.string()) {
  const FileDescriptor file(path, name_);
  struct stat status {};
  if (fstat(file.number(), &status) != 0) {
    throw Error(ErrorCode::cannot_read, fmt::format("{}: cannot be examined: {}", name_,
                                                    std::generic_category().message(errno)));
  }
  if (S_ISDIR(status.st_mode)) {
    throw Error(ErrorCode::cannot_read,
                fmt::format("{}: is a folder; give the path of a file", name_));
  }
  const auto size = static_cast<std::size_t>(std::max<off_t>(0, status.st_size));
  if (path != "-" && S_ISREG(status.st_mode) && size > 0) mapping_ = map_file(file, size);
  is_plain_file_ = path != "-" && S_ISREG(status.st_mode);
  if (mapping_) {
    bytes_ = {static_cast<const char*>(mapping_.get()), size};
  } else {
    owned_ = read_all(file, name_, memory_limit);
    bytes_ = {owned_.data(), owned_.size()};
  }
  if (bytes_.starts_with(kGzipMagic)) {
    auto unpacked = Unpacker(name_, bytes_, memory_limit).unpack();
    owned_ = std::move(unpacked);
    bytes_ = {owned_.data(), owned_.size()};
    mapping_.reset();
    is_plain_file_ = false;
  }
}

}  // namespace sfg::detail
