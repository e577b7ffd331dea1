#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>

namespace sfg::mpi {

/// MPI waits for ever for a machine that does not answer, and TCP for a quarter of an hour. This
/// thread looks at the connections of the process every second. It has the kernel ask those that
/// are silent whether anybody is there. The other kernel answers for its machine, however busy that
/// is; so silence means a machine or a cable that is lost.
class LinkWatch {
 public:
  /// `lost` is called from that thread, once, with the machine that does not answer.
  LinkWatch(std::chrono::seconds patience, std::function<void(const std::string& machine)> lost);
  ~LinkWatch();
  LinkWatch(const LinkWatch&) = delete;
  LinkWatch& operator=(const LinkWatch&) = delete;

  /// 0: for ever.
  void set_patience(std::chrono::seconds patience) noexcept { patience_ = patience.count(); }
  [[nodiscard]] std::int64_t patience() const noexcept { return patience_; }

 private:
  /// A connection, and since when the kernel asks.
  struct Asked {
    std::string peer;
    std::chrono::steady_clock::time_point since;
  };
  void work();
  [[nodiscard]] std::string silent_machine();
  [[nodiscard]] bool is_silent(int socket, const std::string& peer);

  std::atomic<std::int64_t> patience_;
  std::function<void(const std::string&)> lost_;
  std::map<int, Asked> asked_;  ///< by descriptor
  std::mutex mutex_;
  std::condition_variable woken_;
  bool ended_ = false;
  std::thread thread_;
};

}  // namespace sfg::mpi
