#pragma once

#include <cstddef>

#include "sfg/run_context.hpp"

namespace sfg::detail {

/// Several jobs at a time, each with its share of the threads and of the memory.
struct Shares {
  RunContext outer;  ///< whose threads are the jobs at a time
  RunContext inner;  ///< of one job; without progress
};

/// As many jobs at a time as there are threads, if each needs `bytes_each` beside `bytes_held` that
/// the caller holds meanwhile.
[[nodiscard]] Shares share_out(const RunContext& run, std::size_t bytes_held, double bytes_each);

}  // namespace sfg::detail
