#pragma once

#include <span>

#include "sfg/pursuit.hpp"
#include "sfg/window.hpp"

namespace sfg::detail {

/// Which features are described, and by which: each by those that are near it.
struct NearProblem {
  std::span<const Index> targets;
  std::span<const Index> atoms;
  const Window& window;
};

/// As pursue(), a description per target in the order given; `early` by target. Blocks of targets
/// along the line share the products of the features near one of them: O(n w) time for each target
/// and O(w (n + w)) memory for each thread, for w features in a window. The engine of the options
/// is passed over. Ties: the first along the line. Throws over_memory, interrupted.
[[nodiscard]] Representations pursue_near(const UnitFeatures& features, const NearProblem& problem,
                                          const PursuitOptions& options, const RunContext& run,
                                          const EarlyEnd& early = {});

/// Every feature by all that are near it.
[[nodiscard]] Representations pursue_near(const UnitFeatures& features, const Window& window,
                                          const PursuitOptions& options, const RunContext& run,
                                          const EarlyEnd& early);

}  // namespace sfg::detail
