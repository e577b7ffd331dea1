#include "pursuit/checkpoint/shared_work.hpp"

namespace sfg::detail {

std::int64_t ClaimedItems::next() {
  check_stop(run_);
  const std::lock_guard lock(mutex_);
  if (ended_) return -1;
  if (range_.begin >= range_.end) {
    range_ = shared_.claim(stage_, n_items_);
    ended_ = range_.begin >= range_.end;
    if (ended_) return -1;
  }
  return range_.begin++;
}

void ClaimedItems::done() {
  check_stop(run_);
  shared_.item_done();
}

void ClaimedItems::end() {
  const std::lock_guard lock(mutex_);
  ended_ = true;
}

}  // namespace sfg::detail
