#include "result_queue.hpp"

#include <utility>

#include "pursuit/checkpoint/block_record.hpp"
#include "sfg/error.hpp"

namespace sfg::mpi {

namespace {

constexpr int kBlockTag = 1;
constexpr std::uint32_t kOnlyPursuit = 0;

}  // namespace

void ResultQueue::send(const TargetBlock& block) {
  team_.traffic().targets += static_cast<std::int64_t>(block.targets.size());
  team_.traffic().atoms += static_cast<std::int64_t>(block.representations.atoms.size());
  if (team_.is_first()) {
    take(block);
    return;
  }
  drop_delivered();
  Message& message = under_way_.emplace_back();
  message.record = detail::block_record(block, kOnlyPursuit);
  MPI_Isend(message.record.data(), static_cast<int>(message.record.size()), MPI_BYTE, 0, kBlockTag,
            team_.world(), &message.request);
  team_.traffic().sent_bytes += static_cast<std::int64_t>(message.record.size());
}

void ResultQueue::drop_delivered() {
  std::erase_if(under_way_, [](Message& message) {
    int is_done = 0;
    MPI_Test(&message.request, &is_done, MPI_STATUS_IGNORE);
    return is_done != 0;
  });
}

void ResultQueue::receive_arrived() {
  for (;;) {
    int is_there = 0;
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status;
    MPI_Improbe(MPI_ANY_SOURCE, kBlockTag, team_.world(), &is_there, &message, &status);
    if (is_there == 0) return;
    receive(message, status);
  }
}

void ResultQueue::receive(MPI_Message& message, const MPI_Status& status) {
  int size = 0;
  MPI_Get_count(&status, MPI_BYTE, &size);
  std::string record(static_cast<std::size_t>(size), '\0');
  MPI_Mrecv(record.data(), size, MPI_BYTE, &message, MPI_STATUS_IGNORE);
  team_.traffic().received_bytes += size;
  auto numbered = detail::block_from_record(record);
  if (!numbered) throw Error(ErrorCode::internal, "a block of targets arrived damaged");
  take(std::move(numbered->block));
}

void ResultQueue::take(TargetBlock block) {
  n_taken_ += static_cast<std::int64_t>(block.targets.size());
  take_(std::move(block));
}

void ResultQueue::finish(std::int64_t n_targets) {
  if (team_.is_first()) {
    while (n_taken_ < n_targets) {
      MPI_Message message = MPI_MESSAGE_NULL;
      MPI_Status status;
      MPI_Mprobe(MPI_ANY_SOURCE, kBlockTag, team_.world(), &message, &status);
      receive(message, status);
    }
  }
  for (Message& message : under_way_) MPI_Wait(&message.request, MPI_STATUS_IGNORE);
  under_way_.clear();
}

}  // namespace sfg::mpi
