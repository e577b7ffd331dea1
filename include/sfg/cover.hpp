#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "sfg/normalise.hpp"
#include "sfg/run_context.hpp"
#include "sfg/tried_level.hpp"

namespace sfg {

/// When to stop picking: at the first of these that holds.
struct CoverStop {
  Index most_features = 0;  ///< 0: no limit
  /// Mean squared correlation of the others with the nearest pick that is enough; above 1: never.
  double enough_mean_r2 = 2;
  /// Lowest squared correlation of the others with the nearest pick that is enough; above 1: never.
  double enough_r2 = 2;
  /// Asked after every pick, if there is such a function.
  std::function<bool(Index pick)> enough = {};
  /// Features that are picked before all others, in this order.
  std::vector<Index> keep = {};
};

/// Features in the order in which they are worth keeping: the first m of them are what cover keeps
/// at level m.
struct CoverSequence {
  std::vector<Index> picks;
  /// After each pick: mean over the regular features that are not picked of their largest squared
  /// correlation with a pick; 1 if none is left.
  std::vector<double> mean_r2;
  std::vector<TriedLevel> tried;  ///< by the automatic level
  /// Picks up to the level that was asked for; more follow where every level is to be judged. Not
  /// given: all of them.
  std::optional<Index> n_chosen = {};
};

/// Forward greedy for kept sets S from which the removed features can be recovered, each from one
/// kept feature and from all of them together. Maximises
///   J(S) = 1/2 sum_i max_(j in S) r_ij^2 + 1/2 sum_i [1 - f_i' (I + F_S F_S')^-1 f_i]
/// over centred unit features f_i; nested, no random numbers; ties within 1e-12: lowest index.
/// O(n d m) time; two n x n matrices; lists where they fit. Throws over_memory, interrupted.
[[nodiscard]] CoverSequence cover(const UnitFeatures& centred, const CoverStop& stop,
                                  const RunContext& run = {});

}  // namespace sfg
