#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "sfg/run_context.hpp"

namespace sfg {

/// How far a stage is.
struct ProgressEvent {
  std::string stage;
  double done = 0;
  double total = 0;
};

/// Work in a thread of its own, seen from the thread that waits for it: that one has time for
/// signals and for showing progress, which many languages allow their main thread only.
class Background {
 public:
  using Work = std::function<void(const RunContext& run)>;

  /// How often the waiting thread should look around.
  static constexpr std::chrono::milliseconds kMoment{50};

  /// Starts the work. Without `wants_progress` there are no events.
  Background(RunContext run, bool wants_progress, Work work);
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;
  /// Work that nobody waited for is ended before its time.
  ~Background();

  /// Whether the work ended within a moment.
  [[nodiscard]] bool wait_a_moment();

  /// What has happened since the last call.
  [[nodiscard]] std::vector<ProgressEvent> take_events();

  /// Ends the work before its time, and waits for that.
  void cancel();

  /// Waits for the end, and throws what the work threw.
  void finish();

 private:
  RunContext run_;
  Work work_;
  std::atomic<bool> stop_ = false;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool is_finished_ = false;
  std::vector<ProgressEvent> events_;
  std::exception_ptr error_;
  std::jthread worker_;
};

}  // namespace sfg
