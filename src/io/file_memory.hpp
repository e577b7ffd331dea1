#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include "sfg/error.hpp"
#include "sfg/run_context.hpp"

// How much memory a file may ask for. A few bytes can claim a table of any size; where the caller
// set no limit, what is taken must bear some proportion to what was given.
namespace sfg::detail {

/// Memory that any file may take, however small.
inline constexpr std::size_t kSmallFileMemory = std::size_t{64} << 20U;

/// 64 MiB for files up to 64 KiB and 4 KiB more for every further byte, if the machine has that
/// much.
[[nodiscard]] std::size_t memory_for_file(std::size_t file_bytes);

/// The run with the limit of memory_for_file(), unless it has a limit of its own or the machine has
/// less.
[[nodiscard]] RunContext limited_by_file(const RunContext& run, std::size_t file_bytes);

/// Says how to read a file all the same that asked for more than memory_for_file().
[[nodiscard]] Error with_file_limit(const Error& error, std::size_t file_bytes);

/// Calls `use` with limited_by_file(): an over_memory of it that comes from the file's size says
/// so.
template <typename Use>
auto use_with_file_limit(const RunContext& run, std::size_t file_bytes, Use use) {
  const RunContext limited = limited_by_file(run, file_bytes);
  try {
    return use(limited);
  } catch (const Error& error) {
    const bool is_ours = limited.memory_limit != run.memory_limit;
    if (is_ours && error.code() == ErrorCode::over_memory) throw with_file_limit(error, file_bytes);
    throw;
  }
}

}  // namespace sfg::detail
