#include "core/threads.hpp"

#include <cblas.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <limits>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "core/text.hpp"
#include "sfg/error.hpp"

namespace sfg::detail {

namespace {

/// The error of the lowest item among all that were thrown.
class FirstError {
 public:
  void keep(std::int64_t item, std::exception_ptr error) {
    const std::lock_guard lock(mutex_);
    if (item < item_) {
      item_ = item;
      error_ = std::move(error);
    }
    lowest_.store(item_, std::memory_order_relaxed);
  }
  /// Items above a failed one need not run: their outcome cannot be seen any more.
  [[nodiscard]] bool makes_useless(std::int64_t item) const {
    return item > lowest_.load(std::memory_order_relaxed);
  }
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  std::mutex mutex_;
  std::int64_t item_ = std::numeric_limits<std::int64_t>::max();
  std::atomic<std::int64_t> lowest_ = std::numeric_limits<std::int64_t>::max();
  std::exception_ptr error_;
};

/// Passes progress on about a thousand times in all, one thread at a time.
class ProgressReporter {
 public:
  ProgressReporter(const RunContext& run, std::string_view stage, std::int64_t total)
      : run_(run), stage_(stage), total_(total), step_(std::max<std::int64_t>(1, total / 1000)) {}

  void done(std::int64_t count) {
    if (stage_.empty() || !run_.progress) return;
    const std::int64_t before = done_.fetch_add(count, std::memory_order_relaxed);
    const std::int64_t done = before + count;
    if (before / step_ == done / step_ && done != total_) return;
    const std::lock_guard lock(mutex_);
    if (done <= reported_) return;
    reported_ = done;
    run_.progress(stage_, static_cast<double>(done), static_cast<double>(total_));
  }

 private:
  const RunContext& run_;
  std::string_view stage_;
  std::int64_t total_;
  std::int64_t step_;
  std::atomic<std::int64_t> done_ = 0;
  std::mutex mutex_;
  std::int64_t reported_ = 0;
};

/// Items in order, for all workers of one call.
class SharedItems final : public ItemSource {
 public:
  SharedItems(const RunContext& run, std::string_view stage, std::int64_t n_items)
      : run_(run), n_items_(n_items), progress_(run, stage, n_items) {}

  std::int64_t next() override {
    check_stop(run_);
    const std::int64_t item = next_.fetch_add(1, std::memory_order_relaxed);
    return item < n_items_ ? item : -1;
  }
  void done() override {
    check_stop(run_);
    progress_.done(1);
  }
  void end() override { next_.store(n_items_, std::memory_order_relaxed); }

 private:
  const RunContext& run_;
  std::int64_t n_items_;
  std::atomic<std::int64_t> next_ = 0;
  ProgressReporter progress_;
};

/// Runs work(worker) in threads of this call alone: none left behind, nothing process-wide. Where
/// the system has no more threads to give, those that there are do the work.
void in_workers(int n_workers, const std::function<void(int worker)>& work) {
  std::vector<std::jthread> others;
  try {
    for (int worker = 1; worker < n_workers; ++worker) others.emplace_back(work, worker);
  } catch (const std::system_error&) {
  }
  work(0);
}

/// What OpenBLAS keeps for the whole process, and who relies on it being 1.
struct BlasSetting {
  std::mutex mutex;
  int n_users = 0;
  int threads_before = 1;
};

BlasSetting& blas_setting() {
  static BlasSetting setting;
  return setting;
}

/// OpenBLAS takes work memory for each thread that calls it, and tries for ever if the system does
/// not give it. Where the process has a limit (ulimit -v), better ask before.
void require_blas_memory() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
  constexpr std::size_t kPerThread = (std::size_t{1} << 27U) + (std::size_t{1} << 21U);
  const std::size_t size = kPerThread * static_cast<std::size_t>(available_threads());
  void* place = mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (place == MAP_FAILED) {
    throw Error(ErrorCode::over_memory,
                fmt::format("the limit on the memory of this process (ulimit -v) leaves less than "
                            "the {} that matrix products need; raise it",
                            format_bytes(static_cast<double>(size))));
  }
  munmap(place, size);
}

/// Items that a worker takes at a time: one by one, small ones would cost less than the taking; too
/// many, and some workers would have nothing left to do while others still work.
std::int64_t handful_of(std::int64_t n_items, int n_workers) {
  constexpr std::int64_t kHandfuls = 128;
  return std::max<std::int64_t>(1, n_items / (kHandfuls * n_workers));
}

int workers_for(const RunContext& run, std::int64_t n_items) {
  return static_cast<int>(std::clamp<std::int64_t>(n_items, 1, std::max(1, worker_count(run))));
}

}  // namespace

int worker_count(const RunContext& run) {
  return run.threads > 0 ? run.threads : available_threads();
}

RunContext while_holding(const Matrix& matrix, RunContext run) {
  run.memory_held += memory_of(matrix);
  return run;
}

void check_stop(const RunContext& run) {
  if (run.stop != nullptr && run.stop->load(std::memory_order_relaxed)) {
    throw Error(ErrorCode::interrupted, "interrupted: nothing was written");
  }
}

void parallel_for(const RunContext& run, std::string_view stage, std::int64_t n_items,
                  const std::function<void(std::int64_t item)>& body) {
  parallel_for_workers(run, stage, n_items, [&](std::int64_t item, int) { body(item); });
}

void parallel_for_workers(const RunContext& run, std::string_view stage, std::int64_t n_items,
                          const std::function<void(std::int64_t item, int worker)>& body) {
  FirstError first_error;
  ProgressReporter progress(run, stage, n_items);
  std::atomic<std::int64_t> next = 0;
  const int n_workers = workers_for(run, n_items);
  const std::int64_t handful = handful_of(n_items, n_workers);
  const auto work = [&](int worker) {
    for (;;) {
      const std::int64_t begin = next.fetch_add(handful, std::memory_order_relaxed);
      const std::int64_t end = std::min(begin + handful, n_items);
      if (begin >= end || first_error.makes_useless(begin)) return;
      std::int64_t item = begin;
      try {
        for (; item < end; ++item) {
          check_stop(run);
          body(item, worker);
        }
        progress.done(end - begin);
      } catch (...) {
        first_error.keep(item, std::current_exception());
      }
    }
  };
  in_workers(n_workers, work);
  first_error.rethrow();
}

void parallel_workers(const RunContext& run, std::string_view stage, std::int64_t n_items,
                      const std::function<void(ItemSource& items, int worker)>& body) {
  SharedItems items(run, stage, n_items);
  parallel_workers(run, items, n_items, body);
}

void parallel_workers(const RunContext& run, ItemSource& items, std::int64_t most_items,
                      const std::function<void(ItemSource& items, int worker)>& body) {
  FirstError first_error;
  in_workers(workers_for(run, most_items), [&](int worker) {
    try {
      body(items, worker);
    } catch (...) {
      first_error.keep(worker, std::current_exception());
      items.end();
    }
  });
  first_error.rethrow();
}

SingleThreadedBlas::SingleThreadedBlas() {
  require_blas_memory();
  BlasSetting& setting = blas_setting();
  const std::lock_guard lock(setting.mutex);
  if (setting.n_users++ > 0) return;
  setting.threads_before = openblas_get_num_threads();
  if (setting.threads_before != 1) openblas_set_num_threads(1);
}

SingleThreadedBlas::~SingleThreadedBlas() {
  BlasSetting& setting = blas_setting();
  const std::lock_guard lock(setting.mutex);
  if (--setting.n_users > 0 || setting.threads_before == 1) return;
  openblas_set_num_threads(setting.threads_before);
}

}  // namespace sfg::detail
