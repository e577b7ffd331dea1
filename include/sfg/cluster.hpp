#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "sfg/embed.hpp"
#include "sfg/matrix.hpp"
#include "sfg/run_context.hpp"

// Spectral clustering of samples: scale -> affinities -> eigenvectors (both in embed.hpp) ->
// k-means. Each step can be called alone.
namespace sfg {

// --- scale --------------------------------------------------------------------------------------

/// What is done to the data before samples are compared.
enum class SampleScale { unit, tfidf, none };
template <>
inline constexpr auto kChoices<SampleScale> =
    std::array{Choice{SampleScale::unit, "unit", "every feature to unit length"},
               Choice{SampleScale::tfidf, "tfidf",
                      "word counts to log(1 + tf) times rarity, samples to unit length"},
               Choice{SampleScale::none, "none", "the data as they are"}};

/// Word counts made comparable: log(1 + tf) * (ln((1 + n) / (1 + df)) + 1), with df the number of
/// samples that have the word, then every sample to unit length; samples without words stay zero.
/// Dense stays dense, sparse stays sparse. Throws degenerate_data for negative values.
[[nodiscard]] Matrix tfidf(Matrix counts, const RunContext& run = {});

/// The data so scaled. Throws as tfidf().
[[nodiscard]] Matrix scaled(Matrix data, SampleScale scale, const RunContext& run = {});

// --- k-means ------------------------------------------------------------------------------------

enum class KMeansStart {
  plus_plus,       ///< k-means++: far from the centres chosen before
  random_samples,  ///< different samples, all equally likely
};
template <>
inline constexpr auto kChoices<KMeansStart> = std::array{
    Choice{KMeansStart::plus_plus, "k-means++", "far from the centres chosen before"},
    Choice{KMeansStart::random_samples, "random", "different samples, all equally likely"}};

/// By which sum over the samples the best replicate is told; iterations always lower the squared
/// one.
enum class KMeansObjective { squared_distance, distance };
template <>
inline constexpr auto kChoices<KMeansObjective> =
    std::array{Choice{KMeansObjective::squared_distance, "squared-distance"},
               Choice{KMeansObjective::distance, "distance"}};

struct KMeansOptions {
  KMeansStart start = KMeansStart::plus_plus;
  KMeansObjective objective = KMeansObjective::squared_distance;
  int n_init = 20;     ///< replicates, of which the best counts; at least 1
  int max_iter = 100;  ///< of one replicate, at least 1
};

/// Who clusters has these two in its list.
inline constexpr FieldText kInitText{
    "n_init", "k-means is started so often, and the best result counts", within(1, 1e6)};
inline constexpr FieldText kSeedsText{
    "n_seeds", "Runs of k-means, with seeds S, S + 1, ...: scores are means over them",
    within(1, 1e6)};

template <OptionsOf<KMeansOptions> Options, typename Visitor>
void visit_fields(Options& options, Visitor&& visit) {
  visit(kInitText, options.n_init);
  visit({"max_iter", "Most iterations of one k-means", at_least(1)}, options.max_iter);
  visit({"kmeans_start", "Where k-means starts"}, options.start);
  visit({"kmeans_objective", "Sum by which its best result is told"}, options.objective);
}

struct KMeansResult {
  std::vector<Index> labels;  ///< by sample, from 0, numbered by first appearance
  DenseMatrix centres;        ///< n_clusters x dimensions; row c is the centre of cluster c
  Index n_clusters = 0;       ///< fewer than asked for if there are fewer different samples
  double objective = 0;       ///< of the best replicate
  int n_iterations = 0;       ///< of the best replicate
  bool converged = false;     ///< labels stopped changing within max_iter
};

/// Lloyd's iterations from several starts; a cluster that runs empty takes the sample farthest from
/// its centre. Samples are rows. The answer depends on RunContext::seed alone. O(n k dims) per
/// iteration. Throws invalid_option unless 1 <= n_clusters <= n.
[[nodiscard]] KMeansResult kmeans(const DenseMatrix& samples, Index n_clusters,
                                  const KMeansOptions& options, const RunContext& run = {});

/// The same for seeds run.seed, run.seed + 1, ..., all replicates shared out over the threads.
[[nodiscard]] std::vector<KMeansResult> kmeans(const DenseMatrix& samples, Index n_clusters,
                                               const KMeansOptions& options, int n_seeds,
                                               const RunContext& run);

// --- spectral clustering ------------------------------------------------------------------------

/// Whether the first eigenvector, which tells nothing on a connected graph, is used.
enum class FirstVector {
  keep,  ///< vectors 1 .. k: Ng, Jordan and Weiss
  drop,  ///< vectors 2 .. k + 1: the paper's
};
template <>
inline constexpr auto kChoices<FirstVector> =
    std::array{Choice{FirstVector::keep, "keep", "Ng, Jordan and Weiss"},
               Choice{FirstVector::drop, "drop", "the paper's"}};

/// Defaults: Ng, Jordan and Weiss.
struct SpectralOptions {
  Index n_clusters = 0;  ///< 1 .. n; has to be set
  AffinityOptions affinity = {};
  FirstVector first_vector = FirstVector::keep;
  /// Vectors with an absolute eigenvalue below this are left out; 0: none.
  double smallest_eigenvalue = 0;
  EigenSolver solver = EigenSolver::automatic;
  KMeansOptions kmeans = {};
};

template <OptionsOf<SpectralOptions> Options, typename Visitor>
void visit_fields(Options& options, Visitor&& visit) {
  visit({"n_clusters", "Number of clusters", at_least(1)}, options.n_clusters);
  visit_fields(options.affinity, visit);
  visit({"first_vector", "Whether the first eigenvector is used"}, options.first_vector);
  visit({"smallest_eigenvalue", "Leave out vectors with a smaller eigenvalue", at_least(0)},
        options.smallest_eigenvalue);
  visit({"solver", "How eigenvectors are found"}, options.solver);
  visit_fields(options.kmeans, visit);
}

/// Spectral clustering from the data on.
struct ClusterOptions {
  SampleScale scale = SampleScale::unit;
  int n_seeds = 1;
  SpectralOptions spectral = {};
};

template <OptionsOf<ClusterOptions> Options, typename Visitor>
void visit_fields(Options& options, Visitor&& visit) {
  visit_fields(options.spectral, visit);
  visit({"scale", "What is done to the data before samples are compared"}, options.scale);
  visit(kSeedsText, options.n_seeds);
}

/// Every convention of the paper's experiments: exp(-d / (2 sigma^2)) with the diagonal, vectors
/// 2 .. k + 1, random starts, best replicate by the sum of distances.
[[nodiscard]] SpectralOptions paper_spectral_options(Index n_clusters);

/// Samples as points that k-means can tell apart, and how they were found.
struct SpectralEmbedding {
  DenseMatrix points;  ///< n x vectors, rows of unit length (zero where a sample has no weight)
  std::vector<double> eigenvalues;
  EigenStatus status = EigenStatus::converged;
  EigenSolver solver = EigenSolver::automatic;
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
                                                   const RunContext& run = {});

/// k-means on an embedding for seeds run.seed, run.seed + 1, ...
[[nodiscard]] std::vector<KMeansResult> cluster(const SpectralEmbedding& embedding,
                                                const SpectralOptions& options, int n_seeds,
                                                const RunContext& run = {});

struct SpectralResult {
  std::vector<Index> labels;  ///< by sample, from 0
  SpectralEmbedding embedding;
  KMeansResult clusters;
  StageSeconds seconds;  ///< affinity, eigenmap, kmeans
};

/// Affinities, eigenvectors, k-means: the same answer for any number of threads.
[[nodiscard]] SpectralResult spectral_clustering(const Matrix& data, const SpectralOptions& options,
                                                 const RunContext& run = {});

/// Throws invalid_option for a value out of its range. Every function above does so itself.
void check(const SpectralOptions& options);
void check(const ClusterOptions& options);

}  // namespace sfg
