#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <new>

#include "core/text.hpp"
#include "io/zip.hpp"
#include "io/zip_handles.hpp"
#include "sfg/error.hpp"

namespace sfg::detail {

namespace {

/// Deflate cannot shrink data more than this: a larger claim is a lie.
constexpr std::uint64_t kLargestDeflateRatio = 1032;
/// Bytes that the archive has for each member besides its data: two headers.
constexpr std::uint64_t kBytesPerMember = 30 + 46;

/// The record at the end of an archive: its signature, its size without the comment that follows,
/// and where it has the comment's length.
constexpr std::string_view kEndSignature = "PK\x05\x06";
constexpr std::size_t kEndSize = 22;
constexpr std::size_t kCommentLengthPlace = 20;
constexpr std::size_t kLongestComment = std::numeric_limits<zip_uint16_t>::max();

class ZipReader {
 public:
  ZipReader(const std::string& name, std::string_view bytes) : name_(name), bytes_(bytes) {
    check_end_records();
    open();
  }

  [[nodiscard]] std::vector<ZipMember> members() const {
    std::vector<ZipMember> members;
    for (const zip_stat_t& entry : checked_entries()) {
      members.push_back({entry.name, entry.size, entry.comp_size});
    }
    return members;
  }

  [[nodiscard]] std::string read_one(const std::string& member, std::size_t memory_limit) const {
    for (const zip_stat_t& entry : checked_entries()) {
      if (entry.name != member) continue;
      check_limit(static_cast<double>(entry.size), memory_limit);
      return unpack(entry);
    }
    fail(fmt::format("it has no '{}'", escaped(member)));
  }

  [[nodiscard]] std::map<std::string, std::string> read_all(std::size_t memory_limit) const {
    const auto entries = checked_entries();
    double total = 0;
    for (const zip_stat_t& entry : entries) total += static_cast<double>(entry.size);
    check_limit(total, memory_limit);
    std::map<std::string, std::string> members;
    for (const zip_stat_t& entry : entries) members.emplace(entry.name, unpack(entry));
    return members;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(ErrorCode::malformed_input,
                fmt::format("broken zip archive: {}; copy or make the file again", what), name_);
  }

  [[noreturn]] void fail(zip_error_t& error, const std::string& where) const {
    if (zip_error_code_zip(&error) == ZIP_ER_MEMORY) throw std::bad_alloc();
    fail(fmt::format("{}: {}", where, zip_error_strerror(&error)));
  }

  /// An end record reaches, with its comment, to the end of the file. A comment that holds such a
  /// record too makes two archives of one file: readers differ in which of them they see.
  void check_end_records() const {
    const std::size_t tail = std::min(bytes_.size(), kEndSize + kLongestComment);
    std::size_t place = bytes_.size() - tail;
    int n_found = 0;
    while ((place = bytes_.find(kEndSignature, place)) != std::string_view::npos) {
      if (bytes_.size() - place >= kEndSize) {
        const auto low = static_cast<unsigned char>(bytes_[place + kCommentLengthPlace]);
        const auto high = static_cast<unsigned char>(bytes_[place + kCommentLengthPlace + 1]);
        const std::size_t comment = low + 256U * high;
        n_found += place + kEndSize + comment == bytes_.size() ? 1 : 0;
      }
      ++place;
    }
    if (n_found == 0) {
      fail(fmt::format("no end record in its {} bytes (not a zip archive, or cut short)",
                       bytes_.size()));
    }
    if (n_found > 1) fail("its comment holds another end record");
  }

  void open() {
    constexpr int kWeKeepTheBytes = 0;
    ZipError error;
    ZipSource source(
        zip_source_buffer_create(bytes_.data(), bytes_.size(), kWeKeepTheBytes, &error));
    if (!source) fail(error, "it cannot be opened");
    archive_.reset(zip_open_from_source(source.get(), ZIP_RDONLY | ZIP_CHECKCONS, &error));
    if (zip_error_code_zip(&error) == ZIP_ER_EXISTS) fail("two members have the same name");
    if (!archive_) fail(error, "its directory and its members do not fit each other");
    // The archive has it now.
    static_cast<void>(source.release());
  }

  /// What the directory says of a member, if it can be true.
  [[nodiscard]] zip_stat_t checked_entry(zip_uint64_t place) const {
    zip_stat_t entry;
    // Names are bytes to us: libzip would translate those that it takes for old code pages.
    if (zip_stat_index(archive_.get(), place, ZIP_FL_ENC_RAW, &entry) != 0) {
      fail(*zip_get_error(archive_.get()), fmt::format("member {}", place + 1));
    }
    const std::string shown = escaped(entry.name);
    if (entry.encryption_method != ZIP_EM_NONE) fail(fmt::format("'{}' is encrypted", shown));
    if (entry.comp_method != ZIP_CM_STORE && entry.comp_method != ZIP_CM_DEFLATE) {
      fail(fmt::format("'{}' is packed by method {}, only stored and deflated members are read",
                       shown, entry.comp_method));
    }
    const bool possible = entry.comp_method == ZIP_CM_STORE
                              ? entry.size == entry.comp_size
                              : entry.size / kLargestDeflateRatio <= entry.comp_size;
    if (!possible || entry.comp_size > bytes_.size()) {
      fail(fmt::format("'{}' cannot have {} bytes, packed in {}", shown, entry.size,
                       entry.comp_size));
    }
    return entry;
  }

  [[nodiscard]] std::vector<zip_stat_t> checked_entries() const {
    const auto count = static_cast<zip_uint64_t>(zip_get_num_entries(archive_.get(), 0));
    std::vector<zip_stat_t> entries;
    entries.reserve(count);
    double packed = 0;
    for (zip_uint64_t i = 0; i < count; ++i) {
      entries.push_back(checked_entry(i));
      packed += static_cast<double>(entries.back().comp_size + kBytesPerMember);
    }
    // Members that share bytes are how small archives unpack to petabytes.
    if (packed > static_cast<double>(bytes_.size())) {
      fail(fmt::format("its members overlap: they claim {:.0f} bytes, the file has {}", packed,
                       bytes_.size()));
    }
    return entries;
  }

  void check_limit(double size, std::size_t memory_limit) const {
    if (memory_limit == 0 || size <= static_cast<double>(memory_limit)) return;
    throw Error(ErrorCode::over_memory,
                fmt::format("the archive unpacks to {}, but the memory limit is {}",
                            format_bytes(size), format_bytes(static_cast<double>(memory_limit))),
                name_, {"memory_limit", "raise {memory_limit}"});
  }

  [[nodiscard]] std::string unpack(const zip_stat_t& entry) const {
    const std::string where = fmt::format("the member '{}'", escaped(entry.name));
    const ZipFile file(zip_fopen_index(archive_.get(), entry.index, 0));
    if (!file) fail(*zip_get_error(archive_.get()), where);
    // One byte more than promised: a longer member shows, and libzip compares checksums at the end.
    std::string contents(entry.size + 1, '\0');
    std::size_t made = 0;
    for (;;) {
      const zip_int64_t n = zip_fread(file.get(), contents.data() + made, contents.size() - made);
      if (n < 0) fail(*zip_file_get_error(file.get()), where);
      if (n == 0) break;
      made += static_cast<std::size_t>(n);
    }
    if (made != entry.size)
      fail(fmt::format("{} does not unpack to its {} bytes", where, entry.size));
    contents.resize(entry.size);
    return contents;
  }

  const std::string& name_;
  std::string_view bytes_;
  ZipArchive archive_;
};

}  // namespace

std::map<std::string, std::string> read_zip(const std::string& name, std::string_view bytes,
                                            std::size_t memory_limit) {
  return ZipReader(name, bytes).read_all(memory_limit);
}

std::vector<ZipMember> zip_members(const std::string& name, std::string_view bytes) {
  return ZipReader(name, bytes).members();
}

std::string read_zip_member(const std::string& name, std::string_view bytes,
                            const std::string& member, std::size_t memory_limit) {
  return ZipReader(name, bytes).read_one(member, memory_limit);
}

}  // namespace sfg::detail
