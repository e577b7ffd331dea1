#pragma once

#include <span>
#include <vector>

#include "equations/system.hpp"
#include "sfg/normalise.hpp"

namespace sfg::detail {

/// target = sum of weights * unit features, and what that leaves.
struct ExactFit {
  std::vector<Index> features;  ///< largest weight first
  std::vector<double> weights;
  double residual = 1;  ///< share of the target's spread

  [[nodiscard]] bool is_exact() const noexcept;
};

/// Least squares of the target on these features. Features that it does without are left out: those
/// whose weight is rounding.
[[nodiscard]] ExactFit fit_exactly(const UnitFeatures& centred, Index target,
                                   std::span<const Index> features);

/// Whether enough samples speak for an equation between these features, the target among them, of
/// one term less than there are: each differs from its most common value in some samples, and some
/// of them do in several samples per term. Columns that are nearly always zero add up by accident.
[[nodiscard]] bool has_support(const UnitFeatures& centred, std::span<const Index> members);

}  // namespace sfg::detail
