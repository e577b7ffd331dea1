#pragma once

#include <span>
#include <vector>

#include "sfg/components.hpp"
#include "sfg/graph.hpp"
#include "sfg/matrix.hpp"
#include "sfg/pursuit.hpp"
#include "sfg/window.hpp"

// Slow, obvious versions of what the library does fast: the oracles of the tests.
namespace sfg::testing {

struct ReferenceRepresentation {
  std::vector<Index> atoms;
  std::vector<double> coefficients;
  double residual = 1;
};

/// The pursuit of one target, refitted from scratch after every atom, in long double. `features`
/// has unit columns (or zero ones).
[[nodiscard]] ReferenceRepresentation reference_pursuit(const DenseMatrix& features, Index target,
                                                        const PursuitOptions& options);

/// The paper's Algorithm 3, written out: nodes by falling in-degree, breadth-first search over
/// edges (in and out) with |w| > threshold, a label per group. Returns a label per feature.
[[nodiscard]] std::vector<int> reference_groups(const FeatureGraph& graph, double threshold);

/// Ward's agglomeration along edges: in every step the cost of all adjacent pairs, from the
/// members. Of each merge the lowest members and the cost (as weight). Dense features only.
[[nodiscard]] std::vector<Merge> reference_ward(const FeatureGraph& graph,
                                                const UnitFeatures& features);

/// Forward greedy of cover: in every step J(S + j) of all j, with the inverse written out.
[[nodiscard]] std::vector<Index> reference_cover(const UnitFeatures& features, Index n_picks);

/// Pearson's r, squared, as a textbook has it.
[[nodiscard]] double textbook_r2(std::span<const double> x, std::span<const double> y);

/// The rule of pairwise written out: counts and sums anew for every pick. Within a window (null:
/// none) only near features count, and ties go to the first along the line.
[[nodiscard]] std::vector<Index> reference_pairwise(const DenseMatrix& data, double max_r2,
                                                    const Window* window = nullptr);

/// a x = b, by elimination with pivots.
[[nodiscard]] std::vector<double> solve(std::vector<std::vector<double>> a, std::vector<double> b);

/// Labels renamed by first appearance, so that equal partitions have equal labels.
[[nodiscard]] std::vector<int> canonical_labels(const std::vector<int>& labels);

/// Normal values.
[[nodiscard]] DenseMatrix random_matrix(Index n_samples, Index n_features, std::uint64_t seed);

/// Three clusters of samples. Features 0 to 3 tell them apart, the others are noise of like size.
[[nodiscard]] DenseMatrix clustered_matrix(Index n, Index d, std::uint64_t seed);

/// Values -1, 0, 1, with copies, negated copies and empty columns mixed in: full of ties.
[[nodiscard]] DenseMatrix tied_matrix(Index n_samples, Index n_features, std::uint64_t seed);

/// Features of unit length, centred: their inner products are correlations.
[[nodiscard]] UnitFeatures centred(const Matrix& matrix);

}  // namespace sfg::testing
