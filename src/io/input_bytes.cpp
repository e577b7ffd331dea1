#include "io/input_bytes.hpp"

#include <fcntl.h>
#include <fmt/format.h>
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
#include "io/file_memory.hpp"
#include "sfg/error.hpp"
#include "sfg/run_context.hpp"

namespace sfg::detail {

namespace {

/// zlib counts in 32 bits: longer input is handed over in pieces.
constexpr std::size_t kLargestPiece = std::size_t{1} << 30;
/// zlib's largest window, and its flag for a gzip frame around the data.
constexpr int kGzipWindowBits = 15 + 16;
constexpr std::string_view kGzipMagic = "\x1f\x8b";
/// Tables of zeros shrink to a hundredth. Beyond this it is no table but an attack on memory, and
/// deflate reaches 1032.
constexpr std::size_t kLargestRatio = 500;

int open_file(const std::filesystem::path& path, const std::string& name) {
  const int number = path == "-" ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
                                 : open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (number < 0) {
    throw Error(ErrorCode::cannot_read,
                fmt::format("{}: cannot be opened: {}; check the path and its permissions", name,
                            std::generic_category().message(errno)));
  }
  return number;
}

struct stat status_of(const FileDescriptor& file, const std::string& name) {
  struct stat status {};
  if (fstat(file.number(), &status) != 0) {
    throw Error(ErrorCode::cannot_read, fmt::format("{}: cannot be examined: {}", name,
                                                    std::generic_category().message(errno)));
  }
  return status;
}

/// Room for more bytes; throws over_memory where there would be more than `limit`.
std::span<char> room_below(GrowingBytes& bytes, std::size_t limit, const std::string& name) {
  // One byte beyond the limit tells contents that fit from such that do not.
  if (bytes.used() <= limit) return bytes.room(std::max(limit, limit + 1));
  throw Error(ErrorCode::over_memory,
              fmt::format("the contents exceed the memory limit of {}",
                          format_bytes(static_cast<double>(limit))),
              name, {"memory_limit", "raise {memory_limit} or unpack the file first"});
}

GrowingBytes read_all(const FileDescriptor& file, const std::string& name,
                      std::size_t memory_limit) {
  const std::size_t limit = memory_limit > 0 ? memory_limit : available_memory();
  GrowingBytes result;
  for (;;) {
    const auto room = room_below(result, limit, name);
    const ssize_t n_read = read(file.number(), room.data(), room.size());
    if (n_read == 0) return result;
    if (n_read > 0) {
      result.add(static_cast<std::size_t>(n_read));
    } else if (errno != EINTR) {
      throw Error(ErrorCode::cannot_read, fmt::format("{}: reading failed: {}", name,
                                                      std::generic_category().message(errno)));
    }
  }
}

/// Unpacks gzip data: one member after the other, as `cat a.gz b.gz` makes them.
class Unpacker {
 public:
  Unpacker(const std::string& name, std::string_view packed, std::size_t memory_limit)
      : name_(name),
        packed_(packed),
        is_limited_(memory_limit > 0),
        limit_(is_limited_ ? memory_limit : memory_for_file(packed.size())) {
    if (inflateInit2(&stream_, kGzipWindowBits) != Z_OK) throw std::bad_alloc();
  }
  ~Unpacker() { inflateEnd(&stream_); }
  Unpacker(const Unpacker&) = delete;
  Unpacker& operator=(const Unpacker&) = delete;

  GrowingBytes unpack() {
    while (another_member()) {
      unpack_member();
      inflateReset(&stream_);
    }
    return std::move(result_);
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
      if (result_.is_full()) check_ratio();
      const auto room = room_below(result_, limit_, name_);
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

  /// Who sets a limit knows what is coming.
  void check_ratio() const {
    if (is_limited_ || result_.used() < kSmallFileMemory) return;
    if (result_.used() / kLargestRatio <= position_) return;
    throw Error(
        ErrorCode::malformed_input,
        fmt::format("the gzip data unpack to more than {} times their size, {} and counting, which "
                    "no table does",
                    kLargestRatio, format_bytes(static_cast<double>(result_.used()))),
        name_, {"memory_limit", "set {memory_limit} if they are meant to be that large"});
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
  bool is_limited_;
  std::size_t limit_;
  std::size_t position_ = 0;
  GrowingBytes result_;
  z_stream stream_{};
};

}  // namespace

FileDescriptor::~FileDescriptor() {
  if (number_ >= 0) close(number_);
}

InputBytes::InputBytes(const std::filesystem::path& path, std::size_t memory_limit)
    : name_(path == "-" ? "standard input" : path.string()), file_(open_file(path, name_)) {
  const struct stat status = status_of(file_, name_);
  if (S_ISDIR(status.st_mode)) {
    throw Error(ErrorCode::cannot_read,
                fmt::format("{}: is a folder; give the path of a file", name_));
  }
  is_plain_file_ = path != "-" && S_ISREG(status.st_mode);
  given_size_ = static_cast<std::size_t>(std::max<off_t>(0, status.st_size));
  changed_ = status.st_mtim;
  read(memory_limit);
  if (bytes_.starts_with(kGzipMagic)) unpack(memory_limit);
}

void InputBytes::read(std::size_t memory_limit) {
  if (is_plain_file_ && given_size_ > 0) mapping_ = MappedFile(file_.number(), given_size_);
  if (mapping_.is_mapped()) {
    bytes_ = mapping_.bytes();
    return;
  }
  owned_ = read_all(file_, name_, memory_limit);
  bytes_ = owned_.view();
  given_size_ = bytes_.size();
}

void InputBytes::unpack(std::size_t memory_limit) {
  owned_ = use_unchanged(*this, [&] { return Unpacker(name_, bytes_, memory_limit).unpack(); });
  bytes_ = owned_.view();
  mapping_ = MappedFile();
  is_plain_file_ = false;
}

void InputBytes::check_unchanged() const {
  if (!mapping_.is_mapped()) return;
  const struct stat status = status_of(file_, name_);
  const bool is_same = static_cast<std::size_t>(status.st_size) == given_size_ &&
                       status.st_mtim.tv_sec == changed_.tv_sec &&
                       status.st_mtim.tv_nsec == changed_.tv_nsec && !mapping_.was_cut();
  if (is_same) return;
  throw Error(ErrorCode::cannot_read,
              fmt::format("{}: was changed by another program while it was read ({} then, {} now); "
                          "run it again when the file is complete",
                          name_, format_bytes(static_cast<double>(given_size_)),
                          format_bytes(static_cast<double>(status.st_size))));
}

}  // namespace sfg::detail
