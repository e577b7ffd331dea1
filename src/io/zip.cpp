#include "io/zip.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>

#include "core/text.hpp"
#include "io/zip_records.hpp"
#include "sfg/error.hpp"

namespace sfg::detail {

namespace {

/// 1 January 1980, the first day that a zip archive can name.
constexpr std::uint16_t kFixedDate = 0x21;
constexpr std::uint16_t kVersionPlain = 20;
constexpr std::uint16_t kVersionZip64 = 45;

struct Member {
  std::string_view name;
  std::uint32_t checksum = 0;
  std::uint64_t size = 0;
  std::uint64_t offset = 0;
};

class Record {
 public:
  Record& add16(std::uint64_t value) { return add(value, 2); }
  Record& add32(std::uint64_t value) { return add(value, 4); }
  Record& add64(std::uint64_t value) { return add(value, 8); }
  Record& add(std::string_view text) {
    bytes_ += text;
    return *this;
  }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  Record& add(std::uint64_t value, int size) {
    for (int i = 0; i < size; ++i) bytes_ += static_cast<char>((value >> (8 * i)) & 0xFF);
    return *this;
  }
  std::string bytes_;
};

std::uint16_t name_flags(std::string_view name) {
  const bool ascii =
      std::ranges::all_of(name, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  return ascii ? 0 : kFlagUtf8Name;
}

/// The fields that a local header and a central directory entry have in common.
void add_common_fields(Record& record, const Member& member, bool zip64_sizes,
                       std::size_t extra_size) {
  const std::uint64_t size = zip64_sizes ? kIn64BitField : member.size;
  record.add16(name_flags(member.name)).add16(kMethodStored).add16(0).add16(kFixedDate);
  record.add32(member.checksum).add32(size).add32(size);
  record.add16(member.name.size()).add16(extra_size);
}

std::string local_header(const Member& member) {
  const bool zip64 = member.size >= kIn64BitField;
  Record extra;
  if (zip64) extra.add16(kExtraZip64).add16(16).add64(member.size).add64(member.size);
  Record record;
  record.add32(kLocalSignature).add16(zip64 ? kVersionZip64 : kVersionPlain);
  add_common_fields(record, member, zip64, extra.bytes().size());
  return record.add(member.name).add(extra.bytes()).bytes();
}

std::string central_entry(const Member& member) {
  const bool zip64_sizes = member.size >= kIn64BitField;
  const bool zip64_offset = member.offset >= kIn64BitField;
  Record fields;
  if (zip64_sizes) fields.add64(member.size).add64(member.size);
  if (zip64_offset) fields.add64(member.offset);
  Record extra;
  if (zip64_sizes || zip64_offset) {
    extra.add16(kExtraZip64).add16(fields.bytes().size()).add(fields.bytes());
  }
  const std::uint16_t version = extra.bytes().empty() ? kVersionPlain : kVersionZip64;
  Record record;
  record.add32(kCentralSignature).add16(version).add16(version);
  add_common_fields(record, member, zip64_sizes, extra.bytes().size());
  // No comment, first disk, no attributes.
  record.add16(0).add16(0).add16(0).add32(0);
  record.add32(zip64_offset ? kIn64BitField : member.offset);
  return record.add(member.name).add(extra.bytes()).bytes();
}

std::string end_records(std::uint64_t count, std::uint64_t directory_offset,
                        std::uint64_t directory_size) {
  Record record;
  const bool zip64 = count >= kCountIn64BitField || directory_offset >= kIn64BitField ||
                     directory_size >= kIn64BitField;
  if (zip64) {
    constexpr std::uint64_t kRestOfRecord = kZip64EndSize - 12;
    record.add32(kZip64EndSignature).add64(kRestOfRecord).add16(kVersionZip64).add16(kVersionZip64);
    record.add32(0)
        .add32(0)
        .add64(count)
        .add64(count)
        .add64(directory_size)
        .add64(directory_offset);
    record.add32(kZip64LocatorSignature).add32(0).add64(directory_offset + directory_size).add32(1);
  }
  const std::uint64_t short_count = std::min<std::uint64_t>(count, kCountIn64BitField);
  record.add32(kEndSignature).add16(0).add16(0).add16(short_count).add16(short_count);
  record.add32(std::min<std::uint64_t>(directory_size, kIn64BitField));
  record.add32(std::min<std::uint64_t>(directory_offset, kIn64BitField)).add16(0);
  return record.bytes();
}

}  // namespace

void write_zip(const std::vector<std::pair<std::string, std::string>>& members, std::ostream& out) {
  std::uint64_t offset = 0;
  const auto put = [&](std::string_view bytes) {
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    offset += bytes.size();
  };

  std::vector<std::string> directory;
  directory.reserve(members.size());
  for (const auto& [name, contents] : members) {
    if (name.size() > std::numeric_limits<std::uint16_t>::max()) {
      throw Error(ErrorCode::cannot_write,
                  fmt::format("zip archive: a member's name has {} bytes, at most 65535 can be "
                              "written",
                              name.size()));
    }
    Member member{name, 0, contents.size(), offset};
    member.checksum = static_cast<std::uint32_t>(
        crc32_z(0, reinterpret_cast<const Bytef*>(contents.data()), contents.size()));
    put(local_header(member));
    put(contents);
    directory.push_back(central_entry(member));
  }
  const std::uint64_t directory_offset = offset;
  for (const std::string& entry : directory) put(entry);
  put(end_records(members.size(), directory_offset, offset - directory_offset));
}

}  // namespace sfg::detail
