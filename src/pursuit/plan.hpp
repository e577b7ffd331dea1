#pragma once

#include "sfg/pursuit.hpp"

namespace sfg::detail {

/// Targets to represent and the features to represent them by.
struct PursuitProblem {
  const UnitFeatures& targets;
  const UnitFeatures& dictionary;
  const PursuitOptions& options;

  /// The targets are the dictionary itself: no feature may represent itself.
  [[nodiscard]] bool own_targets() const noexcept { return &targets == &dictionary; }
};

/// How the pursuit of all targets will be carried out.
struct PursuitPlan {
  Engine engine = Engine::stream;
  Screen screen = Screen::f64;  ///< other than f64 for a screened stream only
  Index block = 1;              ///< targets that are under way together in one worker
  double bytes = 0;             ///< memory needed beside the features
};

/// Decides before any work. Throws over_memory with the number needed if nothing fits
/// Run::memory_limit.
[[nodiscard]] PursuitPlan plan_pursuit(const PursuitProblem& problem, const Run& run);

}  // namespace sfg::detail
