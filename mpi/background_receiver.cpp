#include "background_receiver.hpp"

#include <chrono>

namespace sfg::mpi {

namespace {

/// Short beside the time that a rank works on one claim. Where ranks outnumber cores MPI gives the
/// core away at every look: so often that it costs nothing, not more often.
constexpr std::chrono::milliseconds kBetweenLooks(20);

}  // namespace

BackgroundReceiver::BackgroundReceiver(Team& team, ResultQueue& results)
    : team_(team), results_(results), thread_([this] { work(); }) {}

BackgroundReceiver::~BackgroundReceiver() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  woken_.notify_all();
  thread_.join();
}

void BackgroundReceiver::work() {
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      if (woken_.wait_for(lock, kBetweenLooks, [this] { return ended_; })) return;
    }
    const std::lock_guard lock(team_.mutex());
    try {
      results_.receive_arrived();
    } catch (...) {
      error_ = std::current_exception();
      return;
    }
  }
}

}  // namespace sfg::mpi
