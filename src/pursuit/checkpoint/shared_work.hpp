#pragma once

#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "core/threads.hpp"
#include "sfg/checkpoint.hpp"

// A pursuit that several processes make together, each with all features at hand: what the driver
// needs to know of the others. The answer for a target depends on the data alone, so it does not
// matter who computes it.
namespace sfg::detail {

/// Items [begin, end) of some work.
struct ItemRange {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

/// The work that is shared with other processes. Calls marked collective are made once by every
/// process at the same point, the others from any thread, several at once.
class SharedWork {
 public:
  enum class Stage { first_atoms, pursuit };

  virtual ~SharedWork() = default;
  [[nodiscard]] virtual int n_processes() const = 0;
  /// Items of a stage that no process has taken before, out of `n_items`; an empty range when there
  /// are none left.
  [[nodiscard]] virtual ItemRange claim(Stage stage, std::int64_t n_items) = 0;
  /// Takes finished targets; they stay nowhere else.
  virtual void keep(const TargetBlock& block) = 0;
  /// Called whenever an item is done: a moment to look after the others.
  virtual void item_done() = 0;
  /// Collective: whether the text is the same everywhere.
  [[nodiscard]] virtual bool agree_on(const std::string& text) = 0;
  /// Collective: each threshold becomes the largest of all processes.
  virtual void raise_to_largest(std::span<float> thresholds) = 0;
  /// Collective: the bytes of all processes, one after the other.
  [[nodiscard]] virtual std::vector<char> gather(std::span<const char> bytes) = 0;
};

/// Items of a stage for the workers of this process, claimed range by range.
class ClaimedItems final : public ItemSource {
 public:
  ClaimedItems(SharedWork& shared, SharedWork::Stage stage, std::int64_t n_items,
               const RunContext& run)
      : shared_(shared), stage_(stage), n_items_(n_items), run_(run) {}

  std::int64_t next() override;
  void done() override;
  void end() override;

 private:
  SharedWork& shared_;
  SharedWork::Stage stage_;
  std::int64_t n_items_;
  const RunContext& run_;
  std::mutex mutex_;
  ItemRange range_;
  bool ended_ = false;
};

/// Represents the targets that this process claims among `left` (ascending; empty: all of them) and
/// hands them over. What is returned has the figures on engine and screen only. Collective.
[[nodiscard]] Representations pursue_together(const UnitFeatures& features,
                                              const PursuitOptions& options,
                                              std::vector<Index> left, const RunContext& run,
                                              SharedWork& shared);

}  // namespace sfg::detail
