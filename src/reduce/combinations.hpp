#pragma once

#include "sfg/reduce.hpp"

namespace sfg::detail {

/// For each removed feature the few kept ones that describe it, in units of the data: exactly where
/// that is possible, else as far as it is worth reading. Within a window (null: none) by near ones.
void find_combinations(const UnitFeatures& centred, const ReduceOptions& options,
                       const Window* window, const RunContext& run, Reduction& reduction);

/// The few kept features that describe each target, as find_combinations() chooses them where no
/// description is exact; r2 is left out.
[[nodiscard]] std::vector<Combination> short_combinations(const UnitFeatures& centred,
                                                          std::span<const Index> kept,
                                                          const std::vector<Index>& targets,
                                                          int max_terms, const RunContext& run);

/// Which of the targets are exact combinations of few of the kept features, with at least four
/// samples per term; empty combinations for the others.
[[nodiscard]] std::vector<Combination> exact_combinations(const UnitFeatures& centred,
                                                          std::span<const Index> kept,
                                                          const std::vector<Index>& targets,
                                                          const Window* window,
                                                          const RunContext& run);

/// CertificateKind of every removed feature.
void name_certificates(const UnitFeatures& centred, const Grouping& grouping,
                       const ReduceOptions& options, Reduction& reduction);

}  // namespace sfg::detail
