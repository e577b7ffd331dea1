#include "sfg/certificate.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "core/random.hpp"
#include "helpers.hpp"
#include "reference.hpp"
#include "sfg/neighbours.hpp"
#include "sfg/pipeline.hpp"

namespace sfg {
namespace {

using testing::centred;
using testing::random_matrix;
using testing::with_level;

/// 60 independent features, then 20 sums of two or three of them, then 40 of noise.
Matrix planted(std::uint64_t seed) {
  DenseMatrix data = random_matrix(200, 120, seed);
  for (Index j = 60; j < 80; ++j) {
    for (Index i = 0; i < 200; ++i) {
      data(i, j) = data(i, j - 60) - 2 * data(i, j - 40) + (j % 2 == 0 ? data(i, j - 20) : 0.0);
    }
  }
  return data;
}

std::vector<Index> range(Index first, Index last) {
  std::vector<Index> values(static_cast<std::size_t>(last - first));
  std::iota(values.begin(), values.end(), first);
  return values;
}

TEST(Certificate, planted_sums_are_certified_and_noise_is_not) {
  const UnitFeatures features = centred(planted(1));
  const auto kept = range(0, 60);
  const auto removed = range(60, 120);
  const Certificate certificate = certify(features, kept, removed, {}, {});
  ASSERT_TRUE(certificate.possible);
  ASSERT_EQ(certificate.features, removed);
  for (std::size_t k = 0; k < 60; ++k) {
    if (k < 20) {
      EXPECT_GT(certificate.r2[k], 0.99) << k;
    } else {
      EXPECT_LT(certificate.r2[k], 0.2) << k;
    }
  }
  EXPECT_LT(certificate.permuted.mean, 0);
  EXPECT_LT(certificate.permuted.quantile_95, 0.1);
}

TEST(Certificate, copies_are_certain_even_where_a_fold_has_all_that_varies) {
  DenseMatrix data = std::get<DenseMatrix>(planted(3));
  // One sample alone tells this column from a constant: without it nothing can be learnt.
  for (Index i = 0; i < 200; ++i) {
    data(i, 0) = i == 17 ? 1 : 0;
    data(i, 60) = 3 * data(i, 0);
  }
  const UnitFeatures features = centred(data);
  const std::vector<Index> removed{60, 61, 100};
  const Certificate learnt = certify(features, range(0, 60), removed, {}, {});
  const Certificate certain = certify(features, range(0, 60), removed, std::vector<Index>{60}, {});
  EXPECT_LT(learnt.r2[0], 0.1);
  EXPECT_EQ(certain.r2[0], 1.0);
  EXPECT_GT(certain.r2[1], 0.99);
  EXPECT_LT(certain.r2[2], 0.2);
  EXPECT_EQ(certain.features, removed);
  EXPECT_EQ(certain.removed.n_features, 3);
}

TEST(Certificate, scale_and_mean_of_features_do_not_matter_and_sparse_data_agree) {
  DenseMatrix data = std::get<DenseMatrix>(planted(2));
  const auto kept = range(0, 60);
  std::vector<HeldOutTarget> targets;
  for (const Index feature : range(60, 100)) targets.push_back({feature, {}});
  const auto expected = held_out_r2(centred(data), kept, targets, {});
  const auto sparse = held_out_r2(centred(to_sparse(data)), kept, targets, {});
  for (Index j = 0; j < 120; ++j) {
    for (Index i = 0; i < 200; ++i) data(i, j) = 1e6 * (data(i, j) + 3 * (j % 5));
  }
  const auto scaled = held_out_r2(centred(data), kept, targets, {});
  for (std::size_t k = 0; k < expected.size(); ++k) {
    EXPECT_NEAR(sparse[k], expected[k], 1e-9);
    EXPECT_NEAR(scaled[k], expected[k], 1e-6);
  }
}

/// Words that occur once or twice are equally correlated with many others: rounding must not
/// choose.
TEST(Certificate, equally_good_predictors_are_taken_by_index_in_dense_and_sparse_data) {
  DenseMatrix counts(60, 200);
  detail::Random random(8);
  for (Index j = 0; j < 200; ++j) {
    for (Index word = 0; word <= j % 3; ++word) counts(static_cast<Index>(random.below(60)), j) = 1;
  }
  std::vector<HeldOutTarget> targets;
  for (const Index feature : range(150, 200)) targets.push_back({feature, {}});
  const auto kept = range(0, 150);
  const auto dense = held_out_r2(centred(counts), kept, targets, {});
  const auto sparse = held_out_r2(centred(to_sparse(counts)), kept, targets, {});
  for (std::size_t k = 0; k < dense.size(); ++k) EXPECT_NEAR(sparse[k], dense[k], 1e-9);
}

/// Columns less their means over the training samples, scaled by all samples.
std::vector<std::vector<double>> over_training(const DenseMatrix& data,
                                               const std::vector<char>& is_test) {
  const UnitFeatures unit = centred(data);
  std::vector<std::vector<double>> columns;
  for (Index j = 0; j < data.n_features(); ++j) {
    const auto column = std::get<DenseMatrix>(unit.matrix).column(j);
    double mean = 0;
    double count = 0;
    for (std::size_t i = 0; i < is_test.size(); ++i) {
      if (is_test[i] != 0) continue;
      mean += column[i];
      count += 1;
    }
    std::vector<double> values(column.begin(), column.end());
    for (double& value : values) value -= mean / count;
    columns.push_back(std::move(values));
  }
  return columns;
}

/// The kept columns with the largest |r| over the training samples.
std::set<std::size_t> nearest_in_training(const std::vector<std::vector<double>>& columns,
                                          const std::vector<char>& is_test, std::size_t count) {
  const std::size_t target = columns.size() - 1;
  std::vector<std::pair<double, std::size_t>> scores;
  for (std::size_t j = 0; j < target; ++j) {
    double product = 0;
    double squares = 0;
    for (std::size_t i = 0; i < is_test.size(); ++i) {
      if (is_test[i] != 0) continue;
      product += columns[j][i] * columns[target][i];
      squares += columns[j][i] * columns[j][i];
    }
    scores.emplace_back(-std::fabs(product) / std::sqrt(squares), j);
  }
  std::ranges::sort(scores);
  std::set<std::size_t> nearest;
  for (std::size_t k = 0; k < std::min(count, scores.size()); ++k) nearest.insert(scores[k].second);
  return nearest;
}

/// Squared errors of the last column from the others over the test samples, by ridge regression in
/// the space of the samples: (A D A' + lambda I) u = t, prediction A_test D A' u.
double fold_error(const std::vector<std::vector<double>>& columns, const std::vector<char>& is_test,
                  const std::set<std::size_t>& nearest, double ridge, double weight) {
  const std::size_t target = columns.size() - 1;
  std::vector<std::size_t> training;
  for (std::size_t i = 0; i < is_test.size(); ++i) {
    if (is_test[i] == 0) training.push_back(i);
  }
  const auto product = [&](std::size_t a, std::size_t b) {
    double sum = 0;
    for (std::size_t j = 0; j < target; ++j) {
      sum += (nearest.contains(j) ? 1 + weight : 1) * columns[j][a] * columns[j][b];
    }
    return sum;
  };
  std::vector<std::vector<double>> products;
  std::vector<double> values;
  for (const std::size_t i : training) {
    auto& row = products.emplace_back();
    for (const std::size_t k : training) row.push_back(product(i, k) + (i == k ? ridge : 0));
    values.push_back(columns[target][i]);
  }
  const std::vector<double> u = testing::solve(products, values);
  double error = 0;
  for (std::size_t i = 0; i < is_test.size(); ++i) {
    if (is_test[i] == 0) continue;
    double left = columns[target][i];
    for (std::size_t k = 0; k < training.size(); ++k) left -= product(i, training[k]) * u[k];
    error += left * left;
  }
  return error;
}

/// Ridges from 1e-6 on, and weights; beyond, the nearest may say it alone.
std::vector<std::pair<double, double>> pairs_to_try() {
  std::vector<std::pair<double, double>> pairs;
  std::vector<double> ridges{100, 1000};
  for (int half = -12; half <= 3; ++half) ridges.push_back(std::pow(10.0, half / 2.0));
  for (const double ridge : ridges) {
    for (const double weight : {0, 1, 10, 100, 1000}) pairs.emplace_back(ridge, weight);
  }
  for (const double ridge : {100, 1000}) {
    for (const double weight : {1e4, 1e5}) pairs.emplace_back(ridge, weight);
  }
  return pairs;
}

/// The definition, written out: the last feature from all the others, by the best pair of ridge and
/// weight.
double held_out_written_out(const DenseMatrix& data, const CertificateOptions& options,
                            std::uint64_t seed) {
  const auto n = static_cast<std::size_t>(data.n_samples());
  const auto n_folds = static_cast<std::size_t>(options.n_folds);
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  detail::Random random(seed);
  detail::shuffle(order, random);
  std::map<std::pair<double, double>, double> errors;
  double total = 0;
  for (std::size_t fold = 0; fold < n_folds; ++fold) {
    std::vector<char> is_test(n, 0);
    for (std::size_t k = fold; k < n; k += n_folds) is_test[order[k]] = 1;
    const auto columns = over_training(data, is_test);
    const auto nearest =
        nearest_in_training(columns, is_test, static_cast<std::size_t>(options.n_nearest));
    for (const auto& [ridge, weight] : pairs_to_try()) {
      errors[{ridge, weight}] += fold_error(columns, is_test, nearest, ridge, weight);
    }
    for (std::size_t i = 0; i < n; ++i) {
      if (is_test[i] != 0) total += columns.back()[i] * columns.back()[i];
    }
  }
  double best = -1;
  for (const auto& [choice, error] : errors) best = std::max(best, 1 - error / total);
  return best;
}

/// Few and many folds, down to one sample each; fewer and more kept features than are compared at
/// once.
TEST(Certificate, agrees_with_ridge_regression_written_out) {
  for (const Index n_kept : {3, 60}) {
    DenseMatrix data = random_matrix(24, n_kept + 1, 6);
    for (Index i = 0; i < 24; ++i) data(i, n_kept) += data(i, 0) + data(i, 2) + 7;
    for (const int n_folds : {2, 5, 24}) {
      CertificateOptions options;
      options.n_folds = n_folds;
      options.n_nearest = 3;
      sfg::RunContext run;
      run.seed = 5;
      const double expected = held_out_written_out(data, options, run.seed);
      const std::vector<HeldOutTarget> targets{{n_kept, {}}};
      const auto kept = range(0, n_kept);
      EXPECT_NEAR(held_out_r2(centred(data), kept, targets, options, run)[0], expected, 1e-7);
      EXPECT_NEAR(held_out_r2(centred(to_sparse(data)), kept, targets, options, run)[0], expected,
                  1e-7);
    }
  }
}

TEST(Certificate, few_samples_cannot_certify_and_say_so) {
  const UnitFeatures features = centred(random_matrix(15, 30, 1));
  const Certificate certificate = certify(features, range(0, 10), range(10, 30), {}, {});
  EXPECT_FALSE(certificate.possible);
  Dataset dataset;
  dataset.matrix = random_matrix(15, 30, 1);
  dataset.feature_names = generated_names(30);
  MethodOptions options;
  options.reduce.certify = 0.5;
  testing::expect_error(ErrorCode::degenerate_data, {"15 samples", "certify"},
                        [&] { static_cast<void>(reduce(dataset, options)); });
}

TEST(Certificate, demanded_of_all_returns_features_until_every_removed_one_has_it) {
  Dataset dataset;
  dataset.matrix = planted(3);
  dataset.feature_names = generated_names(120);
  MethodOptions options;
  options.grouping = CompactOptions{.level = {.n_features = 20}};
  options.reduce.certify = 0.8;
  const Reduction reduction = reduce(dataset, options).reduction;
  EXPECT_GT(reduction.n_rescued, 0);
  EXPECT_EQ(static_cast<Index>(reduction.kept.size()),
            20 + reduction.n_rescued - reduction.n_given_up);
  for (const RemovedFeature& removed : reduction.removed) {
    ASSERT_TRUE(removed.held_out_r2.has_value());
    const bool is_proved = removed.certificate == CertificateKind::exact ||
                           removed.certificate == CertificateKind::copy;
    EXPECT_TRUE(is_proved || *removed.held_out_r2 >= 0.8) << removed.feature;
  }
}

TEST(Certificate, a_level_by_mean_r2_keeps_noise_that_the_mean_would_give_up) {
  // 200 copies with r2 of nearly 1 would pay for 40 noise features that are unlike anything.
  DenseMatrix data = random_matrix(100, 250, 4);
  for (Index j = 10; j < 210; ++j) {
    for (Index i = 0; i < 100; ++i) data(i, j) = data(i, j % 10) + 0.01 * data(i, j);
  }
  Dataset dataset;
  dataset.matrix = data;
  dataset.feature_names = generated_names(250);
  MethodOptions options;
  options.grouping = CompactOptions{.level = {.min_mean_r2 = 0.8}};
  const Reduction rescued = reduce(dataset, options).reduction;
  for (const Index feature : range(210, 250)) {
    EXPECT_EQ(std::ranges::count(rescued.kept, feature), 1) << feature;
  }
  EXPECT_GE(rescued.mean_r2, 0.99);
  EXPECT_LE(rescued.kept.size(), 50U);
  options.grouping = CompactOptions{.level = {.min_mean_r2 = 0.8, .rescue = false}};
  const Reduction plain = reduce(dataset, options).reduction;
  EXPECT_LT(plain.kept.size(), rescued.kept.size());
  EXPECT_GE(plain.mean_r2, 0.8);
}

TEST(Neighbours, changing_a_set_one_by_one_gives_the_overlap_of_the_set) {
  const Matrix data = random_matrix(50, 30, 6);
  for (const Matrix& matrix : {data, Matrix(to_sparse(std::get<DenseMatrix>(data)))}) {
    const UnitFeatures features = centred(matrix);
    const SampleNeighbours neighbours(features, {}, {});
    EXPECT_DOUBLE_EQ(neighbours.overlap(range(0, 30), {}), 1.0);
    SampleNeighbours::Changing kept(neighbours, range(0, 12), {});
    EXPECT_DOUBLE_EQ(kept.overlap(), neighbours.overlap(range(0, 12), {}));
    kept.remove(0);
    kept.add(20);
    auto changed = range(1, 12);
    changed.push_back(20);
    EXPECT_DOUBLE_EQ(kept.overlap(), neighbours.overlap(changed, {}));
    EXPECT_LT(kept.overlap(), 1.0);
  }
}

TEST(Levels, by_neighbours_end_at_the_coarsest_cut_along_edges_that_keeps_them) {
  Dataset dataset;
  dataset.matrix = planted(5);
  dataset.feature_names = generated_names(120);
  for (const auto grouping : {GroupingKind::compact, GroupingKind::cover}) {
    MethodOptions options;
    options.grouping = testing::with_level(grouping, {.min_overlap = 0.6});
    const MethodResult result = reduce(dataset, options);
    EXPECT_GE(result.neighbour_overlap, 0.6);
    EXPECT_LT(result.reduction.kept.size(), 120U);
  }
}

TEST(PermutationCheck, warns_where_permuted_features_pass_as_often_as_real_ones) {
  const auto share = [](Index n, Index d, bool copies) {
    DenseMatrix data = random_matrix(n, d, 3);
    for (Index j = d / 2; copies && j < d; ++j) {
      for (Index i = 0; i < n; ++i) data(i, j) = data(i, j - d / 2);
    }
    const UnitFeatures features = normalise(Matrix(data), {Centering::none});
    const auto graph = build_graph(pursue(features, {}), {});
    return check_angle_filter(graph, features, {}, {}, 50);
  };
  const auto wide = share(12, 400, false);
  EXPECT_EQ(wide.n_permuted, 50);
  EXPECT_TRUE(wide.angle_says_little());
  const auto tall = share(200, 60, true);
  EXPECT_FALSE(tall.angle_says_little());
  EXPECT_EQ(tall.permuted_share, 0);
  EXPECT_EQ(tall.real_share, 1);
}

}  // namespace
}  // namespace sfg
