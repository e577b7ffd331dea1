#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/stopwatch.hpp"
#include "core/threads.hpp"
#include "embed/affinity.hpp"
#include "sfg/cluster.hpp"
#include "sfg/error.hpp"
#include "sfg/normalise.hpp"

namespace sfg {

namespace {

/// Squared lengths of rows are at least this before they are divided by: rows of rounding stay
/// near zero instead of becoming directions.
constexpr double kSmallestSquaredLength = 1e-14;
/// The paper's programs drop vectors with smaller eigenvalues.
constexpr double kPaperSmallestEigenvalue = 1e-6;

/// The chosen columns, rows to unit length.
DenseMatrix unit_rows(const DenseMatrix& vectors, const std::vector<Index>& chosen) {
  const Index n = vectors.n_samples();
  std::vector<double> squared(static_cast<std::size_t>(n), 0.0);
  for (const Index k : chosen) {
    const auto column = vectors.column(k);
    for (std::size_t i = 0; i < squared.size(); ++i) squared[i] += column[i] * column[i];
  }
  DenseMatrix points(n, static_cast<Index>(chosen.size()));
  for (std::size_t k = 0; k < chosen.size(); ++k) {
    const auto from = vectors.column(chosen[k]);
    const auto to = points.column(static_cast<Index>(k));
    for (std::size_t i = 0; i < squared.size(); ++i) {
      to[i] = from[i] / std::sqrt(std::max(squared[i], kSmallestSquaredLength));
    }
  }
  return points;
}

void check_clusters(const SpectralOptions& options, Index n_samples) {
  if (options.n_clusters <= n_samples) return;
  throw Error(ErrorCode::invalid_option, fmt::format("{} clusters are more than there are samples "
                                                     "({}); ask for fewer",
                                                     options.n_clusters, n_samples));
}

}  // namespace

SpectralOptions paper_spectral_options(Index n_clusters) {
  SpectralOptions options;
  options.n_clusters = n_clusters;
  options.affinity.exponent = GaussExponent::distance;
  options.affinity.diagonal = Diagonal::keep;
  options.first_vector = FirstVector::drop;
  options.smallest_eigenvalue = kPaperSmallestEigenvalue;
  options.kmeans.start = KMeansStart::random_samples;
  options.kmeans.objective = KMeansObjective::distance;
  return options;
}

void check(const SpectralOptions& options) {
  check_fields(options);
  if (options.affinity.n_neighbors > 0 && options.affinity.kind == AffinityKind::gauss) {
    throw Error(
        ErrorCode::invalid_option, "", "",
        {"n_neighbors",
         "{n_neighbors} is for {affinity=heat-knn} or {affinity=cosine-knn}: all pairs have "
         "none"});
  }
}

void check(const ClusterOptions& options) {
  check_fields(options);
  check(options.spectral);
}

Matrix scaled(Matrix data, SampleScale scale, const RunContext& run) {
  switch (scale) {
    case SampleScale::unit:
      return normalise(std::move(data), {}, run).matrix;
    case SampleScale::tfidf:
      return tfidf(std::move(data), run);
    case SampleScale::none:
      break;
  }
  return data;
}

SpectralEmbedding spectral_embedding(const Matrix& data, const SpectralOptions& options,
                                     const RunContext& run) {
  check(options);
  check_clusters(options, n_samples(data));
  SpectralEmbedding result;
  detail::Stopwatch watch(result.seconds);
  const Affinity weights = affinity(data, options.affinity, run);
  watch.stage_done("affinity");
  const bool drop_first = options.first_vector == FirstVector::drop;
  const Eigenmap map =
      eigenmap(weights, {options.n_clusters + (drop_first ? 1 : 0), options.solver},
               detail::while_holding(data, run));
  std::vector<Index> chosen;
  for (std::size_t k = drop_first ? 1 : 0; k < map.values.size(); ++k) {
    if (std::fabs(map.values[k]) < options.smallest_eigenvalue) continue;
    chosen.push_back(static_cast<Index>(k));
    result.eigenvalues.push_back(map.values[k]);
  }
  result.points = unit_rows(map.vectors, chosen);
  result.status = map.status;
  result.solver = map.solver;
  result.residual = map.residual;
  result.sigma = weights.sigma;
  result.n_components = map.n_components;
  result.n_isolated = weights.n_isolated;
  result.n_empty = weights.n_empty;
  watch.stage_done("eigenmap");
  return result;
}

std::vector<KMeansResult> cluster(const SpectralEmbedding& embedding,
                                  const SpectralOptions& options, int n_seeds,
                                  const RunContext& run) {
  check(options);
  return kmeans(embedding.points, options.n_clusters, options.kmeans, n_seeds, run);
}

SpectralResult spectral_clustering(const Matrix& data, const SpectralOptions& options,
                                   const RunContext& run) {
  SpectralResult result;
  result.embedding = spectral_embedding(data, options, run);
  result.seconds = result.embedding.seconds;
  detail::Stopwatch watch(result.seconds);
  result.clusters = std::move(cluster(result.embedding, options, 1, run).front());
  result.labels = result.clusters.labels;
  watch.stage_done("kmeans");
  return result;
}

}  // namespace sfg
