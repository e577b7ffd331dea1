#pragma once

#include <string_view>

#include "sfg/run_context.hpp"

namespace sfg::detail {

/// Bytes that may be in use in all by a caller that holds `held` of them: RunContext::memory_limit,
/// or a safe share of what is free.
[[nodiscard]] double memory_limit(const RunContext& run, double held);

/// Whether `bytes` more than RunContext::memory_held stay below the limit.
[[nodiscard]] bool fits_memory(double bytes, const RunContext& run);

/// Throws over_memory, with the number needed, unless they fit. `what` needs them ("the affinity of
/// 9000 samples"), `advice` says what to do: see Hint.
void require_memory(double bytes, const RunContext& run, std::string_view what,
                    std::string_view advice);

}  // namespace sfg::detail
