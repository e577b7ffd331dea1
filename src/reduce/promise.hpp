#pragma once

#include <vector>

#include "sfg/reduce.hpp"

namespace sfg::detail {

/// A kept set that keeps ReduceOptions::certify.
struct DemandedSet {
  std::vector<char> kept;  ///< by feature
  Index n_came_back = 0;
  Index n_given_up = 0;
};

/// Features that are not certified come back, a few at a time: first those that know most of the
/// other uncertified ones, then all are tested again, since each that comes back certifies others.
/// At the end kept features that the others have come to certify are given up, as long as every
/// removed one stays certified.
[[nodiscard]] DemandedSet keep_the_promise(const UnitFeatures& centred, const Grouping& grouping,
                                           std::vector<char> kept, const ReduceOptions& options,
                                           const RunContext& run);

}  // namespace sfg::detail
