// How far sets agree, and which samples a repeat sees.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <set>

#include "sfg/stability.hpp"
#include "sfg/synth.hpp"

namespace sfg {
namespace {

using IndexSets = std::vector<std::vector<Index>>;

// --- agreement ----------------------------------------------------------------------------------

/// Nogueira's estimator as the paper writes it, from the matrix Z of zeros and ones.
struct PlainIndex {
  double phi = 0;
  double variance = 0;
};

PlainIndex plain_index(const IndexSets& sets, int d) {
  const int m = static_cast<int>(sets.size());
  std::vector<std::vector<double>> z(m, std::vector<double>(d, 0.0));
  for (int i = 0; i < m; ++i) {
    for (const Index item : sets[i]) z[i][item] = 1;
  }
  std::vector<double> p(d, 0.0);
  double sum_of_variances = 0;
  double k = 0;
  for (int f = 0; f < d; ++f) {
    for (int i = 0; i < m; ++i) p[f] += z[i][f] / m;
    for (int i = 0; i < m; ++i) sum_of_variances += (z[i][f] - p[f]) * (z[i][f] - p[f]) / (m - 1);
    k += p[f];
  }
  const double chance = k / d * (1 - k / d);
  PlainIndex result;
  result.phi = 1 - sum_of_variances / d / chance;
  std::vector<double> phi(m);
  for (int i = 0; i < m; ++i) {
    double known = 0;
    double size = 0;
    for (int f = 0; f < d; ++f) {
      known += z[i][f] * p[f] / d;
      size += z[i][f];
    }
    phi[i] = (known - size * k / d / d +
              result.phi / 2 * (2 * size * k / d / d - size / d - k / d + 1)) /
             chance;
  }
  const double mean = std::accumulate(phi.begin(), phi.end(), 0.0) / m;
  for (const double one : phi) result.variance += 4.0 / m / m * (one - mean) * (one - mean);
  return result;
}

/// Phi where set i counts w_i instead of 1/M, without the factor M/(M-1): for derivatives.
double weighted_index(const IndexSets& sets, int d, const std::vector<double>& w) {
  std::vector<double> p(d, 0.0);
  for (std::size_t i = 0; i < sets.size(); ++i) {
    for (const Index item : sets[i]) p[item] += w[i];
  }
  double spread = 0;
  double k = 0;
  for (const double share : p) {
    spread += share * (1 - share) / d;
    k += share / d;
  }
  return 1 - spread / (k * (1 - k));
}

IndexSets random_sets(int m, int d, unsigned seed) {
  std::uint64_t state = seed;
  IndexSets sets(m);
  for (auto& set : sets) {
    for (int f = 0; f < d; ++f) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      // The first items are in most sets, the last ones in few.
      if (static_cast<double>(state >> 40U) / 16777216 < 1 - 0.9 * f / d) set.push_back(f);
    }
  }
  return sets;
}

TEST(Agreement, three_sets_of_two_of_four_items_are_the_third_that_a_hand_finds) {
  // p = 1, 2/3, 1/3, 0: mean p(1-p) 1/9, times 3/2; by chance 1/2 * 1/2.
  const SetAgreement found = agreement({{0, 1}, {0, 1}, {0, 2}}, 4);
  EXPECT_NEAR(*found.index, 1.0 / 3, 1e-15);
  EXPECT_NEAR(found.jaccard, (1 + 1.0 / 3 + 1.0 / 3) / 3, 1e-15);
  EXPECT_FALSE(found.jaccard_apart);
}

TEST(Agreement, equal_sets_agree_fully_and_opposite_ones_as_little_as_can_be) {
  const SetAgreement same = agreement({{1, 3}, {1, 3}, {1, 3}}, 5);
  EXPECT_DOUBLE_EQ(*same.index, 1);
  EXPECT_DOUBLE_EQ(same.jaccard, 1);
  EXPECT_NEAR(*same.low, 1, 1e-12);
  EXPECT_LE(*same.high, 1);
  const SetAgreement opposite = agreement({{0}, {1}}, 2);
  EXPECT_NEAR(*opposite.index, -1, 1e-15);  // -1 / (M - 1)
  EXPECT_EQ(opposite.jaccard, 0);
}

TEST(Agreement, says_nothing_beyond_chance_where_there_was_no_choice) {
  EXPECT_FALSE(agreement({{0, 1}, {0, 1}}, 2).index);
  EXPECT_FALSE(agreement({{}, {}}, 2).index);
  EXPECT_EQ(agreement({{}, {}}, 2).jaccard, 1);
  EXPECT_FALSE(agreement({{0}}, 2).index);
}

RC_GTEST_PROP(Agreement, is_what_the_paper_writes, (unsigned seed)) {
  const int m = *rc::gen::inRange(2, 12);
  const int d = *rc::gen::inRange(3, 15);
  const IndexSets sets = random_sets(m, d, seed);
  const SetAgreement found = agreement(sets, d);
  if (!found.index) return;
  const PlainIndex plain = plain_index(sets, d);
  RC_ASSERT(std::fabs(*found.index - plain.phi) < 1e-12);
  RC_ASSERT(std::fabs(*found.low - (plain.phi - 1.959963984540054 * std::sqrt(plain.variance))) <
            1e-12);
  RC_ASSERT(*found.high <= 1);
}

TEST(Agreement, the_interval_is_that_of_the_index_as_a_function_of_the_weights_of_the_sets) {
  // Delta method: variance of an estimate = sum of squared influences / M^2.
  const int m = 400;
  const int d = 30;
  const IndexSets sets = random_sets(m, d, 7);
  std::vector<double> w(m, 1.0 / m);
  const double whole = weighted_index(sets, d, w);
  const double step = 1e-6;
  double squares = 0;
  for (int i = 0; i < m; ++i) {
    std::vector<double> moved(m, (1 - step) / m);
    moved[i] += step;
    const double influence = (weighted_index(sets, d, moved) - whole) / step;
    squares += influence * influence;
  }
  const double half_width = 1.959963984540054 * std::sqrt(squares) / m;
  const SetAgreement found = agreement(sets, d);
  EXPECT_NEAR(*found.index - *found.low, half_width, 0.02 * half_width);
}

TEST(Agreement, sets_of_one_draw_count_as_one) {
  const IndexSets sets = random_sets(40, 20, 3);
  IndexSets twice;
  for (const auto& set : sets) twice.insert(twice.end(), 2, set);
  const SetAgreement once = agreement(sets, 20);
  const SetAgreement together = agreement(twice, 20, 2);
  const SetAgreement alone = agreement(twice, 20);
  const auto width = [](const SetAgreement& one) { return *one.index - *one.low; };
  EXPECT_NEAR(width(together), width(once), 0.05 * width(once));
  EXPECT_NEAR(width(alone), width(together) / std::sqrt(2.0), 1e-9);
  EXPECT_DOUBLE_EQ(*together.jaccard_apart, 1);
  EXPECT_DOUBLE_EQ(*agreement(sets, 20, 2).jaccard_apart, [&] {
    double sum = 0;
    for (std::size_t i = 0; i < sets.size(); i += 2) {
      sum += agreement({sets[i], sets[i + 1]}, 20).jaccard;
    }
    return sum / 20;
  }());
}

// --- samples ------------------------------------------------------------------------------------

RC_GTEST_PROP(Resampled, two_halves_share_no_sample_and_leave_out_one_at_most, (unsigned seed)) {
  const Index n = *rc::gen::inRange(6, 60);
  const int pair = *rc::gen::inRange(0, 50);
  const auto first = resampled(Resample::halves, n, 2 * pair, seed);
  const auto second = resampled(Resample::halves, n, 2 * pair + 1, seed);
  std::set<Index> all(first.begin(), first.end());
  all.insert(second.begin(), second.end());
  RC_ASSERT(std::ranges::is_sorted(first) && std::ranges::is_sorted(second));
  RC_ASSERT(first.size() == static_cast<std::size_t>(n / 2) && second.size() == first.size());
  RC_ASSERT(all.size() == 2 * first.size());
  RC_ASSERT(*all.begin() >= 0 && *all.rbegin() < n);
}

TEST(Resampled, every_sample_is_in_a_half_as_often_as_any_other) {
  std::vector<int> times(21, 0);
  for (int repeat = 0; repeat < 2000; ++repeat) {
    for (const Index sample : resampled(Resample::halves, 21, repeat, 1)) ++times[sample];
  }
  for (const int one : times) EXPECT_NEAR(one, 2000 * 10 / 21.0, 120);
}

TEST(Resampled, the_bootstrap_draws_as_many_with_replacement) {
  double n_different = 0;
  for (int repeat = 0; repeat < 200; ++repeat) {
    const auto drawn = resampled(Resample::bootstrap, 100, repeat, 1);
    EXPECT_EQ(drawn.size(), 100U);
    EXPECT_TRUE(std::ranges::is_sorted(drawn));
    n_different += static_cast<double>(std::set<Index>(drawn.begin(), drawn.end()).size());
  }
  EXPECT_NEAR(n_different / 200 / 100, 1 - std::exp(-1.0), 0.02);
}

TEST(Resampled, another_seed_gives_other_halves) {
  std::set<std::vector<Index>> of_one;
  std::set<std::vector<Index>> of_two;
  for (int repeat = 0; repeat < 40; ++repeat) {
    of_one.insert(resampled(Resample::halves, 40, repeat, 1));
    of_two.insert(resampled(Resample::halves, 40, repeat, 2));
  }
  EXPECT_EQ(of_one.size(), 40U);
  for (const auto& half : of_two) EXPECT_FALSE(of_one.contains(half));
}

TEST(Resampled, samples_drawn_twice_are_there_twice_in_sparse_and_dense_data) {
  SynthOptions options{.n_samples = 30, .n_features = 20};
  options.density = 0.3;
  const Dataset sparse = synthesise(options, 3).dataset;
  ASSERT_TRUE(std::holds_alternative<SparseMatrix>(sparse.matrix));
  Dataset dense = sparse;
  dense.matrix = to_dense(std::get<SparseMatrix>(sparse.matrix));
  const std::vector<Index> drawn{0, 2, 2, 2, 5, 29, 29};
  const auto some = to_dense(std::get<SparseMatrix>(select_samples(sparse, drawn).matrix));
  const auto same = std::get<DenseMatrix>(select_samples(dense, drawn).matrix);
  for (Index feature = 0; feature < 20; ++feature) {
    EXPECT_TRUE(std::ranges::equal(some.column(feature), same.column(feature)));
    EXPECT_EQ(same.column(feature)[1], same.column(feature)[3]);
  }
}

}  // namespace
}  // namespace sfg
