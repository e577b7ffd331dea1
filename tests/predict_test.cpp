#include "sfg/predict.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <numeric>

#include "core/random.hpp"
#include "helpers.hpp"
#include "normalise/permuted.hpp"
#include "predict/ridge_factor.hpp"
#include "reference.hpp"
#include "sfg/checkpoint.hpp"
#include "sfg/shared.hpp"
#include "sfg/statistics.hpp"

namespace sfg {
namespace {

using testing::centred;
using testing::random_matrix;
using testing::with_threads;

/// The definition: leave a sample out, fit a ridge with a free intercept on the others, predict it.
/// The columns are of unit length over all samples; only their means are those of the others.
double left_out_r2(const UnitFeatures& features, std::span<const Index> predictors, Index target,
                   double ridge) {
  const auto& matrix = std::get<DenseMatrix>(features.matrix);
  const Index n = matrix.n_samples();
  double error = 0;
  double total = 0;
  for (Index left = 0; left < n; ++left) {
    const auto deviation = [&](Index feature, Index i) {
      double mean = 0;
      for (Index k = 0; k < n; ++k) mean += k == left ? 0.0 : matrix(k, feature);
      return matrix(i, feature) - mean / (n - 1);
    };
    std::vector<std::vector<double>> products(predictors.size(),
                                              std::vector<double>(predictors.size(), 0.0));
    std::vector<double> with_target(predictors.size(), 0.0);
    for (std::size_t a = 0; a < predictors.size(); ++a) {
      for (Index i = 0; i < n; ++i) {
        if (i == left) continue;
        for (std::size_t b = 0; b < predictors.size(); ++b) {
          products[a][b] += deviation(predictors[a], i) * deviation(predictors[b], i);
        }
        with_target[a] += deviation(predictors[a], i) * deviation(target, i);
      }
      products[a][a] += ridge;
    }
    const auto x = testing::solve(products, with_target);
    double rest = deviation(target, left);
    total += rest * rest;
    for (std::size_t a = 0; a < predictors.size(); ++a) {
      rest -= x[a] * deviation(predictors[a], left);
    }
    error += rest * rest;
  }
  return 1 - error / total;
}

/// The same from the products of samples, for many predictors:
///   prediction = k'(K + ridge I)^-1 t over the other samples.
double left_out_r2_by_samples(const UnitFeatures& features, std::span<const Index> predictors,
                              Index target, double ridge) {
  const auto& matrix = std::get<DenseMatrix>(features.matrix);
  const Index n = matrix.n_samples();
  double error = 0;
  double total = 0;
  for (Index left = 0; left < n; ++left) {
    const auto deviations = [&](Index feature) {
      std::vector<double> values(matrix.column(feature).begin(), matrix.column(feature).end());
      const double sum = std::accumulate(values.begin(), values.end(), -values[left]);
      for (double& value : values) value -= sum / (n - 1);
      // The left-out sample comes last.
      std::rotate(values.begin() + left, values.begin() + left + 1, values.end());
      return values;
    };
    std::vector<std::vector<double>> products(n, std::vector<double>(n, 0.0));
    for (const Index predictor : predictors) {
      const auto values = deviations(predictor);
      for (Index i = 0; i < n; ++i) {
        for (Index j = 0; j < n; ++j) products[i][j] += values[i] * values[j];
      }
    }
    std::vector<double> wanted = deviations(target);
    const double own = wanted.back();
    wanted.pop_back();
    const std::vector<double> across = products.back();
    products.pop_back();
    for (Index i = 0; i < n - 1; ++i) {
      products[i].pop_back();
      products[i][i] += ridge;
    }
    const auto x = testing::solve(products, wanted);
    const double prediction = std::inner_product(x.begin(), x.end(), across.begin(), 0.0);
    error += (own - prediction) * (own - prediction);
    total += own * own;
  }
  return 1 - error / total;
}

double clipped(double r2) {
  return std::clamp(r2, -1.0, 1.0);
}

std::vector<Index> all_but(Index n, Index left_out) {
  std::vector<Index> rest;
  for (Index i = 0; i < n; ++i) {
    if (i != left_out) rest.push_back(i);
  }
  return rest;
}

/// Fewer and more features than samples, with a sum among them.
DenseMatrix small_table(Index n, Index d) {
  DenseMatrix data = random_matrix(n, d, 7);
  for (Index i = 0; i < n; ++i) data(i, d - 1) = data(i, 0) - data(i, 1) + 0.3 * data(i, d - 1);
  return data;
}

TEST(Predictability, equals_ridge_regression_without_each_sample_written_out) {
  for (const Index d : {6, 25}) {
    const UnitFeatures features = centred(small_table(14, d));
    const Predictability known = predictability(features);
    ASSERT_EQ(known.r2.size(), static_cast<std::size_t>(d));
    for (Index j = 0; j < d; ++j) {
      EXPECT_NEAR(known.r2[j], left_out_r2(features, all_but(d, j), j, known.ridge), 1e-10) << j;
    }
  }
}

TEST(Predictability, of_more_features_than_the_ridge_is_chosen_by_is_that_of_the_chosen_ridge) {
  const Index d = 1020;
  const UnitFeatures features = centred(small_table(14, d));
  const Predictability known = predictability(features);
  for (const Index target : {Index{0}, Index{500}, d - 1}) {
    EXPECT_NEAR(known.r2[target],
                left_out_r2_by_samples(features, all_but(d, target), target, known.ridge), 1e-9);
  }
}

TEST(RidgeFactor, its_inverse_does_what_applying_it_does) {
  const UnitFeatures features = centred(random_matrix(9, 30, 5));
  std::vector<Index> predictors(30);
  std::iota(predictors.begin(), predictors.end(), Index{0});
  for (const std::size_t n_predictors : {std::size_t{4}, std::size_t{30}}) {
    const detail::RidgeFactor factor(features, std::span(predictors).first(n_predictors), {});
    const std::size_t n = factor.n_samples();
    const std::vector<double> inverse = factor.inverse(0.3);
    std::vector<double> units(n * n, 0.0);
    for (std::size_t k = 0; k < n; ++k) units[k * n + k] = 1;
    std::vector<double> projected(factor.rank() * n);
    std::vector<double> scaled(projected.size());
    std::vector<double> applied(n * n);
    factor.project(units.data(), n, projected.data());
    factor.apply(0.3, units.data(), projected.data(), n, scaled.data(), applied.data());
    for (std::size_t k = 0; k < applied.size(); ++k) EXPECT_NEAR(inverse[k], applied[k], 1e-12);
  }
}

TEST(SampleProducts, of_sparse_columns_are_those_of_dense_ones) {
  DenseMatrix counts(40, 60);
  for (Index j = 0; j < 60; ++j) {
    for (const Index step : {0, 7, 19}) counts((3 * j + step) % 40, j) = 1 + (j + step) % 5;
  }
  std::vector<Index> chosen;
  for (Index j = 0; j < 60; j += 2) chosen.push_back(j);
  const auto dense = detail::sample_products(centred(counts), chosen, {});
  const auto sparse = detail::sample_products(centred(to_sparse(counts)), chosen, {});
  for (std::size_t k = 0; k < dense.size(); ++k) EXPECT_NEAR(sparse[k], dense[k], 1e-12);
}

TEST(Predictability, takes_the_ridge_with_the_best_total) {
  const Index d = 7;
  const UnitFeatures features = centred(small_table(12, d));
  const Predictability known = predictability(features);
  double best = -1e9;
  double best_ridge = 0;
  for (const double ridge : detail::ridge_grid()) {
    double total = 0;
    for (Index j = 0; j < d; ++j) {
      total += clipped(left_out_r2(features, all_but(d, j), j, ridge));
    }
    if (total > best + 1e-9) {
      best = total;
      best_ridge = ridge;
    }
  }
  EXPECT_EQ(known.ridge, best_ridge);
}

TEST(LeaveOneOut, of_features_outside_equals_ridge_regression_written_out) {
  for (const Index m : {4, 20}) {
    const UnitFeatures features = centred(small_table(13, m + 3));
    std::vector<Index> predictors(static_cast<std::size_t>(m));
    std::iota(predictors.begin(), predictors.end(), Index{0});
    const std::vector<Index> targets{m, m + 1, m + 2};
    const auto found = leave_one_out_r2(features, predictors, targets);
    double closest = 1;
    for (const double ridge : detail::ridge_grid()) {
      double largest = 0;
      for (std::size_t k = 0; k < targets.size(); ++k) {
        const double r2 = left_out_r2(features, predictors, targets[k], ridge);
        largest = std::max(largest, std::fabs(found[k] - r2));
      }
      closest = std::min(closest, largest);
    }
    EXPECT_LT(closest, 1e-10) << m;
  }
}

TEST(Predictability, of_noise_is_not_above_chance_and_of_shared_features_is) {
  DenseMatrix data = random_matrix(120, 200, 9);
  for (Index j = 6; j < 120; ++j) {
    for (Index i = 0; i < 120; ++i) data(i, j) += 1.5 * data(i, j % 6);
  }
  const Predictability known = predictability(centred(data));
  std::vector<double> shared(known.r2.begin(), known.r2.begin() + 120);
  std::vector<double> noise(known.r2.begin() + 120, known.r2.end());
  EXPECT_GT(quantile(shared, 0.1), 0.4);
  EXPECT_LT(quantile(noise, 0.95), 0.05);
}

TEST(Predictability, by_chance_is_low_where_features_are_known_well) {
  DenseMatrix data = random_matrix(60, 300, 4);
  for (Index j = 5; j < 150; ++j) {
    for (Index i = 0; i < 60; ++i) data(i, j) = data(i, j % 5) + 0.3 * data(i, j);
  }
  std::ranges::fill(data.column(200), 1.0);
  const UnitFeatures features = centred(data);
  const Predictability known = predictability(features);
  const auto by_chance = predictability_by_chance(features, known, with_threads(1));
  ASSERT_EQ(by_chance.size(), static_cast<std::size_t>(kPermutedToPredict));
  EXPECT_EQ(by_chance, predictability_by_chance(features, known, with_threads(3)));
  EXPECT_LT(quantile(by_chance, 0.95), 0.05);
  EXPECT_GT(quantile(known.r2, 0.7), 0.5) << "what is not permuted is known";
}

TEST(Predictability, by_chance_is_the_ridge_regression_of_each_permuted_feature_written_out) {
  const Index n = 12;
  const Index d = 6;
  const UnitFeatures features = centred(small_table(n, d));
  const Predictability known = predictability(features);
  const auto found = predictability_by_chance(features, known);
  ASSERT_EQ(found.size(), static_cast<std::size_t>(d));
  detail::Random random(RunContext{}.seed);
  const std::vector<Index> every = regular_features(features);
  const auto chosen = detail::random_choice(every, every.size(), random);
  const UnitFeatures permuted = detail::permuted(features, chosen, random);
  for (Index k = 0; k < d; ++k) {
    DenseMatrix joint(n, d + 1);
    for (Index j = 0; j < d; ++j) {
      std::ranges::copy(std::get<DenseMatrix>(features.matrix).column(j), joint.column(j).begin());
    }
    std::ranges::copy(std::get<DenseMatrix>(permuted.matrix).column(k), joint.column(d).begin());
    EXPECT_NEAR(found[k], left_out_r2(centred(joint), every, d, known.ridge), 1e-8);
  }
}

TEST(Predictability, is_the_same_for_any_threads_and_for_sparse_data) {
  DenseMatrix data = random_matrix(40, 300, 10);
  for (Index j = 0; j < 300; ++j) {
    for (Index i = 0; i < 40; ++i) {
      if ((i + j) % 3 != 0) data(i, j) = 0;
    }
  }
  const UnitFeatures features = centred(data);
  const Predictability one = predictability(features, with_threads(1));
  const Predictability three = predictability(features, with_threads(3));
  EXPECT_EQ(one.r2, three.r2);
  const Predictability sparse = predictability(centred(to_sparse(data)));
  for (std::size_t j = 0; j < one.r2.size(); ++j) EXPECT_NEAR(one.r2[j], sparse.r2[j], 1e-9);
}

TEST(Predictability, does_not_depend_on_units_and_moves_with_the_columns) {
  const DenseMatrix data = small_table(30, 50);
  const Predictability known = predictability(centred(data));
  DenseMatrix other = data;
  for (Index j = 0; j < 50; ++j) {
    for (Index i = 0; i < 30; ++i) other(i, j) = 3.7 * (j + 1) * data(i, 49 - j) - 5;
  }
  const Predictability moved = predictability(centred(other));
  for (Index j = 0; j < 50; ++j) EXPECT_NEAR(known.r2[j], moved.r2[49 - j], 1e-8);
}

TEST(Predictability, of_a_feature_that_does_not_vary_is_0) {
  DenseMatrix data = random_matrix(30, 8, 3);
  std::ranges::fill(data.column(4), 2.5);
  EXPECT_EQ(predictability(centred(data)).r2[4], 0);
}

TEST(Predictability, of_a_long_table_is_that_of_a_choice_of_its_samples) {
  const DenseMatrix data = small_table(kMostSamplesToPredict + 500, 5);
  const Predictability known = predictability(centred(data));
  EXPECT_EQ(known.n_samples, kMostSamplesToPredict);
  EXPECT_GT(known.r2[4], 0.9);
  EXPECT_LT(std::fabs(known.r2[2]), 0.05);
}

/// Twenty sources with one near-copy each among 1,000 independent features: all others together
/// know nothing of a copy on 100 samples, its nearest feature does.
TEST(SharedFeatures, are_found_where_redundancy_is_sparse) {
  DenseMatrix data = random_matrix(100, 1000, 12);
  for (Index j = 0; j < 20; ++j) {
    for (Index i = 0; i < 100; ++i) data(i, j) = data(i, 980 + j) + 0.1 * data(i, j);
  }
  const UnitFeatures features = centred(data);
  const Chance chance = measure_chance(features, {});
  const SharedFeatures shared =
      find_shared(features, predictability(features), chance, {}, nullptr);
  for (Index j = 0; j < 20; ++j) {
    EXPECT_EQ(shared.is_unshared[j], 0) << j;
    EXPECT_EQ(shared.is_unshared[980 + j], 0) << j;
  }
  EXPECT_GT(shared.n_unshared, 900);
  EXPECT_GT(chance.nearest_r2, 0.05);
  EXPECT_LT(chance.nearest_r2, 0.35);
}

TEST(SharedFeatures, an_exact_sum_of_few_is_a_witness_for_its_parts_and_itself) {
  DenseMatrix data = random_matrix(120, 600, 13);
  for (Index i = 0; i < 120; ++i) data(i, 599) = data(i, 0) + data(i, 1) - data(i, 2);
  const UnitFeatures features = centred(data);
  const SharedFeatures shared =
      find_shared(features, predictability(features), measure_chance(features, {}), {}, nullptr);
  for (const Index j : {0, 1, 2, 599}) EXPECT_EQ(shared.is_unshared[j], 0) << j;
  EXPECT_EQ(shared.is_unshared[300], 1);
}

TEST(EarlyEnds, shorten_descriptions_of_noise_and_no_others) {
  DenseMatrix data = random_matrix(100, 300, 14);
  for (Index i = 0; i < 100; ++i) data(i, 1) = data(i, 0) + 0.2 * data(i, 1);
  const UnitFeatures features = centred(data);
  const EarlyEnd early = early_end(predictability(features), measure_chance(features, {}));
  const Representations whole = pursue(features, {});
  const Representations ended = pursue(features, {}, {}, PursuitCheckpoint{}, early);
  for (Index j = 0; j < 300; ++j) {
    const auto atoms = ended.atoms_of(j);
    const auto all = whole.atoms_of(j);
    ASSERT_LE(atoms.size(), all.size());
    EXPECT_TRUE(std::equal(atoms.begin(), atoms.end(), all.begin())) << j;
    if (j > 1) {
      EXPECT_LE(atoms.size(), static_cast<std::size_t>(kWitnessAtoms));
    }
  }
  EXPECT_EQ(ended.atoms_of(1).size(), whole.atoms_of(1).size());
  EXPECT_GT(whole.atoms_of(200).size(), static_cast<std::size_t>(kWitnessAtoms));
}

}  // namespace
}  // namespace sfg
