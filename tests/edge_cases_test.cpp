// Cases at the edge of what normalisation, graphs and neighbourhoods tell apart.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "helpers.hpp"
#include "reference.hpp"
#include "sfg/graph.hpp"
#include "sfg/neighbours.hpp"
#include "sfg/normalise.hpp"

namespace sfg {
namespace {

using testing::random_matrix;

Dataset edge_table(Matrix matrix) {
  Dataset dataset;
  dataset.feature_names = generated_names(n_features(matrix));
  dataset.matrix = std::move(matrix);
  dataset.source = "test";
  return dataset;
}

/// The value in all samples but one, where it is 0.
DenseMatrix with_one_zero(double value) {
  DenseMatrix data(6, 2);
  for (Index i = 0; i < 5; ++i) data(i, 0) = value;
  for (Index i = 0; i < 5; ++i) data(i, 1) = 2 * value;
  return data;
}

TEST(Normalise, a_sparse_feature_with_a_single_zero_is_not_constant) {
  const DenseMatrix data = with_one_zero(5);
  const UnitFeatures sparse = normalise(Matrix(to_sparse(data)), {Centering::mean});
  const UnitFeatures dense = normalise(data, {Centering::mean});
  EXPECT_EQ(sparse.kind[0], FeatureKind::regular);
  EXPECT_EQ(sparse.kind, dense.kind);
  EXPECT_NEAR(inner_product(sparse, 0, 1), 1, 1e-12);
}

TEST(Comparable, sparse_features_that_vary_by_their_zeros_alone_can_be_compared) {
  EXPECT_NO_THROW(require_comparable(edge_table(Matrix(to_sparse(with_one_zero(5))))));
}

TEST(Missing, infinite_values_are_filled_with_the_mean_of_the_finite_ones) {
  DenseMatrix data = random_matrix(4, 2, 1);
  data(0, 1) = 1;
  data(1, 1) = std::numeric_limits<double>::infinity();
  data(2, 1) = std::nan("");
  data(3, 1) = 4;
  Dataset dataset = edge_table(data);
  resolve_missing(dataset, Missing::mean);
  const auto column = std::get<DenseMatrix>(dataset.matrix).column(1);
  EXPECT_EQ(std::vector<double>(column.begin(), column.end()),
            (std::vector<double>{1, 2.5, 2.5, 4}));
}

/// One feature without atoms, whose residual makes this angle with it.
Representations at_angle(double degrees) {
  Representations one;
  one.starts = {0, 0};
  const double sine = std::sin(degrees * std::numbers::pi / 180);
  one.residual = {sine * sine};
  one.status = {PursuitStatus::small_gain};
  return one;
}

TEST(Graph, an_angle_above_the_limit_by_rounding_still_passes) {
  EXPECT_EQ(build_graph(at_angle(15 + 1e-10), {15}).failed[0], 0);
  EXPECT_EQ(build_graph(at_angle(15 + 1e-7), {15}).failed[0], 1);
}

TEST(NearestGraph, the_angle_to_a_negated_copy_is_0) {
  DenseMatrix data = random_matrix(20, 3, 2);
  for (Index i = 0; i < 20; ++i) data(i, 2) = -3 * data(i, 0);
  const FeatureGraph graph = nearest_graph(normalise(data, {Centering::mean}), {1});
  EXPECT_EQ(graph.neighbours_of(0)[0], 2);
  EXPECT_NEAR(graph.angle[0], 0, 1e-5);
}

/// The definition, written out: shares of the nearest samples by all features that are the nearest
/// by the first ones too.
double overlap_written_out(const DenseMatrix& data, Index n_kept, std::size_t n_nearest) {
  const auto nearest = [&](Index query, Index n_used) {
    std::vector<std::pair<double, Index>> others;
    for (Index i = 0; i < data.n_samples(); ++i) {
      double square = 0;
      for (Index j = 0; j < n_used; ++j) {
        const auto column = data.column(j);
        const double mean = std::accumulate(column.begin(), column.end(), 0.0) / data.n_samples();
        double length = 0;
        for (const double value : column) length += (value - mean) * (value - mean);
        square += std::pow(data(i, j) - data(query, j), 2) / length;
      }
      // Rounded: equal distances are ties.
      if (i != query) others.emplace_back(std::round(square * 1e9), i);
    }
    std::ranges::sort(others);
    std::vector<Index> samples;
    for (std::size_t k = 0; k < n_nearest; ++k) samples.push_back(others[k].second);
    return samples;
  };
  double common = 0;
  for (Index query = 0; query < data.n_samples(); ++query) {
    const auto by_all = nearest(query, data.n_features());
    for (const Index sample : nearest(query, n_kept)) {
      common += static_cast<double>(std::ranges::count(by_all, sample));
    }
  }
  return common / static_cast<double>(n_nearest) / data.n_samples();
}

TEST(Neighbours, are_those_of_distances_written_out) {
  DenseMatrix data = random_matrix(40, 12, 3);
  for (double& value : data.column(0)) value += 20;
  for (double& value : data.column(7)) value *= 100;
  const std::vector<Index> kept{0, 1, 2, 3};
  const UnitFeatures features = normalise(Matrix(data), {Centering::mean});
  const SampleNeighbours neighbours(features, {}, {});
  EXPECT_DOUBLE_EQ(neighbours.overlap(kept, {}), overlap_written_out(data, 4, 10));
}

TEST(Neighbours, are_at_most_half_of_the_other_samples) {
  const DenseMatrix data = random_matrix(9, 12, 4);
  const std::vector<Index> kept{0, 1};
  const UnitFeatures features = normalise(Matrix(data), {Centering::mean});
  const SampleNeighbours neighbours(features, {}, {});
  EXPECT_DOUBLE_EQ(neighbours.overlap(kept, {}), overlap_written_out(data, 2, 4));
}

TEST(Neighbours, of_equal_distance_are_the_lowest_samples) {
  // The first feature alone has the samples in two places; its unit form is exact, +-1/4.
  DenseMatrix data = random_matrix(16, 2, 5);
  for (Index i = 0; i < 16; ++i) data(i, 0) = i % 3 == 0 || i == 7 || i == 10 ? 1 : -1;
  const std::vector<Index> kept{0};
  const UnitFeatures features = normalise(Matrix(data), {Centering::mean});
  const SampleNeighbours neighbours(features, {4, 1000}, {});
  EXPECT_DOUBLE_EQ(neighbours.overlap(kept, {}), overlap_written_out(data, 1, 4));
}

}  // namespace
}  // namespace sfg
