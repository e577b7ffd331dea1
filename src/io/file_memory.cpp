#include "io/file_memory.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/text.hpp"

namespace sfg::detail {

namespace {

constexpr std::size_t kSmallFile = std::size_t{64} << 10U;
/// Hashed features in svmlight files are the extreme of real data: some ten entries of ten bytes
/// per sample, and 2^24 columns of 40 bytes for a file of 200 kB.
constexpr std::size_t kMemoryPerByte = 4096;

/// Without asking what the machine has, which takes longer than reading a small file.
std::size_t in_proportion(std::size_t file_bytes) {
  const std::size_t beyond = file_bytes > kSmallFile ? file_bytes - kSmallFile : 0;
  return kSmallFileMemory + kMemoryPerByte * beyond;
}

}  // namespace

std::size_t memory_for_file(std::size_t file_bytes) {
  const std::size_t limit = in_proportion(file_bytes);
  return limit <= kSmallFileMemory ? limit : std::min(limit, available_memory());
}

RunContext limited_by_file(const RunContext& run, std::size_t file_bytes) {
  if (run.memory_limit > 0) return run;
  RunContext limited = run;
  const std::size_t limit = in_proportion(file_bytes);
  // Free memory stays "no limit": it is asked for when it matters, and messages name it.
  if (limit <= kSmallFileMemory || limit < available_memory()) limited.memory_limit = limit;
  return limited;
}

Error with_file_limit(const Error& error, std::size_t file_bytes) {
  return {error.code(),
          fmt::format("{} (a file of {} may take {} unless a limit is set)", error.fault(),
                      format_bytes(static_cast<double>(file_bytes)),
                      format_bytes(static_cast<double>(in_proportion(file_bytes)))),
          error.where(),
          {"memory_limit", "set {memory_limit} if the table is meant to be that large"}};
}

}  // namespace sfg::detail
