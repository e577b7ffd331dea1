#pragma once

#include <cstdint>
#include <functional>
#include <span>
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

/// Of every feature a hash that is the same for features that are equal up to sign; 0 for features
/// without direction.
[[nodiscard]] std::vector<std::uint64_t> hashes_up_to_sign(const UnitFeatures& features,
                                                           const RunContext& run);

struct FeaturePair {
  Index first;
  Index second;
};
/// Tells which pairs of features are equal up to sign; few calls, with many pairs.
using EqualFeatures = std::function<std::vector<char>(std::span<const FeaturePair> pairs)>;

/// The same from the hashes and kinds of all features, by who has their values or can get them.
[[nodiscard]] Duplicates find_duplicates(std::span<const std::uint64_t> hashes,
                                         std::span<const FeatureKind> kinds,
                                         const EqualFeatures& equal);

/// Whether the values of two dense features are equal up to sign.
[[nodiscard]] bool equal_up_to_sign(std::span<const double> left, std::span<const double> right);

}  // namespace sfg::detail
