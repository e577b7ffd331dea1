#include "io/unpack.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <memory>
#include <new>
#include <utility>

#include "core/text.hpp"
#include "core/threads.hpp"
#include "io/file_memory.hpp"
#include "sfg/error.hpp"

#ifdef SFG_WITH_ARCHIVE
#include <archive.h>
#include <archive_entry.h>
#endif

namespace sfg::detail {

namespace {

/// zlib counts in 32 bits: longer input is handed over in pieces.
constexpr std::size_t kLargestPiece = std::size_t{1} << 30;
/// zlib's largest window, and its flag for a gzip frame around the data.
constexpr int kGzipWindowBits = 15 + 16;
constexpr std::string_view kGzipMagic = "\x1f\x8b";
/// Tables of zeros shrink to a hundredth. Beyond this it is no table but an attack on memory, and
/// deflate reaches 1032.
constexpr double kLargestRatio = 500;

struct PackedKind {
  std::string_view magic;
  std::string_view name;
  std::string_view command;  ///< that unpacks it
};
/// What libarchive unpacks.
constexpr std::array<PackedKind, 5> kArchiveKinds{{
    {"BZh", "bzip2", "bunzip2"},
    {{"\xfd\x37zXZ\0", 6}, "xz", "unxz"},
    {"\x28\xb5\x2f\xfd", "zstd", "unzstd"},
    {"\x04\x22\x4d\x18", "lz4", "unlz4"},
    {"\x1f\x9d", "compress", "uncompress"},
}};

const PackedKind* archive_kind(std::string_view bytes) noexcept {
  const auto found = std::ranges::find_if(
      kArchiveKinds, [&](const PackedKind& kind) { return bytes.starts_with(kind.magic); });
  return found == kArchiveKinds.end() ? nullptr : &*found;
}

/// Most bytes that packed ones may unpack to.
std::size_t unpacked_limit(std::string_view packed, const RunContext& run) {
  return run.memory_limit > 0 ? run.memory_limit : memory_for_file(packed.size());
}

/// Unpacks gzip data: one member after the other, as `cat a.gz b.gz` makes them.
class GzipUnpacker {
 public:
  GzipUnpacker(const std::string& name, std::string_view packed, const RunContext& run)
      : name_(name), packed_(packed), run_(run), limit_(unpacked_limit(packed, run)) {
    if (inflateInit2(&stream_, kGzipWindowBits) != Z_OK) throw std::bad_alloc();
  }
  ~GzipUnpacker() { inflateEnd(&stream_); }
  GzipUnpacker(const GzipUnpacker&) = delete;
  GzipUnpacker& operator=(const GzipUnpacker&) = delete;

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
      check_stop(run_);
      if (result_.is_full()) {
        check_unpacked_ratio(name_, "gzip", static_cast<double>(result_.used()),
                             static_cast<double>(position_), run_);
      }
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
  const RunContext& run_;
  std::size_t limit_;
  std::size_t position_ = 0;
  GrowingBytes result_;
  z_stream stream_{};
};

#ifdef SFG_WITH_ARCHIVE

/// Unpacks what libarchive knows, front to back.
class ArchiveUnpacker {
 public:
  ArchiveUnpacker(const std::string& name, const PackedKind& kind, std::string_view packed,
                  const RunContext& run)
      : name_(name), kind_(kind), packed_(packed), run_(run), reader_(archive_read_new()) {
    if (!reader_) throw std::bad_alloc();
    // Those alone: libarchive would start other programs for some.
    archive_read_support_filter_bzip2(reader_.get());
    archive_read_support_filter_xz(reader_.get());
    archive_read_support_filter_zstd(reader_.get());
    archive_read_support_filter_lz4(reader_.get());
    archive_read_support_filter_compress(reader_.get());
    archive_read_support_format_raw(reader_.get());
    archive_entry* entry = nullptr;
    check(archive_read_open_memory(reader_.get(), packed.data(), packed.size()));
    check(archive_read_next_header(reader_.get(), &entry));
    if (archive_filter_code(reader_.get(), 0) == ARCHIVE_FILTER_NONE) refuse("bad data");
  }

  GrowingBytes unpack() {
    const std::size_t limit = unpacked_limit(packed_, run_);
    GrowingBytes result;
    for (;;) {
      check_stop(run_);
      if (result.is_full()) {
        check_unpacked_ratio(name_, kind_.name, static_cast<double>(result.used()),
                             static_cast<double>(packed_.size()), run_);
      }
      const auto room = room_below(result, limit, name_);
      const la_ssize_t n_made = archive_read_data(reader_.get(), room.data(), room.size());
      if (n_made == 0) return result;
      check(n_made < 0 ? static_cast<int>(n_made) : ARCHIVE_OK);
      result.add(static_cast<std::size_t>(n_made));
    }
  }

 private:
  void check(int status) const {
    if (status == ARCHIVE_OK) return;
    const char* reason = archive_error_string(reader_.get());
    refuse(reason != nullptr ? reason : "bad data");
  }

  [[noreturn]] void refuse(const std::string& reason) const {
    throw Error(ErrorCode::malformed_input,
                fmt::format("{}: the {} data are broken or cut short ({}); copy or download it "
                            "again",
                            name_, kind_.name, reason));
  }

  struct Free {
    void operator()(archive* reader) const { archive_read_free(reader); }
  };
  const std::string& name_;
  const PackedKind& kind_;
  std::string_view packed_;
  const RunContext& run_;
  std::unique_ptr<archive, Free> reader_;
};

GrowingBytes unpack_other(const std::string& name, const PackedKind& kind, std::string_view packed,
                          const RunContext& run) {
  return ArchiveUnpacker(name, kind, packed, run).unpack();
}

#else

GrowingBytes unpack_other(const std::string& name, const PackedKind& kind, std::string_view,
                          const RunContext&) {
  throw Error(ErrorCode::cannot_read,
              fmt::format("{}: is packed by {}, and this sfg was built without libarchive; unpack "
                          "it first ({}), or install libarchive-dev and build again",
                          name, kind.name, kind.command));
}

#endif

}  // namespace

bool is_packed(std::string_view bytes) noexcept {
  return bytes.starts_with(kGzipMagic) || archive_kind(bytes) != nullptr;
}

GrowingBytes unpacked(const std::string& name, std::string_view packed, const RunContext& run) {
  if (const PackedKind* kind = archive_kind(packed)) return unpack_other(name, *kind, packed, run);
  return GzipUnpacker(name, packed, run).unpack();
}

std::string without_packed_ending(std::string name) {
  constexpr std::array<std::string_view, 6> kEndings{".gz", ".bz2", ".xz", ".zst", ".lz4", ".z"};
  std::string small = name;
  for (char& c : small) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  for (const std::string_view ending : kEndings) {
    if (small.ends_with(ending)) {
      name.erase(name.size() - ending.size());
      break;
    }
  }
  return name;
}

void check_unpacked_ratio(const std::string& name, std::string_view kind, double unpacked,
                          double packed, const RunContext& run) {
  if (run.memory_limit > 0 || unpacked < static_cast<double>(kSmallFileMemory)) return;
  if (unpacked / kLargestRatio <= packed) return;
  throw Error(
      ErrorCode::malformed_input,
      fmt::format("the {} data unpack to more than {} times their size, {} and counting, which no "
                  "table does",
                  kind, kLargestRatio, format_bytes(unpacked)),
      name, {"memory_limit", "set {memory_limit} if they are meant to be that large"});
}

}  // namespace sfg::detail
