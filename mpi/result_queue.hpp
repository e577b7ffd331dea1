#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <string>

#include "sfg/checkpoint.hpp"
#include "team.hpp"

namespace sfg::mpi {

/// Finished targets on their way to the first rank, as messages. That rank receives them whenever
/// it has a moment. The caller holds Team::mutex() while threads are at work.
class ResultQueue {
 public:
  /// `take` gets every block at the first rank, its own ones too; the others need none.
  ResultQueue(Team& team, std::function<void(TargetBlock)> take)
      : team_(team), take_(std::move(take)) {}

  void send(const TargetBlock& block);
  /// First rank: receives what has arrived.
  void receive_arrived();
  /// First rank: until `n_targets` targets are there in all. Others: until all is sent.
  void finish(std::int64_t n_targets);

 private:
  struct Message {
    std::string record;
    MPI_Request request = MPI_REQUEST_NULL;
  };
  void receive(MPI_Message& message, const MPI_Status& status);
  void take(TargetBlock block);
  void drop_delivered();

  Team& team_;
  std::function<void(TargetBlock)> take_;
  std::list<Message> under_way_;
  std::int64_t n_taken_ = 0;
};

}  // namespace sfg::mpi
