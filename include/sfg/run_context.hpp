#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sfg {

/// How a computation is carried out; nothing in here changes an answer (the seed excepted, where a
/// stage draws random numbers).
struct RunContext {
  /// Worker threads; 0 means as many as the machine allows this process.
  int threads = 0;
  /// Most bytes that may be in use; 0 means a safe share of what is free.
  std::size_t memory_limit = 0;
  /// Bytes that the caller holds meanwhile; they count against the limit.
  std::size_t memory_held = 0;
  /// Start of every random sequence.
  std::uint64_t seed = 1;
  /// Called now and then, from any thread but never two at once, with the stage's name and how much
  /// of its work is done.
  std::function<void(std::string_view stage, double done, double total)> progress;
  /// Set it from outside (a signal handler) to end the work: the stage throws `interrupted`.
  const std::atomic<bool>* stop = nullptr;
};

/// Seconds of wall time by stage, in the order in which the stages ran.
using StageSeconds = std::vector<std::pair<std::string, double>>;

/// Cores that this process may use: affinity mask and cgroup quota considered.
[[nodiscard]] int available_threads();
/// Bytes that this process may still use: free memory and cgroup limit considered.
[[nodiscard]] std::size_t available_memory();
/// Largest resident size of this process so far, in bytes.
[[nodiscard]] std::size_t peak_resident_bytes();

}  // namespace sfg
