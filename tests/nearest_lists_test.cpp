#include "embed/nearest_lists.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "core/random.hpp"
#include "embed/pair_keys.hpp"
#include "helpers.hpp"
#include "sfg/embed.hpp"

namespace sfg {
namespace {

using detail::Near;
using testing::with_threads;

/// The rule as it reads: all clearly below the count-th lowest key, then those tied with it by
/// index.
std::vector<Index> slow_nearest(const std::vector<double>& keys, std::size_t count, double scale) {
  std::vector<double> sorted = keys;
  std::ranges::sort(sorted);
  const double last = sorted[std::min(count, sorted.size()) - 1];
  const double tie = detail::kNeighbourTie * (scale + std::fabs(last));
  std::vector<Index> chosen;
  for (const bool below : {true, false}) {
    for (std::size_t j = 0; j < keys.size() && chosen.size() < count; ++j) {
      const bool fits = below ? keys[j] < last - tie : std::fabs(keys[j] - last) <= tie;
      if (fits) chosen.push_back(static_cast<Index>(j));
    }
  }
  std::ranges::sort(chosen);
  return chosen;
}

/// Few different keys, some of them off by less than a tie, by one, or by a little more.
std::vector<double> tied_keys(std::size_t n, std::uint64_t seed) {
  detail::Random random(seed);
  std::vector<double> keys;
  for (std::size_t j = 0; j < n; ++j) {
    const double tie = detail::kNeighbourTie * (1 + 3);
    keys.push_back(static_cast<double>(random.below(4)) +
                   tie * 0.3 * static_cast<double>(random.below(8)));
  }
  return keys;
}

RC_GTEST_PROP(NearestLists, choose_as_the_rule_says_in_whatever_order_the_keys_arrive, ()) {
  const auto n = *rc::gen::inRange<std::size_t>(1, 200);
  const auto count = *rc::gen::inRange<Index>(1, 25);
  const auto seed = *rc::gen::arbitrary<std::uint32_t>();
  const std::vector<double> keys = tied_keys(n, seed);
  std::vector<Near> arriving;
  for (std::size_t j = 0; j < n; ++j) arriving.push_back({static_cast<Index>(j), keys[j]});
  detail::Random random(seed + 1);
  const auto order = *rc::gen::element(0, 1, 2);  // rising, falling, shuffled
  if (order == 1) std::ranges::reverse(arriving);
  for (std::size_t j = n; order == 2 && j > 1; --j) {
    std::swap(arriving[j - 1], arriving[static_cast<std::size_t>(random.below(j))]);
  }
  detail::NearestLists lists(1, count, {1.0});
  for (const Near& near : arriving) lists.offer(0, near);
  std::vector<Index> chosen;
  for (const Near& near : lists.chosen(0)) {
    RC_ASSERT(near.key == keys[near.index]);
    chosen.push_back(near.index);
  }
  RC_ASSERT(chosen == slow_nearest(keys, static_cast<std::size_t>(count), 1.0));
}

TEST(NearestLists, say_that_a_copy_of_the_last_one_need_not_be_offered) {
  constexpr Index kCopies = 100;
  detail::NearestLists lists(1, 3, {1.0});
  for (Index j = 0; j < kCopies; ++j) lists.offer(0, {j, 2.0});
  EXPECT_LT(lists.limit(0, kCopies), 2.0);
  EXPECT_GE(lists.limit(0, 0), 2.0);
}

TEST(PairKeys, are_the_formulas) {
  constexpr std::size_t kMost = 45;
  std::vector<double> lengths(kMost);
  std::vector<double> products(kMost);
  for (std::size_t j = 0; j < kMost; ++j) {
    lengths[j] = 1 + 0.1 * static_cast<double>(j);
    products[j] = (j % 3 == 0 ? -1.0 : 0.3) * std::sqrt(2 * lengths[j]);
  }
  products[5] = (2 + lengths[5]) / 2;                // a copy
  products[6] = (2 + lengths[6]) / 2 * (1 - 1e-15);  // a copy but for rounding
  products[7] = (2 + lengths[7]) / 2 * (1 - 1e-10);  // not quite a copy
  for (std::size_t n = 0; n <= kMost; ++n) {
    std::vector<double> distances(products.begin(), products.begin() + static_cast<int>(n));
    std::vector<double> cosines = distances;
    const double sum = detail::to_squared_distances(2, lengths.data(), distances.data(), n);
    detail::to_minus_cosines(2, lengths.data(), cosines.data(), n);
    double expected_sum = 0;
    for (std::size_t j = 0; j < n; ++j) {
      const double expected = j == 5 || j == 6 ? 0 : 2 + lengths[j] - 2 * products[j];
      EXPECT_EQ(distances[j], expected) << j;
      expected_sum += std::sqrt(expected);
      if (products[j] > 0) {
        EXPECT_EQ(cosines[j], -products[j] / std::sqrt(2 * lengths[j])) << j;
      } else {
        EXPECT_EQ(cosines[j], std::numeric_limits<double>::infinity()) << j;
      }
    }
    EXPECT_NEAR(sum, expected_sum, 1e-14 * expected_sum);
  }
}

TEST(PairKeys, that_are_within_a_limit_are_all_found) {
  constexpr std::size_t n = 2 * detail::kKeysAtOnce + 7;
  const std::vector<double> keys(n, 5.0);
  const std::vector<double> low(n, 4.0);
  EXPECT_EQ(detail::first_within(keys.data(), 4.0, low.data(), 0, n), n);
  EXPECT_EQ(detail::first_within(keys.data(), 5.0, low.data(), 3, n), 3U);
  for (std::size_t j = 0; j < n; ++j) {
    std::vector<double> limits = low;
    limits[j] = 5.0;
    const std::size_t found = detail::first_within(keys.data(), 4.0, limits.data(), 0, n);
    EXPECT_LE(found, j);
    EXPECT_GT(found + detail::kKeysAtOnce, j);
    EXPECT_EQ(detail::first_within(keys.data(), 4.0, limits.data(), j + 1, n), n);
  }
}

/// Points on a small grid: many exact copies and ties, more samples than a tile takes.
DenseMatrix grid_points(Index n, Index d, std::uint64_t seed) {
  detail::Random random(seed);
  DenseMatrix data(n, d);
  for (Index k = 0; k < d; ++k) {
    for (double& value : data.column(k)) value = static_cast<double>(random.below(4));
  }
  return data;
}

DenseMatrix slow_heat_graph(const DenseMatrix& data, std::size_t count, double sigma) {
  const Index n = data.n_samples();
  DenseMatrix weights(n, n);
  for (Index i = 0; i < n; ++i) {
    std::vector<double> keys(static_cast<std::size_t>(n), 0.0);
    double length = 0;
    for (Index k = 0; k < data.n_features(); ++k) {
      length += data(i, k) * data(i, k);
      for (Index j = 0; j < n; ++j) {
        keys[j] += (data(i, k) - data(j, k)) * (data(i, k) - data(j, k));
      }
    }
    for (const Index j : slow_nearest(keys, count + 1, length)) {
      if (i == j) continue;
      weights(i, j) = weights(j, i) = std::exp(-keys[j] / (2 * sigma * sigma));
    }
  }
  return weights;
}

double slow_mean_distance(const DenseMatrix& data) {
  const Index n = data.n_samples();
  long double sum = 0;  // a million equal roundings in a row would add up in double
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      double squared = 0;
      for (Index k = 0; k < data.n_features(); ++k) {
        squared += (data(i, k) - data(j, k)) * (data(i, k) - data(j, k));
      }
      sum += std::sqrt(static_cast<long double>(squared));
    }
  }
  return static_cast<double>(sum / (static_cast<long double>(n) * n));
}

TEST(HeatKnnAffinity, is_that_of_all_pairs_over_several_tiles_full_of_copies_for_any_threads) {
  constexpr Index n = 1100;  // two tiles and a bit
  AffinityOptions options{AffinityKind::heat_knn};
  options.n_neighbors = 4;
  for (const Index d : {Index{2}, Index{6}}) {
    const DenseMatrix data = grid_points(n, d, 7);
    const double sigma = slow_mean_distance(data);
    const DenseMatrix expected = slow_heat_graph(data, 4, sigma);
    for (const int threads : {1, 3}) {
      for (const Matrix& matrix : {Matrix(data), Matrix(to_sparse(data))}) {
        const Affinity result = affinity(matrix, options, with_threads(threads));
        EXPECT_NEAR(result.sigma, sigma, 1e-12 * sigma);
        const DenseMatrix weights = to_dense(std::get<SparseMatrix>(result.weights));
        double worst = 0;
        for (Index j = 0; j < n; ++j) {
          for (Index i = 0; i < n; ++i) {
            worst = std::max(worst, std::fabs(weights(i, j) - expected(i, j)));
          }
        }
        EXPECT_LT(worst, 1e-12);
      }
    }
  }
}

TEST(HeatKnnAffinity, reports_progress_and_stops_when_asked) {
  const Matrix data = grid_points(1500, 3, 3);
  RunContext run = with_threads(2);
  double most = 0;
  run.progress = [&](std::string_view stage, double done, double total) {
    EXPECT_EQ(stage, "neighbours");
    most = std::max(most, done / total);
  };
  (void)affinity(data, {AffinityKind::heat_knn}, run);
  EXPECT_EQ(most, 1);
  const std::atomic<bool> stop = true;
  run.stop = &stop;
  testing::expect_error(ErrorCode::interrupted, {},
                        [&] { (void)affinity(data, {AffinityKind::heat_knn}, run); });
}

}  // namespace
}  // namespace sfg
