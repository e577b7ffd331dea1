#include "io/record_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <optional>
#include <system_error>

#include "core/fingerprint.hpp"
#include "sfg/error.hpp"

namespace sfg::detail {

namespace {

/// Hexadecimal digits of checksum and length, a blank behind each.
constexpr std::size_t kChecksumDigits = 16;
constexpr std::size_t kLengthDigits = 8;
/// How much work the end of the machine may cost.
constexpr std::chrono::seconds kFlushInterval(5);
constexpr std::size_t kFrontBytes = kChecksumDigits + 1 + kLengthDigits + 1;

[[noreturn]] void cannot_write(const std::filesystem::path& path, int error_number) {
  throw Error(ErrorCode::cannot_write,
              fmt::format("{}: cannot be written: {}; check the folder's permissions and the space "
                          "left",
                          path.string(), std::generic_category().message(error_number)));
}

/// Some file systems cannot flush: then there is nothing to wait for.
bool flushed(int file) {
  return fsync(file) == 0 || errno == EINVAL || errno == ENOTSUP;
}

/// The folder that has the file's name in it.
void flush_name(const std::filesystem::path& path) {
  const auto folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  const int file = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) return;  // a folder that may be written to, but not read
  const bool done = flushed(file);
  const int error_number = errno;
  close(file);
  if (!done) cannot_write(path, error_number);
}

std::string length_text(std::string_view record) {
  return fmt::format("{:08x}", record.size());
}

std::string checksum(std::string_view record) {
  Fingerprint fingerprint;
  fingerprint.add(record);
  return hexadecimal(fingerprint.value());
}

/// The record that begins at `begin`, nothing if it is damaged or cut off.
std::optional<std::string_view> record_at(std::string_view text, std::size_t begin) {
  if (text.size() - begin <= kFrontBytes) return std::nullopt;
  const std::string_view front = text.substr(begin, kFrontBytes);
  std::size_t length = 0;
  const char* digits = front.data() + kChecksumDigits + 1;
  const auto [stop, error] = std::from_chars(digits, digits + kLengthDigits, length, 16);
  if (error != std::errc() || stop != digits + kLengthDigits) return std::nullopt;
  const std::size_t first = begin + kFrontBytes;
  if (text.size() - first <= length || text[first + length] != '\n') return std::nullopt;
  const std::string_view record = text.substr(first, length);
  if (front != checksum(record) + " " + length_text(record) + " ") return std::nullopt;
  return record;
}

}  // namespace

std::string RecordFile::framed(std::string_view record) {
  return fmt::format("{} {} {}\n", checksum(record), length_text(record), record);
}

bool RecordFile::Contents::ends_before(std::string_view first_record) const {
  if (!records.empty()) return false;
  const std::string_view there = text;
  const std::size_t n_bytes = there.find_last_not_of('\0') + 1;  // 0 where there is none
  return framed(first_record).starts_with(there.substr(0, n_bytes));
}

RecordFile::RecordFile(std::filesystem::path path) : path_(std::move(path)) {
  constexpr mode_t kMode = 0666;
  file_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, kMode);
  if (file_ < 0) cannot_write(path_, errno);
  // Where locks are not supported there is nothing to be had from refusing.
  if (flock(file_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    close(file_);
    throw Error(ErrorCode::cannot_write, "another run is writing to it", path_.string(),
                {"output", "wait for it, or give another {output}"});
  }
}

RecordFile::~RecordFile() {
  if (file_ >= 0) close(file_);
}

RecordFile::Contents RecordFile::read() const {
  Contents contents;
  std::vector<char> buffer(std::size_t{1} << 16U);
  for (;;) {
    const ssize_t n =
        pread(file_, buffer.data(), buffer.size(), static_cast<off_t>(contents.text.size()));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      throw Error(ErrorCode::cannot_read, fmt::format("{}: cannot be read: {}", path_.string(),
                                                      std::generic_category().message(errno)));
    }
    if (n == 0) break;
    contents.text.append(buffer.data(), static_cast<std::size_t>(n));
  }
  while (const auto record = record_at(contents.text, contents.end())) {
    contents.records.emplace_back(*record);
    contents.ends.push_back(contents.end() + kFrontBytes + record->size() + 1);
  }
  return contents;
}

void RecordFile::cut(std::size_t size) {
  if (ftruncate(file_, static_cast<off_t>(size)) != 0) cannot_write(path_, errno);
  end_ = size;
}

void RecordFile::append(std::string_view record) {
  const std::string text = framed(record);
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t n = write(file_, text.data() + done, text.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      const int error_number = errno;
      // What cannot be taken away is dropped by the next reader.
      static_cast<void>(!ftruncate(file_, static_cast<off_t>(end_)));
      cannot_write(path_, error_number);
    }
    done += static_cast<std::size_t>(n);
  }
  end_ += text.size();
  flush_now_and_then();
}

void RecordFile::flush_now_and_then() {
  const auto now = std::chrono::steady_clock::now();
  if (flushed_ && now - *flushed_ < kFlushInterval) return;
  if (!flushed(file_)) cannot_write(path_, errno);
  if (!flushed_) flush_name(path_);
  flushed_ = now;
}

void RecordFile::remove() noexcept {
  std::error_code ignored;
  std::filesystem::remove(path_, ignored);
}

}  // namespace sfg::detail
