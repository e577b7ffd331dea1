#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sfg/pursuit.hpp"

// For pursuits that go on where an earlier one was cut off.
namespace sfg {

/// What a pursuit is about. Pursuits with equal keys give the same bits, whatever engine, screen,
/// threads and memory they have: the gram and the stream engine end in the same sums over all
/// samples, the sparse one in sums over nonzero entries, and `options` tells these two apart.
struct PursuitKey {
  Index n_samples = 0;
  Index n_features = 0;
  std::uint64_t features = 0;  ///< fingerprint of the normalised features
  std::string options;         ///< those that change an answer, in words

  auto operator<=>(const PursuitKey&) const = default;
};

/// Finished targets, handed over together.
struct TargetBlock {
  std::vector<Index> targets;
  Representations representations;  ///< one per target, in the order of `targets`
};

/// For callers that remember representations from one run to the next.
struct PursuitCheckpoint {
  /// Blocks that are known already: their targets are not computed. May be empty.
  std::function<std::vector<TargetBlock>(const PursuitKey&)> find;
  /// A block that was computed; from any thread, never two at once. What it throws ends the
  /// pursuit. May be empty.
  std::function<void(const PursuitKey&, const TargetBlock&)> keep;
};

/// Whether a block can be one of that pursuit: every number in its range.
[[nodiscard]] bool fits(const TargetBlock& block, const PursuitKey& key);

/// As pursue() without a checkpoint, to the bit; only the figures on engine and screen are those of
/// what was left to do. Of a pursuit that is cut off, the targets under way and the search for
/// first atoms are lost. Throws inconsistent_input if the checkpoint gives blocks that do not fit.
[[nodiscard]] Representations pursue(const UnitFeatures& features, const PursuitOptions& options,
                                     const RunContext& run, const PursuitCheckpoint& checkpoint,
                                     const EarlyEnd& early = {});

}  // namespace sfg
