#pragma once

#include <string>

#include "sfg/pipeline.hpp"

namespace sfg {

/// How many features became what.
struct ReductionCounts {
  Index n_features = 0;
  Index kept = 0;
  Index redundant = 0;         ///< another feature stands for them
  Index exact = 0;             ///< exact sums of others
  Index unshared_dropped = 0;  ///< shared nothing with the others
  Index unshared_kept = 0;
  Index no_variation = 0;  ///< empty or constant, and removed
};
[[nodiscard]] ReductionCounts count_reduction(const MethodResult& result);

/// The answer in plain words, for people who know no word of ours: how many features are kept and
/// what the rule that chose them promises, what became of the others, and what the samples notice
/// of it. Only the automatic level says that the kept features say what all of them say: a number,
/// a theta or a largest r2 of pairs promises less.
[[nodiscard]] std::string verdict(const MethodOptions& options, const MethodResult& result);

}  // namespace sfg
