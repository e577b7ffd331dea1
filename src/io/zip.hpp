#pragma once

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

/// The members of a zip archive, stored or deflated, by name. `name` starts messages. Throws
/// malformed_input for anything that is not such an archive (bad offsets, sizes, checksums) and
/// over_memory, before it takes the memory, when the members unpack to more than `memory_limit`
/// bytes (0: no limit).
[[nodiscard]] std::map<std::string, std::string> read_zip(const std::string& name,
                                                          std::string_view bytes,
                                                          std::size_t memory_limit);

}  // namespace sfg::detail
