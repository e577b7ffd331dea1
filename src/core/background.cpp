#include "sfg/background.hpp"

#include <string_view>
#include <utility>

namespace sfg {

Background::Background(RunContext run, bool wants_progress, Work work)
    : run_(std::move(run)), work_(std::move(work)) {
  run_.stop = &stop_;
  if (wants_progress) {
    run_.progress = [this](std::string_view stage, double done, double total) {
      const std::lock_guard lock(mutex_);
      events_.push_back({std::string(stage), done, total});
    };
  }
  worker_ = std::jthread([this] {
    try {
      work_(run_);
    } catch (...) {
      error_ = std::current_exception();
    }
    const std::lock_guard lock(mutex_);
    is_finished_ = true;
    ended_.notify_one();
  });
}

Background::~Background() {
  cancel();
}

bool Background::wait_a_moment() {
  std::unique_lock lock(mutex_);
  return ended_.wait_for(lock, kMoment, [this] { return is_finished_; });
}

std::vector<ProgressEvent> Background::take_events() {
  const std::lock_guard lock(mutex_);
  return std::exchange(events_, {});
}

void Background::cancel() {
  stop_.store(true, std::memory_order_relaxed);
  if (worker_.joinable()) worker_.join();
}

void Background::finish() {
  if (worker_.joinable()) worker_.join();
  if (error_) std::rethrow_exception(error_);
}

}  // namespace sfg
