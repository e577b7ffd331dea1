#include "core/memory.hpp"

#include <fmt/format.h>

#include "core/text.hpp"
#include "sfg/error.hpp"

namespace sfg::detail {

namespace {

/// Share of the free memory that may be used when no limit is set.
constexpr double kSafeShare = 0.8;

}  // namespace

double memory_limit(const RunContext& run, double held) {
  if (run.memory_limit != 0) return static_cast<double>(run.memory_limit);
  return held + kSafeShare * static_cast<double>(available_memory());
}

bool fits_memory(double bytes, const RunContext& run) {
  const auto held = static_cast<double>(run.memory_held);
  return held + bytes <= memory_limit(run, held);
}

void require_memory(double bytes, const RunContext& run, std::string_view what,
                    std::string_view advice) {
  if (fits_memory(bytes, run)) return;
  const auto held = static_cast<double>(run.memory_held);
  throw Error(ErrorCode::over_memory,
              fmt::format("{} needs {} of memory ({} of it for the data), but the limit is {}",
                          what, format_bytes(held + bytes), format_bytes(held),
                          format_bytes(memory_limit(run, held))),
              "", {"memory_limit", std::string(advice)});
}

}  // namespace sfg::detail
