#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Zip archives in memory, by libzip: what numpy calls an npz file. Nothing touches the disk.
namespace sfg::detail {

/// A zip archive of stored (uncompressed) members. Members keep the order given; time stamps are
/// fixed, so that equal contents give equal bytes. Members and archives above 4 GB use the zip64
/// fields. Throws cannot_write where the format cannot hold a name (repeated, too long, with a
/// NUL).
[[nodiscard]] std::string write_zip(
    const std::vector<std::pair<std::string, std::string>>& members);

/// What the directory of an archive says of a member.
struct ZipMember {
  std::string name;
  std::uint64_t size = 0;
  std::uint64_t packed_size = 0;
};

/// The members of an archive without their contents, in its order. `name` starts messages. Throws
/// malformed_input for anything that is not a whole archive of stored or deflated members (bad
/// offsets or sizes, encrypted).
[[nodiscard]] std::vector<ZipMember> zip_members(const std::string& name, std::string_view bytes);

/// The contents of one member, which must be there. Throws malformed_input (a bad checksum) and
/// over_memory, before it takes the memory, when it has more than `memory_limit` bytes (0: no
/// limit).
[[nodiscard]] std::string read_zip_member(const std::string& name, std::string_view bytes,
                                          const std::string& member, std::size_t memory_limit);

/// All members by name; the limit is that of all together.
[[nodiscard]] std::map<std::string, std::string> read_zip(const std::string& name,
                                                          std::string_view bytes,
                                                          std::size_t memory_limit);

}  // namespace sfg::detail
