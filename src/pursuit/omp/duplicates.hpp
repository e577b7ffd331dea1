#pragma once

#include <vector>

#include "sfg/normalise.hpp"
#include "sfg/run_context.hpp"

namespace sfg::detail {

/// For every feature the lowest other one with the same values up to sign, bit for bit; -1 if there
/// is none, and for features without direction.
///
/// Of equal features the lowest index wins every tie, so that the others need not be looked at: a
/// repeated feature is an atom only of the first of its kind, which may not represent itself.
struct Duplicates {
  std::vector<Index> twin;

  /// There is an equal feature with a lower index.
  [[nodiscard]] bool repeated(Index feature) const noexcept {
    const Index other = twin[feature];
    return other >= 0 && other < feature;
  }
  /// The equal feature that no search finds: that of the first of its kind. -1 if there is none.
  [[nodiscard]] Index hidden_twin(Index feature) const noexcept {
    const Index other = twin[feature];
    return other > feature ? other : -1;
  }
};

/// By hashing: one look at the data.
[[nodiscard]] Duplicates find_duplicates(const UnitFeatures& features, const RunContext& run);

}  // namespace sfg::detail
