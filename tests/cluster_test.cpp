#include "sfg/cluster.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/random.hpp"
#include "helpers.hpp"
#include "reference.hpp"

namespace sfg {
namespace {

using testing::expect_error;
using testing::random_matrix;
using testing::with_threads;

/// Clouds of `size` samples each around distant points.
DenseMatrix clouds(Index n_clouds, Index size, Index d, std::uint64_t seed) {
  DenseMatrix matrix = random_matrix(n_clouds * size, d, seed);
  for (Index i = 0; i < matrix.n_samples(); ++i) {
    for (Index k = 0; k < d; ++k) matrix(i, k) = 0.1 * matrix(i, k) + ((i / size) % d == k ? 5 : 0);
  }
  return matrix;
}

TEST(SpectralClustering, finds_distant_clouds_with_every_affinity) {
  const DenseMatrix data = clouds(4, 30, 6, 1);
  for (const auto kind : {AffinityKind::gauss, AffinityKind::heat_knn, AffinityKind::cosine_knn}) {
    for (SpectralOptions options : {SpectralOptions{}, paper_spectral_options(4)}) {
      options.n_clusters = 4;
      options.affinity.kind = kind;
      const SpectralResult result = spectral_clustering(data, options);
      EXPECT_EQ(result.embedding.status, EigenStatus::converged);
      for (Index i = 0; i < 120; ++i) EXPECT_EQ(result.labels[i], i / 30);
    }
  }
}

TEST(SpectralClustering, gives_the_same_for_any_number_of_threads) {
  const DenseMatrix data = random_matrix(600, 10, 2);
  SpectralOptions options;
  options.n_clusters = 5;
  const SpectralResult expected = spectral_clustering(data, options, with_threads(1));
  for (const int threads : {2, 3}) {
    const SpectralResult result = spectral_clustering(data, options, with_threads(threads));
    EXPECT_EQ(result.labels, expected.labels);
    EXPECT_EQ(result.embedding.eigenvalues, expected.embedding.eigenvalues);
  }
}

TEST(SpectralClustering, of_one_embedding_with_many_seeds_equals_single_runs) {
  const DenseMatrix data = random_matrix(60, 10, 2);
  SpectralOptions options = paper_spectral_options(8);
  options.kmeans.n_init = 2;
  sfg::RunContext run;
  run.seed = 3;
  const auto embedding = spectral_embedding(data, options, run);
  for (const auto& clusters : cluster(embedding, options, 3, run)) {
    EXPECT_EQ(spectral_clustering(data, options, run).labels, clusters.labels);
    ++run.seed;
  }
}

/// Data that leave something without meaning: identical, empty, few samples.
std::vector<DenseMatrix> awkward_data() {
  std::vector<DenseMatrix> all{random_matrix(2, 3, 1), DenseMatrix(2, 3),  random_matrix(1, 1, 1),
                               DenseMatrix(6, 2),      DenseMatrix(40, 2), random_matrix(5, 3, 2),
                               DenseMatrix(3, 0)};
  DenseMatrix with_zero_rows = random_matrix(20, 3, 3);
  for (Index i = 0; i < 20; i += 3) {
    for (Index k = 0; k < 3; ++k) with_zero_rows(i, k) = 0;
  }
  all.push_back(with_zero_rows);
  DenseMatrix identical(600, 2);
  for (Index i = 0; i < 600; ++i) identical(i, 0) = 1;
  all.push_back(identical);
  identical(0, 1) = 1e-150;
  identical(1, 1) = 1e150;
  all.push_back(identical);
  return all;
}

TEST(SpectralClustering, never_fails_on_identical_empty_or_few_samples) {
  for (const DenseMatrix& data : awkward_data()) {
    const Index n = data.n_samples();
    for (const auto kind :
         {AffinityKind::gauss, AffinityKind::heat_knn, AffinityKind::cosine_knn}) {
      for (const Index k : {Index{1}, Index{2}, n}) {
        if (k > n || (n > 100 && k == n)) continue;
        for (SpectralOptions options : {SpectralOptions{}, paper_spectral_options(k)}) {
          options.n_clusters = k;
          options.affinity.kind = kind;
          options.kmeans.n_init = 2;
          for (const Matrix& matrix : {Matrix(data), Matrix(to_sparse(data))}) {
            const SpectralResult result = spectral_clustering(matrix, options);
            EXPECT_EQ(result.labels.size(), static_cast<std::size_t>(n));
            EXPECT_EQ(result.embedding.status, EigenStatus::converged);
            EXPECT_GE(result.clusters.n_clusters, 1);
            EXPECT_LE(result.clusters.n_clusters, k);
          }
        }
      }
    }
  }
}

TEST(SpectralClustering, refuses_impossible_numbers_of_clusters) {
  SpectralOptions options;
  const DenseMatrix data = random_matrix(5, 2, 1);
  expect_error(ErrorCode::invalid_option, {"at least 1"},
               [&] { (void)spectral_clustering(data, options); });
  options.n_clusters = 6;
  expect_error(ErrorCode::invalid_option, {"6", "5"},
               [&] { (void)spectral_clustering(data, options); });
  options.n_clusters = 1;
  expect_error(ErrorCode::degenerate_data, {"no samples"},
               [&] { (void)affinity(DenseMatrix(0, 2), {}); });
}

}  // namespace
}  // namespace sfg
