#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "sfg/matrix.hpp"
#include "sfg/run_context.hpp"

namespace sfg::detail {

/// Threads that a run really uses: RunContext::threads, or all available ones.
[[nodiscard]] int worker_count(const RunContext& run);

/// Calls body(item) for every item in [0, n_items), several at a time. Items must not depend on
/// each other. If some throw, the error of the lowest item is rethrown after all workers have
/// ended, so that the message does not depend on timing. Reports progress under `stage` (none if
/// empty) and throws `interrupted` soon after RunContext::stop is set.
void parallel_for(const RunContext& run, std::string_view stage, std::int64_t n_items,
                  const std::function<void(std::int64_t item)>& body);

/// As parallel_for, with the number of the worker (0 .. worker_count - 1) for its own workspace. No
/// two calls with the same worker number run at once.
void parallel_for_workers(const RunContext& run, std::string_view stage, std::int64_t n_items,
                          const std::function<void(std::int64_t item, int worker)>& body);

/// Hands out items to workers that keep several of them under way at once.
class ItemSource {
 public:
  virtual ~ItemSource() = default;
  /// The next item, -1 if there is none left. Throws `interrupted` soon after RunContext::stop is
  /// set.
  [[nodiscard]] virtual std::int64_t next() = 0;
  /// Counts an item as done.
  virtual void done() = 0;
  /// From now on there is none left.
  virtual void end() = 0;
};

/// Calls body(items, worker) once in each worker; together they take all items in [0, n_items). If
/// one throws, the others get no more items and the error is rethrown.
void parallel_workers(const RunContext& run, std::string_view stage, std::int64_t n_items,
                      const std::function<void(ItemSource& items, int worker)>& body);

/// As above, with items from elsewhere, of which there are `most_items` at most.
void parallel_workers(const RunContext& run, ItemSource& items, std::int64_t most_items,
                      const std::function<void(ItemSource& items, int worker)>& body);

/// The run of a stage during which the caller holds a matrix in memory.
[[nodiscard]] RunContext while_holding(const Matrix& matrix, RunContext run);

/// Throws `interrupted` if the caller asked to stop.
void check_stop(const RunContext& run);

/// While it lives, BLAS calls use one thread each: our own threads already fill the machine. The
/// setting belongs to the whole process: of several objects that live at once (callers in threads
/// of their own) the last one puts it back. Throws over_memory where a limit of the process does
/// not let BLAS work.
class SingleThreadedBlas {
 public:
  SingleThreadedBlas();
  ~SingleThreadedBlas();
  SingleThreadedBlas(const SingleThreadedBlas&) = delete;
  SingleThreadedBlas& operator=(const SingleThreadedBlas&) = delete;
};

}  // namespace sfg::detail
