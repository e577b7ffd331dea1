#include "core/shares.hpp"

#include <algorithm>

#include "core/memory.hpp"
#include "core/threads.hpp"

namespace sfg::detail {

Shares share_out(const RunContext& run, std::size_t bytes_held, double bytes_each) {
  Shares shares{run, run};
  shares.inner.memory_held += bytes_held;
  const auto held = static_cast<double>(shares.inner.memory_held);
  const double free = std::max(0.0, memory_limit(run, held) - held);
  const int threads = worker_count(run);
  const auto workers =
      static_cast<int>(std::clamp(free / bytes_each, 1.0, static_cast<double>(threads)));
  shares.outer.threads = workers;
  shares.inner.threads = std::max(1, threads / workers);
  shares.inner.memory_limit =
      shares.inner.memory_held + static_cast<std::size_t>(free / static_cast<double>(workers));
  shares.inner.progress = nullptr;
  return shares;
}

}  // namespace sfg::detail
