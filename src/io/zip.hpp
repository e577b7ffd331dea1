#pragma once

#include <map>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sfg::detail {

/// Writes a zip archive of stored (uncompressed) members: what numpy calls an npz file. Members
/// keep the order given; time stamps are fixed, so that equal contents give equal files. Members
/// and archives above 4 GB use the zip64 fields.
void write_zip(const std::vector<std::pair<std::string, std::string>>& members, std::ostream& out);

/// The members of a zip archive, stored or deflated, by name. `name` starts messages. Throws
/// malformed_input for anything that is not such an archive (bad offsets, sizes, checksums) and
/// over_memory when the members unpack to more than `memory_limit` bytes (0: no limit).
[[nodiscard]] std::map<std::string, std::string> read_zip(const std::string& name,
                                                          std::string_view bytes,
                                                          std::size_t memory_limit);

}  // namespace sfg::detail
