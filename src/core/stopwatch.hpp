#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace sfg::detail {

/// Notes how long each stage took.
class Stopwatch {
 public:
  explicit Stopwatch(std::vector<std::pair<std::string, double>>& seconds) : seconds_(seconds) {}

  /// Ends the stage that ran until now.
  void stage_done(std::string stage) {
    const auto now = Clock::now();
    seconds_.emplace_back(std::move(stage), std::chrono::duration<double>(now - last_).count());
    last_ = now;
  }

 private:
  using Clock = std::chrono::steady_clock;
  std::vector<std::pair<std::string, double>>& seconds_;
  Clock::time_point last_ = Clock::now();
};

}  // namespace sfg::detail
