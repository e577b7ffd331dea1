#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "link_watch.hpp"

// All that sfg-mpi asks of MPI beyond windows and messages of its own.
namespace sfg::mpi {

/// What one rank has moved and done; every number is a sum of payloads, not of packets.
struct Traffic {
  std::int64_t sent_bytes = 0;      ///< in messages and collectives, as far as it is the source
  std::int64_t received_bytes = 0;  ///< likewise, as far as it is the destination
  std::int64_t claims = 0;          ///< ranges of targets that this rank has claimed
  std::int64_t targets = 0;
  std::int64_t atoms = 0;           ///< of these targets: a measure of the work
  std::int64_t gathered_bytes = 0;  ///< part of the sent ones: candidates for first atoms
  std::int64_t rounds = 0;          ///< of the ring
  std::int64_t steps = 0;           ///< residuals that went round the ring
};

/// The processes of this job. Lives from the beginning of main() to its end.
class Team {
 public:
  Team(int& argc, char**& argv);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] int size() const noexcept { return size_; }
  [[nodiscard]] bool is_first() const noexcept { return rank_ == 0; }
  [[nodiscard]] MPI_Comm world() const noexcept { return MPI_COMM_WORLD; }
  /// Ranks on the same machine as this one.
  [[nodiscard]] MPI_Comm node() const noexcept { return node_; }
  [[nodiscard]] int node_size() const noexcept { return node_size_; }
  /// Whether MPI may be called by other threads than the first, one at a time.
  [[nodiscard]] bool threads_allowed() const noexcept { return threads_allowed_; }
  /// Cores that this rank may use: those it is bound to, divided among the ranks bound to the same.
  [[nodiscard]] int usual_threads() const noexcept { return usual_threads_; }
  /// Free memory of the machine that has least for each of its ranks.
  [[nodiscard]] std::size_t usual_memory() const noexcept { return usual_memory_; }

  /// Hold it around every call of MPI while other threads may call it too.
  [[nodiscard]] std::mutex& mutex() noexcept { return mutex_; }
  [[nodiscard]] Traffic& traffic() noexcept { return traffic_; }

  /// From the first rank of the communicator to all others, however large.
  void broadcast(std::span<char> bytes, MPI_Comm among, int from = 0);
  template <typename Value>
  void broadcast(std::vector<Value>& values, MPI_Comm among) {
    static_assert(std::is_trivially_copyable_v<Value>);
    broadcast({reinterpret_cast<char*>(values.data()), values.size() * sizeof(Value)}, among);
  }

  /// How long a machine may be silent until it counts as lost, in seconds; 0: for ever.
  void set_patience(std::int64_t seconds);

  /// Ends all processes at once.
  [[noreturn]] void abort(int status);

 private:
  void find_resources();

  int rank_ = 0;
  int size_ = 1;
  int node_size_ = 1;
  bool threads_allowed_ = false;
  int usual_threads_ = 1;
  std::size_t usual_memory_ = 0;
  MPI_Comm node_ = MPI_COMM_NULL;
  std::mutex mutex_;
  Traffic traffic_;
  std::optional<LinkWatch> links_;  ///< where the job is on several machines
};

/// Until the command line says otherwise.
inline constexpr std::int64_t kUsualPatience = 60;

/// Whether an error is on its way up: the job will be aborted, and a collective call that frees
/// something would wait for ranks that do not come.
[[nodiscard]] bool is_failing() noexcept;

}  // namespace sfg::mpi
