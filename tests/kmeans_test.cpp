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

double distance_to_centre(const DenseMatrix& samples, const KMeansResult& result, Index i,
                          Index cluster) {
  double sum = 0;
  for (Index k = 0; k < samples.n_features(); ++k) {
    const double difference = samples(i, k) - result.centres(cluster, k);
    sum += difference * difference;
  }
  return sum;
}

RC_GTEST_PROP(KMeans, ends_where_each_sample_is_nearest_to_its_own_mean, ()) {
  const auto n = *rc::gen::inRange<Index>(1, 60);
  const auto k = *rc::gen::inRange<Index>(1, n + 1);
  const DenseMatrix samples = random_matrix(n, 3, *rc::gen::arbitrary<std::uint32_t>());
  KMeansOptions options;
  options.start = *rc::gen::element(KMeansStart::plus_plus, KMeansStart::random_samples);
  options.n_init = 3;
  const KMeansResult result = kmeans(samples, k, options);
  RC_ASSERT(result.n_clusters == k);
  RC_ASSERT(result.converged);
  double objective = 0;
  for (Index i = 0; i < n; ++i) {
    const Index label = result.labels[i];
    const double own = distance_to_centre(samples, result, i, label);
    objective += own;
    for (Index c = 0; c < k; ++c) {
      RC_ASSERT(own <= distance_to_centre(samples, result, i, c) + 1e-12);
    }
  }
  RC_ASSERT(std::fabs(objective - result.objective) < 1e-9);
  for (Index c = 0; c < k; ++c) {
    for (Index f = 0; f < 3; ++f) {
      double sum = 0;
      double size = 0;
      for (Index i = 0; i < n; ++i) {
        if (result.labels[i] != c) continue;
        sum += samples(i, f);
        size += 1;
      }
      RC_ASSERT(std::fabs(sum / size - result.centres(c, f)) < 1e-12);
    }
  }
}

TEST(KMeans, finds_the_best_of_all_partitions_of_a_few_samples) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    constexpr Index kSamples = 8;
    constexpr int kPartitions = 6561;  // 3^8
    const DenseMatrix samples = random_matrix(kSamples, 2, seed);
    double best = std::numeric_limits<double>::infinity();
    for (int partition = 0; partition < kPartitions; ++partition) {
      double objective = 0;
      for (int c = 0; c < 3; ++c) {
        for (Index f = 0; f < 2; ++f) {
          double sum = 0;
          double squares = 0;
          double size = 0;
          for (int i = 0, code = partition; i < kSamples; ++i, code /= 3) {
            if (code % 3 != c) continue;
            sum += samples(i, f);
            squares += samples(i, f) * samples(i, f);
            size += 1;
          }
          if (size > 0) objective += squares - sum * sum / size;
        }
      }
      best = std::min(best, objective);
    }
    EXPECT_NEAR(kmeans(samples, 3, {}).objective, best, 1e-9);
  }
}

TEST(KMeans, gives_the_same_for_any_number_of_threads_and_numbers_clusters_by_first_sample) {
  const DenseMatrix samples = random_matrix(200, 5, 3);
  const KMeansResult expected = kmeans(samples, 7, {}, with_threads(1));
  EXPECT_EQ(kmeans(samples, 7, {}, with_threads(4)).labels, expected.labels);
  Index next = 0;
  for (const Index label : expected.labels) {
    EXPECT_LE(label, next);
    next = std::max(next, label + 1);
  }
}

TEST(KMeans, with_several_seeds_gives_what_each_seed_gives_alone) {
  const DenseMatrix samples = random_matrix(80, 4, 3);
  sfg::RunContext run;
  run.seed = 5;
  KMeansOptions options;
  options.n_init = 2;
  options.start = KMeansStart::random_samples;
  const auto results = kmeans(samples, 9, options, 3, run);
  ASSERT_EQ(results.size(), 3U);
  EXPECT_NE(results[0].labels, results[1].labels);
  for (const auto& result : results) {
    EXPECT_EQ(kmeans(samples, 9, options, run).labels, result.labels);
    ++run.seed;
  }
}

TEST(KMeans, has_fewer_clusters_than_asked_for_where_there_are_fewer_different_samples) {
  DenseMatrix samples(10, 2);
  for (Index i = 0; i < 10; ++i) samples(i, 0) = i % 3;
  for (const auto start : {KMeansStart::plus_plus, KMeansStart::random_samples}) {
    KMeansOptions options;
    options.start = start;
    const KMeansResult result = kmeans(samples, 10, options);
    EXPECT_EQ(result.n_clusters, 3);
    EXPECT_EQ(result.objective, 0);
  }
  EXPECT_EQ(kmeans(DenseMatrix(4, 0), 2, {}).n_clusters, 1);
}

TEST(KMeans, can_judge_replicates_by_the_sum_of_distances) {
  const DenseMatrix samples = random_matrix(60, 2, 9);
  KMeansOptions options;
  options.objective = KMeansObjective::distance;
  const KMeansResult result = kmeans(samples, 6, options);
  double sum = 0;
  for (Index i = 0; i < 60; ++i) {
    sum += std::sqrt(distance_to_centre(samples, result, i, result.labels[i]));
  }
  EXPECT_NEAR(result.objective, sum, 1e-9);
  EXPECT_LE(result.objective,
            kmeans(samples, 6, {KMeansStart::plus_plus, KMeansObjective::distance, 1}).objective);
}

TEST(KMeans, refuses_impossible_numbers) {
  const DenseMatrix samples = random_matrix(5, 2, 1);
  expect_error(ErrorCode::invalid_option, {"between 1", "5", "6"},
               [&] { (void)kmeans(samples, 6, {}); });
  expect_error(ErrorCode::invalid_option, {"0"}, [&] { (void)kmeans(samples, 0, {}); });
  KMeansOptions options;
  options.n_init = 0;
  expect_error(ErrorCode::invalid_option, {"replicate"},
               [&] { (void)kmeans(samples, 2, options); });
}

}  // namespace
}  // namespace sfg
