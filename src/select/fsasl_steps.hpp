#pragma once

#include <span>
#include <vector>

#include "sfg/matrix.hpp"
#include "sfg/run_context.hpp"

// The three alternating steps of FSASL. Notation, with samples as rows as everywhere in sfg:
//   X  samples x features       W  features x c, the projection; w_j its row j
//   Z  = X W, samples x c, with Z'Z = I; z_i its row i, the projected sample
//   S  sample i ~ sum_j s_ij z_j, s_ii = 0      P  p_ij: how much i and j are neighbours
namespace sfg::detail {

/// A row of S or P: the entries that are not zero.
struct SparseRow {
  std::vector<Index> places;
  std::vector<double> values;
};
using SparseRows = std::vector<SparseRow>;

/// z_i - sum_j s_ij z_j, squared length, plus alpha |s_i|_1.
[[nodiscard]] double representation_cost(const DenseMatrix& projected, Index sample,
                                         const SparseRow& row, double alpha);

/// S: the lasso of every sample on the others, min |z_i - sum_j s_ij z_j|^2 + alpha |s_i|_1. A row
/// is only replaced by a better one. `projected` has samples as columns: Z'.
void represent_samples(const DenseMatrix& projected, double alpha, SparseRows& rows,
                       const RunContext& run);

/// The same for samples of all features; alpha is this share of the mean over the samples of the
/// least weight at which they are represented by none.
[[nodiscard]] SparseRows sparse_representation(const Matrix& features, double share,
                                               const RunContext& run);

/// Squared distances of the columns of a matrix to one of them.
[[nodiscard]] std::vector<double> squared_distances(const DenseMatrix& projected, Index sample);

/// mu_i at which exactly `neighbours` of the p_ij are positive:
/// (k D_(k+1) - D_1 - ... - D_k) / 2, D the sorted distances to the other samples.
[[nodiscard]] double neighbourhood_weight(std::vector<double> distances, Index sample,
                                          Index neighbours);

/// Row i of P: min sum_j D_j p_j + mu p_j^2 with p >= 0, sum p = 1, p_i = 0, which is the
/// projection of -D / (2 mu) on the simplex.
[[nodiscard]] SparseRow share_neighbours(const std::vector<double>& distances, Index sample,
                                         double mu);

/// M = (I - S)'(I - S) + 2 beta L_P, samples x samples, L_P the Laplacian of (P + P') / 2. The 2 is
/// that of sum_ij |z_i - z_j|^2 p_ij = 2 tr(Z' L_P Z).
[[nodiscard]] DenseMatrix structure_matrix(const SparseRows& representation,
                                           const SparseRows& neighbours, double beta);

struct Projection {
  DenseMatrix projected;         ///< Z', c x samples
  std::vector<double> row_norm;  ///< |w_j|, one per feature
};

/// W: min tr(Z'M Z) + gamma sum_j |w_j|^2 / (2 weight_j) with Z = X W, Z'Z = I.
///
/// Of all W with the same Z the cheapest is W = T X'K^-1 Z, with T = diag(2 weight_j) and
/// K = X T X'; it costs gamma tr(Z'K^-1 Z). So Z are the c smallest eigenvectors of M + gamma K^-1
/// among the vectors in the range of K: a problem of samples x samples, however many features there
/// are.
[[nodiscard]] Projection project(const Matrix& features, const DenseMatrix& structure,
                                 std::span<const double> weights, double gamma, Index dimension,
                                 const RunContext& run);

}  // namespace sfg::detail
