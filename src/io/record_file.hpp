#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sfg::detail {

/// A file that only grows, record by record, so that a run that was killed can go on: the base of
/// every journal. In front of each record stand its checksum and its length as text; a line end
/// follows. Whatever comes after the last intact record (the power failed, the disk was full) is
/// damaged and never looked at.
class RecordFile {
 public:
  /// Opens the file or makes it, and locks it: two runs must not write to one. Throws cannot_write.
  explicit RecordFile(std::filesystem::path path);
  ~RecordFile();
  RecordFile(const RecordFile&) = delete;
  RecordFile& operator=(const RecordFile&) = delete;

  /// What the file holds.
  struct Contents {
    std::vector<std::string> records;  ///< the intact ones, from the first on
    std::vector<std::size_t> ends;     ///< where each of them ends in the file
    std::string text;                  ///< the whole file

    [[nodiscard]] std::size_t end() const noexcept { return ends.empty() ? 0 : ends.back(); }
    /// Whether a run that begins its file with this record was cut off before it was on the disk:
    /// part of it is there at most, and zeros where the power failed before the bytes were.
    [[nodiscard]] bool ends_before(std::string_view first_record) const;
  };
  /// Throws cannot_read.
  [[nodiscard]] Contents read() const;

  /// Leaves the first `size` bytes; the next record follows there. Throws cannot_write.
  void cut(std::size_t size);
  /// Safe from the end of the process at once, from that of the machine after some seconds: then
  /// it waits for the disk. Throws cannot_write; the part that was written is taken away again.
  void append(std::string_view record);
  /// Takes the file away: it has served its purpose.
  void remove() noexcept;

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
  /// A record as the file has it.
  [[nodiscard]] static std::string framed(std::string_view record);

 private:
  void flush_now_and_then();

  std::filesystem::path path_;
  int file_ = -1;
  std::size_t end_ = 0;  ///< of the records
  std::optional<std::chrono::steady_clock::time_point> flushed_;
};

}  // namespace sfg::detail
