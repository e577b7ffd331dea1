#pragma once

#include <string>
#include <vector>

#include "compare/pair_correlations.hpp"
#include "sfg/compare.hpp"
#include "sfg/normalise.hpp"

namespace sfg::detail {

/// What features are chosen from, and how many of them.
struct Contest {
  const Dataset& dataset;
  const UnitFeatures& centred;
  const std::vector<Index>& regular;  ///< features that vary, ascending
  const std::vector<Index>& counts;   ///< falling, all different, none above the regular ones
  int n_random;
  const RunContext& run;
};

/// What a competitor keeps at one number of features: one set, ascending, or several random ones;
/// none where it cannot keep exactly so many, and why.
struct KeptSets {
  std::vector<std::vector<Index>> sets;
  std::string reason;
};

/// By count. What does not fit into memory is not reached; other errors are thrown. The pairs are
/// found when they are first needed and serve all that need them.
[[nodiscard]] std::vector<KeptSets> kept_sets(Competitor competitor, const Contest& contest,
                                              PairCorrelations& pairs);

/// What reduce() keeps with its default options.
[[nodiscard]] KeptSets kept_by_default(const Dataset& dataset, const UnitFeatures& centred,
                                       const RunContext& run);

// --- the ones with an algorithm of their own, each for all counts at once -----------------------

/// The features in the order in which forward greedy picks them for the least
///   sum_i min_w |f_i - F_S w|^2 + |w|^2.
/// O(n d) for each pick, two n x n matrices. Ties: lowest index.
[[nodiscard]] std::vector<Index> column_subset_order(const UnitFeatures& centred, Index n_picks,
                                                     const RunContext& run);

/// The features in the order in which QR with column pivoting picks them: what the picks so far
/// explain least. When they explain everything, the same again on the features left.
[[nodiscard]] std::vector<Index> pivoted_qr_order(const UnitFeatures& centred, Index n_picks,
                                                  const RunContext& run);

/// In this order: a feature stays unless its |r| with one that stays is above a limit, which is
/// bisected until so many stay.
[[nodiscard]] std::vector<Index> drop_correlated(const PairCorrelations& pairs,
                                                 const std::vector<Index>& order, Index count,
                                                 const RunContext& run);

/// The features in the order in which forward greedy picks them for the largest
///   sum_i max_(j kept) r_ij^2. Ties: lowest index.
[[nodiscard]] std::vector<Index> facility_location_order(const PairCorrelations& pairs,
                                                         Index n_picks, const RunContext& run);

/// Medoids for the largest sum of r2 with the nearest one: groups and medoids in turn from a start.
[[nodiscard]] std::vector<Index> improve_medoids(const PairCorrelations& pairs,
                                                 std::vector<Index> start, const RunContext& run);

/// Medoids of Ward's linkage of 1 - |r|, for each count. Needs as much memory again as the pairs.
[[nodiscard]] std::vector<std::vector<Index>> ward_medoids(const PairCorrelations& pairs,
                                                           const std::vector<Index>& counts,
                                                           const RunContext& run);

}  // namespace sfg::detail
