#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>

#include "core/text.hpp"
#include "io/zip.hpp"
#include "io/zip_records.hpp"
#include "sfg/error.hpp"

namespace sfg::detail {

namespace {

/// Deflate cannot shrink data more than this: a larger claim is a lie.
constexpr std::uint64_t kLargestDeflateRatio = 1032;

struct Entry {
  std::string name;
  std::uint16_t flags = 0;
  std::uint16_t method = 0;
  std::uint32_t checksum = 0;
  std::uint64_t packed_size = 0;
  std::uint64_t size = 0;
  std::uint64_t offset = 0;  ///< of the local header
};

struct Directory {
  std::uint64_t count = 0;
  std::uint64_t size = 0;
  std::uint64_t offset = 0;
};

/// Where the parts of a member lie in the archive.
struct Extent {
  std::uint64_t begin = 0;
  std::uint64_t data = 0;
  std::uint64_t end = 0;
};

class ZipReader {
 public:
  ZipReader(const std::string& name, std::string_view bytes) : name_(name), bytes_(bytes) {}

  std::map<std::string, std::string> read(std::size_t memory_limit) const {
    const std::vector<Entry> entries = read_directory(find_directory());
    std::vector<Extent> extents;
    extents.reserve(entries.size());
    for (const Entry& entry : entries) extents.push_back(locate(entry));
    check_overlaps(extents);
    check_sizes(entries, memory_limit);

    std::map<std::string, std::string> members;
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const auto packed = bytes_.substr(extents[i].data, extents[i].end - extents[i].data);
      if (!members.emplace(entries[i].name, unpack(entries[i], packed)).second) {
        fail(fmt::format("the member '{}' occurs twice", escaped(entries[i].name)));
      }
    }
    return members;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(
        ErrorCode::malformed_input,
        fmt::format("{}: broken zip archive: {}: copy or make the file again", name_, what));
  }

  /// The little-endian number at a place; the caller has checked that it is there.
  [[nodiscard]] std::uint64_t number(std::uint64_t place, int size) const {
    std::uint64_t value = 0;
    for (int i = size; i-- > 0;) {
      value = (value << 8) | static_cast<unsigned char>(bytes_[place + static_cast<unsigned>(i)]);
    }
    return value;
  }
  [[nodiscard]] std::uint16_t number16(std::uint64_t place) const {
    return static_cast<std::uint16_t>(number(place, 2));
  }
  [[nodiscard]] std::uint32_t number32(std::uint64_t place) const {
    return static_cast<std::uint32_t>(number(place, 4));
  }
  [[nodiscard]] std::uint64_t number64(std::uint64_t place) const { return number(place, 8); }

  [[nodiscard]] bool fits(std::uint64_t place, std::uint64_t size) const {
    return place <= bytes_.size() && size <= bytes_.size() - place;
  }

  /// The end record is the last thing in the file but for a comment of at most 64 kB.
  [[nodiscard]] std::uint64_t find_end() const {
    constexpr std::uint64_t kLongestComment = std::numeric_limits<std::uint16_t>::max();
    if (bytes_.size() >= kEndSize) {
      const std::uint64_t last = bytes_.size() - kEndSize;
      const std::uint64_t first = last - std::min(last, kLongestComment);
      for (std::uint64_t place = last + 1; place-- > first;) {
        if (number32(place) == kEndSignature &&
            place + kEndSize + number16(place + 20) == bytes_.size()) {
          return place;
        }
      }
    }
    fail(fmt::format("no end record in its {} bytes (not a zip archive, or cut short)",
                     bytes_.size()));
  }

  [[nodiscard]] Directory find_directory() const {
    const std::uint64_t end = find_end();
    if (number16(end + 4) != number16(end + 6)) fail("it is one part of several");
    Directory directory{number16(end + 10), number32(end + 12), number32(end + 16)};
    const bool zip64 =
        end >= kZip64LocatorSize && number32(end - kZip64LocatorSize) == kZip64LocatorSignature;
    if (zip64) {
      const std::uint64_t place = number64(end - kZip64LocatorSize + 8);
      if (!fits(place, kZip64EndSize) || number32(place) != kZip64EndSignature) {
        fail("the zip64 end record is not where its locator says");
      }
      directory = {number64(place + 32), number64(place + 40), number64(place + 48)};
    }
    if (!fits(directory.offset, directory.size) || directory.offset + directory.size > end) {
      fail(fmt::format("its directory of {} bytes at {} lies outside the file of {} bytes",
                       directory.size, directory.offset, bytes_.size()));
    }
    if (directory.count > directory.size / kCentralSize) {
      fail(fmt::format("its directory of {} bytes cannot hold {} members", directory.size,
                       directory.count));
    }
    return directory;
  }

  [[nodiscard]] std::vector<Entry> read_directory(const Directory& directory) const {
    std::vector<Entry> entries;
    entries.reserve(directory.count);
    std::uint64_t place = directory.offset;
    const std::uint64_t end = directory.offset + directory.size;
    for (std::uint64_t i = 0; i < directory.count; ++i) {
      if (end - place < kCentralSize || number32(place) != kCentralSignature) {
        fail(fmt::format("entry {} of its directory is damaged", i + 1));
      }
      const std::uint64_t name_size = number16(place + 28);
      const std::uint64_t extra_size = number16(place + 30);
      const std::uint64_t whole = kCentralSize + name_size + extra_size + number16(place + 32);
      if (end - place < whole) fail(fmt::format("entry {} of its directory is cut short", i + 1));
      Entry entry;
      entry.name = bytes_.substr(place + kCentralSize, name_size);
      entry.flags = number16(place + 8);
      entry.method = number16(place + 10);
      entry.checksum = number32(place + 16);
      entry.packed_size = number32(place + 20);
      entry.size = number32(place + 24);
      entry.offset = number32(place + 42);
      read_zip64_fields(place + kCentralSize + name_size, extra_size, entry);
      entries.push_back(std::move(entry));
      place += whole;
    }
    if (place != end) fail("its directory has bytes that belong to no member");
    return entries;
  }

  /// Replaces the sizes and the offset that did not fit in 32 bits.
  void read_zip64_fields(std::uint64_t place, std::uint64_t extra_size, Entry& entry) const {
    const std::uint64_t end = place + extra_size;
    while (end - place >= 4) {
      const std::uint16_t kind = number16(place);
      const std::uint64_t size = number16(place + 2);
      place += 4;
      if (size > end - place) fail(fmt::format("extra fields of '{}'", escaped(entry.name)));
      if (kind == kExtraZip64) {
        std::uint64_t next = place;
        for (std::uint64_t* field : {&entry.size, &entry.packed_size, &entry.offset}) {
          if (*field != kIn64BitField) continue;
          if (place + size - next < 8)
            fail(fmt::format("zip64 sizes of '{}'", escaped(entry.name)));
          *field = number64(next);
          next += 8;
        }
        return;
      }
      place += size;
    }
  }

  [[nodiscard]] Extent locate(const Entry& entry) const {
    const std::string shown = escaped(entry.name);
    if (!fits(entry.offset, kLocalSize) || number32(entry.offset) != kLocalSignature) {
      fail(fmt::format("the member '{}' is not at offset {}", shown, entry.offset));
    }
    const std::uint64_t name_size = number16(entry.offset + 26);
    const std::uint64_t extra_size = number16(entry.offset + 28);
    const std::uint64_t data = entry.offset + kLocalSize + name_size + extra_size;
    if (!fits(data, entry.packed_size)) {
      fail(fmt::format("the member '{}' needs {} bytes from {} on, the file has {}", shown,
                       entry.packed_size, data, bytes_.size()));
    }
    if (bytes_.substr(entry.offset + kLocalSize, name_size) != entry.name) {
      fail(fmt::format("the member '{}' has another name in front of its data", shown));
    }
    return {entry.offset, data, data + entry.packed_size};
  }

  /// Members that share bytes are how small archives unpack to petabytes.
  void check_overlaps(std::vector<Extent> extents) const {
    std::ranges::sort(extents, {}, &Extent::begin);
    for (std::size_t i = 1; i < extents.size(); ++i) {
      if (extents[i].begin < extents[i - 1].end) {
        fail(fmt::format("two members overlap at offset {}", extents[i].begin));
      }
    }
  }

  void check_sizes(const std::vector<Entry>& entries, std::size_t memory_limit) const {
    double total = 0;
    for (const Entry& entry : entries) {
      const std::string shown = escaped(entry.name);
      if ((entry.flags & kFlagEncrypted) != 0) fail(fmt::format("'{}' is encrypted", shown));
      if (entry.method != kMethodStored && entry.method != kMethodDeflated) {
        fail(fmt::format("'{}' is packed by method {}, only stored and deflated members are read",
                         shown, entry.method));
      }
      const bool possible = entry.method == kMethodStored
                                ? entry.size == entry.packed_size
                                : entry.size / kLargestDeflateRatio <= entry.packed_size;
      if (!possible) {
        fail(fmt::format("'{}' cannot have {} bytes, packed in {}", shown, entry.size,
                         entry.packed_size));
      }
      total += static_cast<double>(entry.size);
    }
    if (memory_limit > 0 && total > static_cast<double>(memory_limit)) {
      throw Error(ErrorCode::over_memory,
                  fmt::format("the archive unpacks to {}, but the memory limit is {}",
                              format_bytes(total), format_bytes(static_cast<double>(memory_limit))),
                  name_, {"memory_limit", "raise {memory_limit}"});
    }
  }

  [[nodiscard]] std::string unpack(const Entry& entry, std::string_view packed) const {
    std::string contents =
        entry.method == kMethodStored ? std::string(packed) : inflated(entry, packed);
    const auto checksum =
        crc32_z(0, reinterpret_cast<const Bytef*>(contents.data()), contents.size());
    if (checksum != entry.checksum) {
      fail(fmt::format("the checksum of '{}' is {:08x}, expected {:08x}", escaped(entry.name),
                       checksum, entry.checksum));
    }
    return contents;
  }

  [[nodiscard]] std::string inflated(const Entry& entry, std::string_view packed) const {
    constexpr int kRawDeflate = -15;
    z_stream stream{};
    if (inflateInit2(&stream, kRawDeflate) != Z_OK) throw std::bad_alloc();
    const std::unique_ptr<z_stream, int (*)(z_stream*)> closer(&stream, inflateEnd);

    // One byte more than promised, so that a longer stream shows.
    std::string contents(entry.size + 1, '\0');
    std::size_t taken = 0;
    std::size_t made = 0;
    int status = Z_OK;
    while (status == Z_OK && made < contents.size()) {
      constexpr std::size_t kMost = std::numeric_limits<uInt>::max();
      const std::size_t give = std::min(packed.size() - taken, kMost);
      const std::size_t room = std::min(contents.size() - made, kMost);
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data() + taken));
      stream.avail_in = static_cast<uInt>(give);
      stream.next_out = reinterpret_cast<Bytef*>(contents.data() + made);
      stream.avail_out = static_cast<uInt>(room);
      status = inflate(&stream, Z_NO_FLUSH);
      taken += give - stream.avail_in;
      made += room - stream.avail_out;
    }
    if (status != Z_STREAM_END || made != entry.size || taken != packed.size()) {
      fail(fmt::format("'{}' does not unpack to its {} bytes", escaped(entry.name), entry.size));
    }
    contents.resize(entry.size);
    return contents;
  }

  const std::string& name_;
  std::string_view bytes_;
};

}  // namespace

std::map<std::string, std::string> read_zip(const std::string& name, std::string_view bytes,
                                            std::size_t memory_limit) {
  return ZipReader(name, bytes).read(memory_limit);
}

}  // namespace sfg::detail
