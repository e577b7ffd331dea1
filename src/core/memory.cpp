#include "core/memory.hpp"

#include <fmt/format.h>

#include "core/text.hpp"
#include "sfg/error.hpp"

namespace sfg::detail {

void require_memory(double bytes, const Run& run, std::string_view what, std::string_view remedy) {
  const auto held = static_cast<double>(run.memory_held);
  const double limit = run.memory_limit != 0
                           ? static_cast<double>(run.memory_limit)
                           : held + kSafeMemoryShare * static_cast<double>(available_memory());
  if (held + bytes <= limit) return;
  throw Error(
      ErrorCode::over_memory,
      fmt::format("{} needs {} of memory ({} of them for the data), the limit is {}: {}", what,
                  format_bytes(held + bytes), format_bytes(held), format_bytes(limit), remedy));
}

}  // namespace sfg::detail
