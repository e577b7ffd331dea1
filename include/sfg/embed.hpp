#pragma once

#include <string>
#include <vector>

#include "sfg/matrix.hpp"
#include "sfg/options.hpp"
#include "sfg/run_context.hpp"

// Samples as a graph: which of them are alike, and the eigenvectors that tell the graph's parts
// apart. Selection (MCFS) regresses features on these vectors, spectral clustering groups samples
// by them. Nothing here scales the features: that is the caller's business (normalise()).
namespace sfg {

// --- affinities between samples -----------------------------------------------------------------

/// Which pairs of samples are alike, and how much.
enum class AffinityKind {
  gauss,       ///< all pairs, by their distance
  heat_knn,    ///< the nearest neighbours by distance, in either direction, weighted as `gauss`
  cosine_knn,  ///< the nearest neighbours by cosine, in either direction, plus a constant
};
template <>
inline constexpr auto kChoices<AffinityKind> =
    std::array{Choice{AffinityKind::gauss, "gauss", "all pairs, by distance"},
               Choice{AffinityKind::heat_knn, "heat-knn", "nearest neighbours, by distance"},
               Choice{AffinityKind::cosine_knn, "cosine-knn", "nearest neighbours, by cosine"}};

/// What the Gaussian's exponent is, with sigma the mean of all n^2 Euclidean distances d.
enum class GaussExponent {
  squared_distance,  ///< exp(-d^2 / (2 sigma^2)): the textbook's
  distance,          ///< exp(-d / (2 sigma^2)): the paper's; depends on the unit of the data
};
template <>
inline constexpr auto kChoices<GaussExponent> =
    std::array{Choice{GaussExponent::squared_distance, "squared-distance", "the textbook's"},
               Choice{GaussExponent::distance, "distance", "the paper's"}};

/// Whether a sample has an affinity with itself (`gauss` only).
enum class Diagonal { zero, keep };
template <>
inline constexpr auto kChoices<Diagonal> =
    std::array{Choice{Diagonal::zero, "zero"}, Choice{Diagonal::keep, "keep"}};

struct AffinityOptions {
  AffinityKind kind = AffinityKind::gauss;
  GaussExponent exponent = GaussExponent::squared_distance;
  Diagonal diagonal = Diagonal::zero;
  /// Neighbours of each sample; 0: 5 for heat_knn, 20 for cosine_knn. At least 0.
  Index n_neighbors = 0;
  /// cosine_knn: this times the mean weight (over all n^2 pairs) is added to every pair, so that
  /// the graph is connected. At least 0.
  double regularization = 0.1;
};

template <OptionsOf<AffinityOptions> Options, typename Visitor>
void visit_fields(Options& options, Visitor&& visit) {
  visit({"affinity", "Which samples are alike, and how much"}, options.kind);
  visit({"gauss_exponent", "What the exponent of gauss and heat-knn is"}, options.exponent);
  visit({"diagonal", "gauss: whether a sample is like itself"}, options.diagonal);
  visit(
      {"n_neighbors", "Nearest neighbours of each sample (auto: 5 for heat-knn, 20 for cosine-knn)",
       at_least(0), "auto"},
      options.n_neighbors);
  visit({"regularization", "cosine-knn: this times the mean weight is added to every pair",
         within(0, std::numeric_limits<double>::max())},
        options.regularization);
}

/// Throws invalid_option for a value out of its range.
void check(const AffinityOptions& options);

/// Symmetric n x n weights >= 0: of samples i and j it is weights(i, j) + constant.
struct Affinity {
  Matrix weights;        ///< dense (gauss) or sparse (neighbours)
  double constant = 0;   ///< added to every entry, never written out
  double sigma = 0;      ///< mean distance; 0 for cosine_knn
  Index n_isolated = 0;  ///< samples with no weight to another one, the constant aside
  Index n_empty = 0;     ///< samples whose values are all zero

  [[nodiscard]] Index n_samples() const noexcept { return sfg::n_samples(weights); }
};

/// O(n^2 d) products (nonzero ones only where the data are sparse); n^2 doubles for `gauss`,
/// otherwise a strip of them for each thread. Equal distances: the lowest index is nearer. The same
/// answer for any number of threads. Throws invalid_option, over_memory with the number needed,
/// degenerate_data for no samples or values too large to square.
[[nodiscard]] Affinity affinity(const Matrix& data, const AffinityOptions& options,
                                const RunContext& run = {});

// --- eigenvectors -------------------------------------------------------------------------------

/// How an eigen-solve ended.
enum class EigenStatus {
  converged,      ///< every vector is one to within the tolerance
  not_converged,  ///< the vectors are the best there are: see Eigenmap::residual
};
template <>
inline constexpr auto kChoices<EigenStatus> =
    std::array{Choice{EigenStatus::converged, "converged"},
               Choice{EigenStatus::not_converged, "not-converged"}};

enum class EigenSolver { automatic, lanczos, dense };
template <>
inline constexpr auto kChoices<EigenSolver> =
    std::array{Choice{EigenSolver::automatic, "auto", "dense for few samples"},
               Choice{EigenSolver::lanczos, "lanczos"}, Choice{EigenSolver::dense, "dense"}};

struct EigenmapOptions {
  Index n_vectors = 1;  ///< at least 1; more than there are samples: as many as these
  EigenSolver solver = EigenSolver::automatic;
};

/// The largest eigenvalues of S = D^-1/2 W D^-1/2, D = diag(degree), and their vectors. Rows and
/// columns of samples without degree are zero. Eigenvalue 1 belongs to vectors that are
/// proportional to sqrt(degree) on a connected part of the graph; the first vector is that of the
/// whole graph, and the others are orthogonal to it. The entry of largest absolute value of each
/// vector is positive.
struct Eigenmap {
  std::vector<double> values;  ///< falling
  DenseMatrix vectors;         ///< n x values.size(), orthonormal columns
  std::vector<double> degree;  ///< row sums of W
  Index n_components = 0;      ///< connected parts of the graph, isolated samples aside
  EigenStatus status = EigenStatus::converged;
  EigenSolver solver = EigenSolver::automatic;  ///< that gave the answer; automatic: none needed
  int n_solves = 0;                             ///< subspaces tried
  double residual = 0;                          ///< largest |S v - lambda v| of all vectors
};

/// Lanczos (with a larger subspace each time that it does not converge), or LAPACK for few samples
/// and where Lanczos fails, if that fits into memory. The outcome is a status, never an error: with
/// not_converged there may be fewer vectors. Throws invalid_option for n_vectors < 1.
[[nodiscard]] Eigenmap eigenmap(const Affinity& affinity, const EigenmapOptions& options,
                                const RunContext& run = {});

}  // namespace sfg
