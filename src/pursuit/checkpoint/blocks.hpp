#pragma once

#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "pursuit/plan.hpp"
#include "sfg/checkpoint.hpp"

namespace sfg::detail {

/// What a pursuit with this plan is about. One look at the data.
[[nodiscard]] PursuitKey key_of(const PursuitProblem& problem, const PursuitPlan& plan,
                                const RunContext& run);
/// The same from the hashes of the dictionary's features: their values are not looked at.
[[nodiscard]] PursuitKey key_of(const PursuitProblem& problem, const PursuitPlan& plan,
                                std::span<const std::uint64_t> hashes);
/// Of every feature a hash of its values.
[[nodiscard]] std::vector<std::uint64_t> hashes_of(const UnitFeatures& features,
                                                   const RunContext& run);

/// One finished target.
struct FinishedTarget {
  Index target = -1;
  PursuitStatus status = PursuitStatus::no_direction;
  double residual = 1;
  std::span<const Index> atoms;
  std::span<const double> coefficients;
};

/// Puts the targets of one block behind those of another.
void append(TargetBlock& all, const TargetBlock& block);

/// Gathers finished targets into blocks and hands these to a checkpoint.
class BlockKeeper {
 public:
  BlockKeeper(const PursuitKey& key, const PursuitCheckpoint& checkpoint, int n_workers)
      : key_(key), checkpoint_(checkpoint), blocks_(static_cast<std::size_t>(n_workers)) {}

  /// No two calls with the same worker may run at once.
  void add(const FinishedTarget& finished, int worker);
  /// Hands over what a worker has gathered so far.
  void hand_over(int worker);
  /// The same for all workers; none may be running.
  void hand_over_all();

 private:
  const PursuitKey& key_;
  const PursuitCheckpoint& checkpoint_;
  std::vector<TargetBlock> blocks_;  ///< by worker
  std::mutex mutex_;
};

/// Targets that are known from the checkpoint, and which are left.
class KnownTargets {
 public:
  /// Throws inconsistent_input for blocks that do not fit the key, or targets that come twice.
  KnownTargets(std::vector<TargetBlock> blocks, const PursuitKey& key);

  /// One more block; throws as the constructor does.
  void add(TargetBlock block);

  [[nodiscard]] bool empty() const noexcept { return blocks_.empty(); }
  [[nodiscard]] std::vector<Index> left() const;
  [[nodiscard]] std::size_t bytes() const noexcept;
  /// All targets in order; `found` has those that were left.
  [[nodiscard]] Representations merged_with(Representations found) const;
  /// All targets in order, when none is left. Uses the blocks up one by one, so that they are never
  /// held twice.
  [[nodiscard]] Representations take_all();

 private:
  struct Place {
    Index block = -1;  ///< -1: not known
    Index item = 0;
  };
  PursuitKey key_;
  std::vector<TargetBlock> blocks_;
  std::vector<Place> places_;  ///< by target
};

}  // namespace sfg::detail
