#include "background.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace sfg::python {

namespace {

/// How often the waiting thread looks for signals and progress.
constexpr std::chrono::milliseconds kLookAround{50};

struct ProgressEvent {
  std::string stage;
  double done;
  double total;
};

/// Work in a thread of its own, seen from the thread that waits for it.
class Background {
 public:
  Background(RunContext run, bool wants_progress,
             const std::function<void(const RunContext& run)>& work)
      : run_(std::move(run)) {
    run_.stop = &stop_;
    if (wants_progress) {
      run_.progress = [this](std::string_view stage, double done, double total) {
        const std::lock_guard lock(mutex_);
        events_.push_back({std::string(stage), done, total});
      };
    }
    worker_ = std::jthread([this, &work] {
      try {
        work(run_);
      } catch (...) {
        error_ = std::current_exception();
      }
      const std::lock_guard lock(mutex_);
      finished_ = true;
      ended_.notify_one();
    });
  }

  /// Whether the work ended within a moment.
  [[nodiscard]] bool wait_a_moment() {
    std::unique_lock lock(mutex_);
    return ended_.wait_for(lock, kLookAround, [this] { return finished_; });
  }

  [[nodiscard]] std::vector<ProgressEvent> take_events() {
    const std::lock_guard lock(mutex_);
    return std::exchange(events_, {});
  }

  /// Ends the work before its time.
  void cancel() {
    stop_.store(true, std::memory_order_relaxed);
    worker_.join();
  }

  void rethrow() {
    worker_.join();
    if (error_) std::rethrow_exception(error_);
  }

 private:
  RunContext run_;
  std::atomic<bool> stop_ = false;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool finished_ = false;
  std::vector<ProgressEvent> events_;
  std::exception_ptr error_;
  std::jthread worker_;
};

}  // namespace

RunContext run_from(const OptionDict& given) {
  RunContext run;
  if (given.has("threads")) run.threads = given.get<int>("threads");
  if (given.has("memory_limit")) run.memory_limit = given.get<std::size_t>("memory_limit");
  if (given.has("seed")) run.seed = given.get<std::uint64_t>("seed");
  return run;
}

void in_background(const RunContext& run, const py::object& progress,
                   const std::function<void(const RunContext& run)>& work) {
  Background background(run, !progress.is_none(), work);
  const auto look_around = [&] {
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    for (const ProgressEvent& event : background.take_events()) {
      progress(event.stage, event.done, event.total);
    }
  };
  const auto wait = [&] {
    const py::gil_scoped_release release;
    return background.wait_a_moment();
  };
  try {
    while (!wait()) look_around();
    look_around();
  } catch (const py::error_already_set&) {
    {
      const py::gil_scoped_release release;
      background.cancel();
    }
    throw;
  }
  background.rethrow();
}

}  // namespace sfg::python
