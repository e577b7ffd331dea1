#include "link_watch.hpp"

#include <fmt/format.h>
#include <linux/tcp.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <utility>

namespace sfg::mpi {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kBetweenLooksAtLinks(1);
/// The kernel is not to give up before this watch does, which knows what to say: it asks as often
/// as it can, at least so many times before patience ends.
constexpr int kMostQuestions = 127;
constexpr int kFewestQuestions = 60;
constexpr int kMillisecondsPerSecond = 1000;
/// State of a TCP connection (the header that names it does not go with the one used here).
constexpr int kEstablished = 1;
/// Where the other process reads nothing for long, the kernel asks less and less often for room; so
/// many questions without an answer there are silence.
constexpr int kUnansweredForRoom = 3;

struct Address {
  sockaddr_storage storage{};
  socklen_t size = sizeof storage;

  [[nodiscard]] const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
  [[nodiscard]] std::string text(int flags) const {
    std::array<char, NI_MAXHOST> host{};
    const int outcome = getnameinfo(get(), size, host.data(), host.size(), nullptr, 0, flags);
    return outcome == 0 ? host.data() : std::string();
  }
};

/// Who is at the other end of a TCP connection to another machine; nothing otherwise.
std::string peer_of(int descriptor, Address& address) {
  int type = 0;
  socklen_t size = sizeof type;
  auto* storage = reinterpret_cast<sockaddr*>(&address.storage);
  if (getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &size) != 0 || type != SOCK_STREAM ||
      getpeername(descriptor, storage, &address.size) != 0) {
    return {};
  }
  const int family = address.storage.ss_family;
  if (family != AF_INET && family != AF_INET6) return {};
  std::string host = address.text(NI_NUMERICHOST);
  if (host.starts_with("127.") || host == "::1") return {};
  const auto* in = reinterpret_cast<const sockaddr_in*>(
      &address.storage);  // the port is at the same place in both
  return host + ":" + std::to_string(in->sin_port);
}

void ask_when_silent(int socket, std::int64_t patience) {
  const auto set = [&](int level, int what, int value) {
    setsockopt(socket, level, what, &value, sizeof value);
  };
  const int interval = 1 + static_cast<int>(patience) / kFewestQuestions;
  set(IPPROTO_TCP, TCP_KEEPIDLE, interval);
  set(IPPROTO_TCP, TCP_KEEPINTVL, interval);
  set(IPPROTO_TCP, TCP_KEEPCNT, kMostQuestions);
  set(SOL_SOCKET, SO_KEEPALIVE, 1);
}

}  // namespace

LinkWatch::LinkWatch(std::chrono::seconds patience,
                     std::function<void(const std::string& machine)> lost)
    : patience_(patience.count()), lost_(std::move(lost)), thread_([this] { work(); }) {}

LinkWatch::~LinkWatch() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  woken_.notify_all();
  thread_.join();
}

void LinkWatch::work() {
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      if (woken_.wait_for(lock, kBetweenLooksAtLinks, [this] { return ended_; })) return;
    }
    if (patience_ == 0) continue;
    const std::string machine = silent_machine();
    if (machine.empty()) continue;
    lost_(machine);
    return;
  }
}

std::string LinkWatch::silent_machine() {
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd", failed)) {
    const std::string name = entry.path().filename();
    int descriptor = -1;
    std::from_chars(name.data(), name.data() + name.size(), descriptor);
    Address address;
    const std::string peer = peer_of(descriptor, address);
    if (peer.empty()) {
      asked_.erase(descriptor);
    } else if (is_silent(descriptor, peer)) {
      const std::string number = address.text(NI_NUMERICHOST);
      const std::string host = address.text(NI_NAMEREQD);
      return host.empty() ? number : fmt::format("{} ({})", host, number);
    }
  }
  return {};
}

bool LinkWatch::is_silent(int socket, const std::string& peer) {
  Asked& asked = asked_[socket];
  if (asked.peer != peer) {
    asked = {peer, Clock::now()};
    ask_when_silent(socket, patience_);
  }
  tcp_info info{};
  socklen_t size = sizeof info;
  if (getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) != 0 ||
      info.tcpi_state != kEstablished) {
    return false;
  }
  const bool waits_for_room = info.tcpi_unacked == 0 && info.tcpi_notsent_bytes > 0;
  if (waits_for_room && info.tcpi_probes < kUnansweredForRoom) return false;
  // Before it was asked a connection may have been silent for good reasons.
  const std::chrono::milliseconds limit(patience_ * kMillisecondsPerSecond);
  return std::chrono::milliseconds(info.tcpi_last_ack_recv) >= limit &&
         Clock::now() - asked.since >= limit;
}

}  // namespace sfg::mpi
