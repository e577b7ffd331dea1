#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "sfg/matrix.hpp"
#include "sfg/run.hpp"

// Spectral clustering of samples: affinities -> eigenvectors -> k-means. Each step can be had
// alone. Nothing here scales the features: that is the caller's business (normalise()).
namespace sfg {

// --- affinities between samples -----------------------------------------------------------------

/// Which pairs of samples are alike, and how much.
enum class AffinityKind {
  gauss,       ///< all pairs, by their distance
  heat_knn,    ///< the nearest neighbours by distance, in either direction, weighted as `gauss`
  cosine_knn,  ///< the nearest neighbours by cosine, in either direction, plus a constant
};

/// What the Gaussian's exponent is, with sigma the mean of all n^2 Euclidean distances d.
enum class GaussExponent {
  squared_distance,  ///< exp(-d^2 / (2 sigma^2)): the textbook's
  distance,          ///< exp(-d / (2 sigma^2)): the paper's; depends on the unit of the data
};

/// Whether a sample has an affinity with itself (`gauss` only).
enum class Diagonal { zero, keep };

struct AffinityOptions {
  AffinityKind kind = AffinityKind::gauss;
  GaussExponent exponent = GaussExponent::squared_distance;
  Diagonal diagonal = Diagonal::zero;
  /// Neighbours of each sample; 0: 5 for heat_knn, 20 for cosine_knn. At least 0.
  Index n_neighbours = 0;
  /// cosine_knn: this times the mean weight (over all n^2 pairs) is added to every pair, so that
  /// the graph is connected. At least 0.
  double regularisation = 0.1;
};

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
                                const Run& run = {});

/// Word counts made comparable: log(1 + tf) * (ln((1 + n) / (1 + df)) + 1), with df the number of
/// samples that have the word, then every sample to unit length; samples without words stay zero.
/// Dense stays dense, sparse stays sparse. Throws degenerate_data for negative values.
[[nodiscard]] Matrix tfidf(Matrix counts, const Run& run = {});

// --- eigenvectors -------------------------------------------------------------------------------

/// How an eigen-solve ended.
enum class EigenStatus {
  converged,      ///< every vector is one to within the tolerance
  not_converged,  ///< the vectors are the best there are: see Eigenmap::residual
};

enum class EigenSolver { automatic, lanczos, dense };

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
  EigenSolver solver = EigenSolver::dense;  ///< the one that gave the answer
  int n_solves = 0;                         ///< subspaces tried
  double residual = 0;                      ///< largest |S v - lambda v| of all vectors
};

/// Lanczos (with a larger subspace each time that it does not converge), or LAPACK for few samples
/// and where Lanczos fails. Never throws for numerical reasons; over_memory if only the dense
/// solver could do it and does not fit.
[[nodiscard]] Eigenmap eigenmap(const Affinity& affinity, const EigenmapOptions& options,
                                const Run& run = {});

// --- k-means ------------------------------------------------------------------------------------

enum class KMeansStart {
  plus_plus,       ///< k-means++: far from the centres chosen before
  random_samples,  ///< different samples, all equally likely
};

/// By which sum over the samples the best replicate is told; iterations always lower the squared
/// one.
enum class KMeansObjective { squared_distance, distance };

struct KMeansOptions {
  KMeansStart start = KMeansStart::plus_plus;
  KMeansObjective objective = KMeansObjective::squared_distance;
  int n_replicates = 20;     ///< at least 1
  int max_iterations = 100;  ///< of one replicate, at least 1
};

struct KMeansResult {
  std::vector<Index> labels;  ///< by sample, from 0, numbered by first appearance
  DenseMatrix centres;        ///< n_clusters x dimensions; row c is the centre of cluster c
  Index n_clusters = 0;       ///< fewer than asked for if there are fewer different samples
  double objective = 0;       ///< of the best replicate
  int n_iterations = 0;       ///< of the best replicate
  bool converged = false;     ///< labels stopped changing within max_iterations
};

/// Lloyd's iterations from several starts; a cluster that runs empty takes the sample farthest from
/// its centre. Samples are rows. The answer depends on Run::seed alone. O(n k dims) per iteration.
/// Throws invalid_option unless 1 <= n_clusters <= n.
[[nodiscard]] KMeansResult kmeans(const DenseMatrix& samples, Index n_clusters,
                                  const KMeansOptions& options, const Run& run = {});

/// The same for seeds run.seed, run.seed + 1, ..., all replicates shared out over the threads.
[[nodiscard]] std::vector<KMeansResult> kmeans(const DenseMatrix& samples, Index n_clusters,
                                               const KMeansOptions& options, int n_seeds,
                                               const Run& run);

// --- spectral clustering ------------------------------------------------------------------------

/// Whether the first eigenvector, which tells nothing on a connected graph, is used.
enum class FirstVector {
  keep,  ///< vectors 1 .. k: Ng, Jordan and Weiss
  drop,  ///< vectors 2 .. k + 1: the paper's
};

/// Defaults: Ng, Jordan and Weiss.
struct SpectralOptions {
  Index n_clusters = 0;  ///< 1 .. n; has to be set
  AffinityOptions affinity;
  FirstVector first_vector = FirstVector::keep;
  /// Vectors with an absolute eigenvalue below this are left out; 0: none.
  double smallest_eigenvalue = 0;
  EigenSolver solver = EigenSolver::automatic;
  KMeansOptions kmeans;
};

/// Every convention of the paper's experiments: exp(-d / (2 sigma^2)) with the diagonal, vectors
/// 2 .. k + 1, random starts, best replicate by the sum of distances.
[[nodiscard]] SpectralOptions paper_spectral_options(Index n_clusters);

/// Samples as points that k-means can tell apart, and how they were found.
struct SpectralEmbedding {
  DenseMatrix points;  ///< n x vectors, rows of unit length (zero where a sample has no weight)
  std::vector<double> eigenvalues;
  EigenStatus status = EigenStatus::converged;
  EigenSolver solver = EigenSolver::dense;
  double residual = 0;
  double sigma = 0;
  Index n_components = 0;
  Index n_isolated = 0;
  Index n_empty = 0;
  StageSeconds seconds;  ///< affinity, eigenmap
};

/// The costly half of spectral clustering: do it once, then cluster() with as many seeds as wanted.
/// Throws invalid_option, over_memory, degenerate_data (see affinity()).
[[nodiscard]] SpectralEmbedding spectral_embedding(const Matrix& data,
                                                   const SpectralOptions& options,
                                                   const Run& run = {});

/// k-means on an embedding for seeds run.seed, run.seed + 1, ...
[[nodiscard]] std::vector<KMeansResult> cluster(const SpectralEmbedding& embedding,
                                                const SpectralOptions& options, int n_seeds,
                                                const Run& run = {});

struct SpectralResult {
  std::vector<Index> labels;  ///< by sample, from 0
  SpectralEmbedding embedding;
  KMeansResult clusters;
  StageSeconds seconds;  ///< affinity, eigenmap, kmeans
};

/// Affinities, eigenvectors, k-means: the same answer for any number of threads.
[[nodiscard]] SpectralResult spectral_clustering(const Matrix& data, const SpectralOptions& options,
                                                 const Run& run = {});

/// Throws invalid_option for a value out of its range. Every function above does so itself.
void check(const SpectralOptions& options);

/// "gauss", "heat-knn", "cosine-knn", and back; throws invalid_option with the list of names.
[[nodiscard]] std::string affinity_name(AffinityKind kind);
[[nodiscard]] AffinityKind affinity_from_name(const std::string& name);
/// "converged", "not-converged".
[[nodiscard]] std::string status_name(EigenStatus status);
/// "auto", "lanczos", "dense".
[[nodiscard]] std::string solver_name(EigenSolver solver);

}  // namespace sfg
