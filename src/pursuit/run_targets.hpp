#pragma once

#include "pursuit/engines/candidate_finder.hpp"
#include "pursuit/omp/duplicates.hpp"
#include "pursuit/plan.hpp"

namespace sfg::detail {

/// Represents every target of the problem and gathers the results in the order of the targets. The
/// features are in the form of the finder's engine, `duplicates` are those of the dictionary.
///
/// Every worker keeps plan.block targets under way. A target that is finished makes room for the
/// next, so that a search always serves many. What a target ends up with does not depend on who
/// works on it, nor on its company.
[[nodiscard]] Representations run_targets(const PursuitProblem& problem,
                                          const Duplicates& duplicates, const PursuitPlan& plan,
                                          CandidateFinder& finder, const RunContext& run);

}  // namespace sfg::detail
