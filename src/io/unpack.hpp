#pragma once

#include <string>
#include <string_view>

#include "io/growing_bytes.hpp"
#include "sfg/run_context.hpp"

// Files that are packed as a whole: gzip by zlib; bzip2, xz, zstd, lz4 and compress by libarchive.
namespace sfg::detail {

/// Whether the first bytes are those of a packed file. Archives of several files are none.
[[nodiscard]] bool is_packed(std::string_view bytes) noexcept;

/// The contents of packed bytes; `name` starts messages. Throws malformed_input (broken, cut short,
/// or far larger than any table gets), over_memory, and cannot_read where this build lacks the
/// library.
[[nodiscard]] GrowingBytes unpacked(const std::string& name, std::string_view packed,
                                    const RunContext& run);

/// The name without ".gz", ".bz2", ".xz", ".zst", ".lz4" or ".z", in whatever case.
[[nodiscard]] std::string without_packed_ending(std::string name);

/// Throws malformed_input where `unpacked` bytes from `packed` ones are no table but an attack on
/// memory. Who sets a limit knows what is coming.
void check_unpacked_ratio(const std::string& name, std::string_view kind, double unpacked,
                          double packed, const RunContext& run);

}  // namespace sfg::detail
