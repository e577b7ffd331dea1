#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "sfg/run.hpp"

namespace sfg::detail {

/// Threads that a run really uses: Run::threads, or all available ones.
[[nodiscard]] int worker_count(const Run& run);

/// Calls body(item) for every item in [0, n_items), several at a time. Items must not depend on
/// each other. If some throw, the error of the lowest item is rethrown after all workers have
/// ended, so that the message does not depend on timing. Reports progress under `stage` (none if
/// empty) and throws `interrupted` soon after Run::stop is set.
void parallel_for(const Run& run, std::string_view stage, std::int64_t n_items,
                  const std::function<void(std::int64_t item)>& body);

/// As parallel_for, with the number of the worker (0 .. worker_count - 1) for its own workspace. No
/// two calls with the same worker number run at once.
void parallel_for_workers(const Run& run, std::string_view stage, std::int64_t n_items,
                          const std::function<void(std::int64_t item, int worker)>& body);

/// Throws `interrupted` if the caller asked to stop.
void check_stop(const Run& run);

/// While it lives, BLAS calls use one thread each: our own threads already fill the machine.
class SingleThreadedBlas {
 public:
  SingleThreadedBlas();
  ~SingleThreadedBlas();
  SingleThreadedBlas(const SingleThreadedBlas&) = delete;
  SingleThreadedBlas& operator=(const SingleThreadedBlas&) = delete;

 private:
  int before_;
};

}  // namespace sfg::detail
