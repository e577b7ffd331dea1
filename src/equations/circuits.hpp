#pragma once

#include <span>
#include <vector>

#include "equations/system.hpp"
#include "sfg/equations.hpp"

namespace sfg::detail {

/// Whether a factorisation finds all equations between so many features: there are samples enough,
/// and it is done in a reasonable time.
[[nodiscard]] bool can_factorise(const UnitFeatures& centred, std::size_t n_features,
                                 const RunContext& run);

/// Sums of unit features that are zero, as many as the features have more than their rank: each
/// feature outside a well-conditioned basis, by that basis.
[[nodiscard]] std::vector<Weights> circuits_of_rank(const UnitFeatures& centred,
                                                    std::span<const Index> features,
                                                    const RunContext& run);

/// Those of the targets that short descriptions by (other) features explain nearly. All ascending;
/// the targets are among the features.
[[nodiscard]] std::vector<Index> nearly_described(const UnitFeatures& centred,
                                                  std::span<const Index> features,
                                                  std::span<const Index> targets,
                                                  const EquationOptions& options,
                                                  const RunContext& run);

/// Sums of few unit features that are zero: targets that the pursuit describes to the last digit,
/// fewest terms first.
[[nodiscard]] std::vector<Weights> circuits_of_pursuit(const UnitFeatures& centred,
                                                       std::span<const Index> features,
                                                       std::span<const Index> targets,
                                                       const EquationOptions& options,
                                                       const RunContext& run);

}  // namespace sfg::detail
