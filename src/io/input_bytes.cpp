#include "io/input_bytes.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "core/text.hpp"
#include "core/threads.hpp"
#include "io/unpack.hpp"
#include "sfg/error.hpp"
#include "sfg/run_context.hpp"

namespace sfg::detail {

namespace {

int open_file(const std::filesystem::path& path, const std::string& name) {
  // A pipe that nobody writes to yet is waited for where a wish to stop is seen, not in open().
  const int number = path == "-" ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
                                 : open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
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

/// Waits until there are bytes to read, or none will come; a wish to stop is seen meanwhile.
void wait_for_bytes(const FileDescriptor& file, const RunContext& run) {
  /// Milliseconds after which a wish to stop is seen.
  constexpr int kPatience = 50;
  pollfd wanted{file.number(), POLLIN, 0};
  int n_ready = 0;
  do {
    check_stop(run);
    n_ready = poll(&wanted, 1, kPatience);
  } while (n_ready == 0 || (n_ready < 0 && errno == EINTR));
}

/// Most bytes of a stream: its end is not known before it comes.
std::size_t stream_limit(const RunContext& run) {
  if (run.memory_limit > 0) return run.memory_limit;
  // The table stands beside the bytes that it is made from.
  return available_memory() / 2;
}

GrowingBytes read_all(const FileDescriptor& file, const std::string& name, const RunContext& run) {
  const std::size_t limit = stream_limit(run);
  GrowingBytes result;
  for (;;) {
    wait_for_bytes(file, run);
    const auto room = room_below(result, limit, name);
    const ssize_t n_read = read(file.number(), room.data(), room.size());
    if (n_read == 0) return result;
    if (n_read > 0) {
      result.add(static_cast<std::size_t>(n_read));
    } else if (errno != EINTR && errno != EAGAIN) {
      throw Error(ErrorCode::cannot_read, fmt::format("{}: reading failed: {}", name,
                                                      std::generic_category().message(errno)));
    }
  }
}

RunContext limited_to(std::size_t memory_limit) {
  RunContext run;
  run.memory_limit = memory_limit;
  return run;
}

}  // namespace

FileDescriptor::~FileDescriptor() {
  if (number_ >= 0) close(number_);
}

InputBytes::InputBytes(const std::filesystem::path& path, std::size_t memory_limit)
    : InputBytes(path, limited_to(memory_limit)) {}

InputBytes::InputBytes(const std::filesystem::path& path, const RunContext& run)
    : name_(path == "-" ? "standard input" : path.string()), file_(open_file(path, name_)) {
  const struct stat status = status_of(file_, name_);
  if (S_ISDIR(status.st_mode)) {
    throw Error(ErrorCode::cannot_read,
                fmt::format("{}: is a folder; give the path of a file", name_));
  }
  is_plain_file_ = path != "-" && S_ISREG(status.st_mode);
  given_size_ = static_cast<std::size_t>(std::max<off_t>(0, status.st_size));
  changed_ = status.st_mtim;
  read(run);
  if (is_packed(bytes_)) unpack(run);
}

InputBytes::InputBytes(std::string name, std::string contents, std::size_t given_size)
    : name_(std::move(name)), text_(std::move(contents)), bytes_(text_), given_size_(given_size) {}

void InputBytes::read(const RunContext& run) {
  if (is_plain_file_ && given_size_ > 0) mapping_ = MappedFile(file_.number(), given_size_);
  if (mapping_.is_mapped()) {
    bytes_ = mapping_.bytes();
    return;
  }
  owned_ = read_all(file_, name_, run);
  bytes_ = owned_.view();
  given_size_ = bytes_.size();
}

void InputBytes::unpack(const RunContext& run) {
  owned_ = use_unchanged(*this, [&] { return unpacked(name_, bytes_, run); });
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
