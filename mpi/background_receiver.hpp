#pragma once

#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

#include "result_queue.hpp"
#include "team.hpp"

namespace sfg::mpi {

/// A thread of the first rank that receives results now and then, while the others compute.
/// That also lets MPI serve claims of ranks whose network cannot reach the counter by itself.
class BackgroundReceiver {
 public:
  BackgroundReceiver(Team& team, ResultQueue& results);
  ~BackgroundReceiver();
  BackgroundReceiver(const BackgroundReceiver&) = delete;
  BackgroundReceiver& operator=(const BackgroundReceiver&) = delete;

  /// What went wrong while receiving, if anything did. The caller holds Team::mutex().
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  void work();

  Team& team_;
  ResultQueue& results_;
  std::exception_ptr error_;
  std::mutex mutex_;
  std::condition_variable woken_;
  bool ended_ = false;
  std::thread thread_;
};

}  // namespace sfg::mpi
