#include "sfg/certificate.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/random.hpp"
#include "helpers.hpp"
#include "reference.hpp"
#include "sfg/neighbours.hpp"
#include "sfg/pipeline.hpp"

namespace sfg {
namespace {

using testing::random_matrix;

UnitFeatures centred(const Matrix& matrix) {
  return normalise(matrix, {Centering::mean});
}

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
  const Certificate certificate = certify(features, kept, removed, {});
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

/// The definition, written out for one target with all kept features as predictors.
TEST(Certificate, agrees_with_ridge_regression_written_out) {
  const Index n = 24;
  const DenseMatrix data = random_matrix(n, 4, 6);
  CertificateOptions options;
  options.n_predictors = 3;
  sfg::Run run;
  run.seed = 5;
  const auto found =
      held_out_r2(centred(data), range(0, 3), std::vector<HeldOutTarget>{{3, {}}}, options, run);
  std::vector<std::size_t> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), std::size_t{0});
  detail::Random random(5);
  detail::shuffle(order, random);
  double error = 0;
  double total = 0;
  for (std::size_t fold = 0; fold < 5; ++fold) {
    std::vector<char> test(static_cast<std::size_t>(n), 0);
    for (std::size_t k = fold; k < order.size(); k += 5) test[order[k]] = 1;
    double mean[4];
    double norm[4];
    double count = 0;
    for (const char is_test : test) count += is_test != 0 ? 0 : 1;
    for (Index j = 0; j < 4; ++j) {
      mean[j] = 0;
      norm[j] = 0;
      for (Index i = 0; i < n; ++i)
        mean[j] += test[static_cast<std::size_t>(i)] != 0 ? 0 : data(i, j) / count;
      for (Index i = 0; i < n; ++i) {
        if (test[static_cast<std::size_t>(i)] == 0) norm[j] += std::pow(data(i, j) - mean[j], 2);
      }
      norm[j] = std::sqrt(norm[j]);
    }
    double a[3][4] = {};
    for (Index i = 0; i < n; ++i) {
      if (test[static_cast<std::size_t>(i)] != 0) continue;
      for (Index j = 0; j < 3; ++j) {
        const double z = (data(i, j) - mean[j]) / norm[j];
        for (Index k = 0; k < 3; ++k) a[j][k] += z * (data(i, k) - mean[k]) / norm[k];
        a[j][3] += z * (data(i, 3) - mean[3]);
      }
    }
    for (Index j = 0; j < 3; ++j) a[j][j] += 0.1;
    for (Index k = 0; k < 3; ++k) {
      for (Index i = 0; i < 3; ++i) {
        if (i == k) continue;
        const double factor = a[i][k] / a[k][k];
        for (Index j = k; j < 4; ++j) a[i][j] -= factor * a[k][j];
      }
    }
    for (Index i = 0; i < n; ++i) {
      if (test[static_cast<std::size_t>(i)] == 0) continue;
      double prediction = mean[3];
      for (Index j = 0; j < 3; ++j) {
        prediction += a[j][3] / a[j][j] * (data(i, j) - mean[j]) / norm[j];
      }
      error += std::pow(data(i, 3) - prediction, 2);
      total += std::pow(data(i, 3) - mean[3], 2);
    }
  }
  EXPECT_NEAR(found[0], 1 - error / total, 1e-9);
}

TEST(Certificate, few_samples_cannot_certify_and_say_so) {
  const UnitFeatures features = centred(random_matrix(15, 30, 1));
  const Certificate certificate = certify(features, range(0, 10), range(10, 30), {});
  EXPECT_FALSE(certificate.possible);
  Dataset dataset;
  dataset.matrix = random_matrix(15, 30, 1);
  dataset.feature_names = generated_names(30);
  MethodOptions options;
  options.reduce.certify_at = 0.5;
  testing::expect_error(ErrorCode::degenerate_data, {"15 samples", "certify"},
                        [&] { static_cast<void>(reduce(dataset, options)); });
}

TEST(Certificate, demanded_of_all_returns_features_until_every_removed_one_has_it) {
  Dataset dataset;
  dataset.matrix = planted(3);
  dataset.feature_names = generated_names(120);
  MethodOptions options;
  options.level.rule = LevelRule::n_features;
  options.level.n_features = 20;
  options.reduce.certify_at = 0.8;
  const Reduction reduction = reduce(dataset, options).reduction;
  EXPECT_GT(reduction.n_rescued, 0);
  EXPECT_EQ(static_cast<Index>(reduction.kept.size()), 20 + reduction.n_rescued);
  for (const RemovedFeature& removed : reduction.removed) {
    ASSERT_TRUE(removed.held_out_r2.has_value());
    EXPECT_GE(*removed.held_out_r2, 0.8);
  }
}

TEST(Certificate, the_automatic_level_keeps_noise_that_a_mean_would_give_up) {
  // 200 copies with r2 of nearly 1 would pay for 40 noise features that are unlike anything.
  DenseMatrix data = random_matrix(100, 250, 4);
  for (Index j = 10; j < 210; ++j) {
    for (Index i = 0; i < 100; ++i) data(i, j) = data(i, j % 10) + 0.01 * data(i, j);
  }
  Dataset dataset;
  dataset.matrix = data;
  dataset.feature_names = generated_names(250);
  MethodOptions options;
  const Reduction rescued = reduce(dataset, options).reduction;
  for (const Index feature : range(210, 250)) {
    EXPECT_EQ(std::ranges::count(rescued.kept, feature), 1) << feature;
  }
  EXPECT_GE(rescued.mean_r2, 0.99);
  EXPECT_LE(rescued.kept.size(), 50U);
  options.level.rescue_below = 0;
  const Reduction plain = reduce(dataset, options).reduction;
  EXPECT_LT(plain.kept.size(), rescued.kept.size());
  EXPECT_GE(plain.mean_r2, 0.8);
}

TEST(Neighbours, changing_a_set_one_by_one_gives_the_overlap_of_the_set) {
  const Matrix data = random_matrix(50, 30, 6);
  for (const Matrix& matrix : {data, Matrix(to_sparse(std::get<DenseMatrix>(data)))}) {
    const SampleNeighbours neighbours(matrix, {}, {});
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
  for (const auto grouping : {GroupingMethod::compact, GroupingMethod::cover}) {
    MethodOptions options;
    options.grouping = grouping;
    options.level.rule = LevelRule::neighbours;
    options.level.min_overlap = 0.6;
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
