#include "sfg/normalise.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "helpers.hpp"
#include "reference.hpp"

namespace sfg {
namespace {

using testing::expect_error;
using testing::random_matrix;

constexpr double kNormaliseRounding = 1e-14;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

Dataset dataset_of(Matrix matrix) {
  Dataset dataset;
  dataset.feature_names = generated_names(n_features(matrix));
  dataset.matrix = std::move(matrix);
  dataset.source = "table.csv";
  return dataset;
}

double length(const DenseMatrix& matrix, Index feature) {
  double squares = 0;
  for (const double value : matrix.column(feature)) squares += value * value;
  return std::sqrt(squares);
}

TEST(Normalise, every_feature_has_unit_length) {
  for (const Centering centering : {Centering::none, Centering::mean}) {
    const auto features = normalise(random_matrix(17, 9, 1), {centering});
    for (Index k = 0; k < 9; ++k) {
      EXPECT_NEAR(length(std::get<DenseMatrix>(features.matrix), k), 1, kNormaliseRounding);
    }
  }
}

TEST(Normalise, values_at_both_ends_of_the_range_of_a_double_neither_overflow_nor_vanish) {
  DenseMatrix matrix(3, 4);
  const double largest = std::numeric_limits<double>::max();
  const double smallest = std::numeric_limits<double>::denorm_min();
  const std::vector<std::vector<double>> columns{
      {largest, -largest, largest}, {smallest, 0, -smallest}, {1e-300, 2e-300, 2e-300}, {3, 0, 4}};
  for (Index k = 0; k < 4; ++k) std::ranges::copy(columns[k], matrix.column(k).begin());
  for (const Centering centering : {Centering::none, Centering::mean}) {
    const auto features = normalise(matrix, {centering});
    for (Index k = 0; k < 4; ++k) {
      EXPECT_EQ(features.kind[k], FeatureKind::regular);
      EXPECT_NEAR(length(std::get<DenseMatrix>(features.matrix), k), 1, kNormaliseRounding) << k;
    }
  }
  EXPECT_NEAR(std::get<DenseMatrix>(normalise(matrix, {}).matrix)(2, 3), 0.8, kNormaliseRounding);
}

TEST(Normalise, constant_features_are_found_only_when_centred_and_empty_ones_always) {
  DenseMatrix matrix(4, 3);
  std::ranges::fill(matrix.column(0), 0.1);
  std::ranges::copy(std::vector{1.0, 2.0, 3.0, 5.0}, matrix.column(2).begin());
  using enum FeatureKind;
  EXPECT_EQ(normalise(matrix, {}).kind, (std::vector{regular, empty, regular}));
  const auto centred = normalise(matrix, {Centering::mean});
  EXPECT_EQ(centred.kind, (std::vector{constant, empty, regular}));
  EXPECT_DOUBLE_EQ(centred.mean[0], 0.1);
  EXPECT_EQ(length(std::get<DenseMatrix>(centred.matrix), 0), 0);
}

TEST(Normalise, a_value_that_differs_by_rounding_only_is_constant) {
  DenseMatrix matrix(3, 1);
  std::ranges::copy(std::vector{0.3, 0.1 + 0.2, 0.3}, matrix.column(0).begin());
  EXPECT_EQ(normalise(matrix, {Centering::mean}).kind[0], FeatureKind::constant);
}

TEST(Normalise, sparse_data_give_the_same_inner_products_as_dense_ones) {
  const DenseMatrix dense = testing::tied_matrix(12, 15, 4);
  for (const Centering centering : {Centering::none, Centering::mean}) {
    const auto from_dense = normalise(dense, {centering});
    const auto from_sparse = normalise(to_sparse(dense), {centering});
    EXPECT_TRUE(std::holds_alternative<SparseMatrix>(from_sparse.matrix));
    for (Index a = 0; a < 15; ++a) {
      for (Index b = 0; b < 15; ++b) {
        EXPECT_NEAR(inner_product(from_dense, a, b), inner_product(from_sparse, a, b),
                    kNormaliseRounding);
      }
    }
  }
}

TEST(Missing, is_refused_with_number_and_first_place) {
  DenseMatrix matrix = random_matrix(4, 3, 1);
  matrix(2, 1) = kNaN;
  matrix(0, 2) = std::numeric_limits<double>::infinity();
  Dataset dataset = dataset_of(matrix);
  dataset.sample_names = {"a", "b", "c", "d"};
  expect_error(ErrorCode::malformed_input,
               {"table.csv", "2 missing or infinite", "sample 3 (c)", "'f1'", "missing=mean"},
               [&] { resolve_missing(dataset, Missing::refuse); });
}

TEST(Missing, is_filled_with_the_mean_of_the_other_values_on_request) {
  DenseMatrix matrix(4, 1);
  std::ranges::copy(std::vector{1.0, kNaN, 3.0, 5.0}, matrix.column(0).begin());
  Dataset dataset = dataset_of(matrix);
  const auto report = resolve_missing(dataset, Missing::mean);
  EXPECT_EQ(report.n_cells, 1);
  EXPECT_EQ(report.filled_features, std::vector<std::string>{"f0"});
  EXPECT_DOUBLE_EQ(std::get<DenseMatrix>(dataset.matrix)(1, 0), 3.0);
}

TEST(Missing, the_mean_of_a_sparse_feature_counts_its_zeros) {
  SparseMatrix sparse;
  sparse.n_samples = 4;
  sparse.n_features = 1;
  sparse.starts = {0, 2};
  sparse.rows = {0, 2};
  sparse.values = {6, kNaN};
  Dataset dataset = dataset_of(sparse);
  resolve_missing(dataset, Missing::mean);
  EXPECT_DOUBLE_EQ(std::get<SparseMatrix>(dataset.matrix).values[1], 2.0);
}

TEST(Missing, is_filled_with_the_median_of_the_other_values_on_request) {
  DenseMatrix matrix(6, 2);
  std::ranges::copy(std::vector{1.0, kNaN, 100.0, 5.0, 2.0, kNaN}, matrix.column(0).begin());
  std::ranges::copy(std::vector{9.0, kNaN, 1.0, 5.0, 2.0, 8.0}, matrix.column(1).begin());
  Dataset dataset = dataset_of(matrix);
  EXPECT_EQ(resolve_missing(dataset, Missing::median).n_cells, 3);
  const auto& filled = std::get<DenseMatrix>(dataset.matrix);
  EXPECT_EQ(filled(1, 0), 3.5) << "of an even number the mean of the two in the middle";
  EXPECT_EQ(filled(5, 0), 3.5);
  EXPECT_EQ(filled(1, 1), 5);
}

TEST(Missing, the_median_of_a_sparse_feature_counts_its_zeros) {
  SparseMatrix sparse;
  sparse.n_samples = 6;
  sparse.n_features = 1;
  sparse.starts = {0, 4};
  sparse.rows = {0, 2, 3, 5};
  sparse.values = {6, kNaN, 8, -1};
  Dataset dataset = dataset_of(sparse);
  resolve_missing(dataset, Missing::median);
  EXPECT_EQ(std::get<SparseMatrix>(dataset.matrix).values[1], 0.0);
}

TEST(Missing, samples_are_dropped_on_request_with_their_names_and_labels) {
  DenseMatrix matrix = random_matrix(4, 3, 1);
  const DenseMatrix whole = matrix;
  matrix(1, 1) = kNaN;
  matrix(1, 2) = kNaN;
  matrix(3, 0) = std::numeric_limits<double>::infinity();
  Dataset dataset = dataset_of(matrix);
  dataset.sample_names = {"a", "b", "c", "d"};
  dataset.labels = Labels{"y", {"1", "2", "3", "4"}};
  const auto report = resolve_missing(dataset, Missing::drop_sample);
  EXPECT_EQ(report.n_dropped_samples, 2);
  EXPECT_EQ(report.n_cells, 3);
  EXPECT_EQ(dataset.sample_names, (std::vector<std::string>{"a", "c"}));
  EXPECT_EQ(dataset.labels->values, (std::vector<std::string>{"1", "3"}));
  const auto& rest = std::get<DenseMatrix>(dataset.matrix);
  ASSERT_EQ(rest.n_samples(), 2);
  EXPECT_EQ(rest(1, 2), whole(2, 2));
  dataset.matrix = DenseMatrix(2, 3);
  for (Index sample : {0, 1}) std::get<DenseMatrix>(dataset.matrix)(sample, 0) = kNaN;
  expect_error(ErrorCode::degenerate_data, {"every sample"},
               [&] { resolve_missing(dataset, Missing::drop_sample); });
}

TEST(Missing, dropping_samples_of_a_sparse_matrix_renumbers_the_others) {
  SparseMatrix sparse;
  sparse.n_samples = 4;
  sparse.n_features = 2;
  sparse.starts = {0, 2, 4};
  sparse.rows = {0, 2, 1, 3};
  sparse.values = {6, 7, kNaN, 8};
  Dataset dataset = dataset_of(sparse);
  resolve_missing(dataset, Missing::drop_sample);
  const auto& rest = std::get<SparseMatrix>(dataset.matrix);
  EXPECT_EQ(rest.n_samples, 3);
  EXPECT_EQ(std::vector<Index>(rest.rows.begin(), rest.rows.end()), (std::vector<Index>{0, 1, 2}));
  EXPECT_EQ(rest.starts, (std::vector<Offset>{0, 2, 3}));
}

TEST(Missing, features_are_dropped_on_request_and_none_left_is_an_error) {
  DenseMatrix matrix = random_matrix(3, 3, 1);
  matrix(0, 1) = kNaN;
  Dataset dataset = dataset_of(matrix);
  EXPECT_EQ(resolve_missing(dataset, Missing::drop_feature).dropped,
            std::vector<std::string>{"f1"});
  EXPECT_EQ(dataset.feature_names, (std::vector<std::string>{"f0", "f2"}));
  std::get<DenseMatrix>(dataset.matrix)(0, 0) = kNaN;
  std::get<DenseMatrix>(dataset.matrix)(0, 1) = kNaN;
  expect_error(ErrorCode::degenerate_data, {"every feature"},
               [&] { resolve_missing(dataset, Missing::drop_feature); });
}

TEST(Missing, a_feature_without_any_value_has_no_mean_and_is_left_out) {
  DenseMatrix matrix = random_matrix(2, 2, 1);
  std::ranges::fill(matrix.column(0), kNaN);
  Dataset dataset = dataset_of(matrix);
  const auto report = resolve_missing(dataset, Missing::mean);
  EXPECT_EQ(report.dropped, std::vector<std::string>{"f0"});
  EXPECT_TRUE(report.filled_features.empty());
  EXPECT_EQ(dataset.feature_names, std::vector<std::string>{"f1"});
  std::ranges::fill(std::get<DenseMatrix>(dataset.matrix).column(0), kNaN);
  expect_error(ErrorCode::degenerate_data, {"every feature"},
               [&] { resolve_missing(dataset, Missing::mean); });
}

TEST(Comparable, one_feature_one_sample_and_all_constant_tables_are_refused) {
  expect_error(ErrorCode::degenerate_data, {"one feature"},
               [] { require_comparable(dataset_of(random_matrix(5, 1, 1))); });
  expect_error(ErrorCode::degenerate_data, {"one sample"},
               [] { require_comparable(dataset_of(random_matrix(1, 5, 1))); });
  DenseMatrix constant(3, 2);
  std::ranges::fill(constant.column(1), 7.0);
  expect_error(ErrorCode::degenerate_data, {"constant"},
               [&] { require_comparable(dataset_of(constant)); });
  expect_error(ErrorCode::degenerate_data, {"constant"},
               [&] { require_comparable(dataset_of(to_sparse(constant))); });
  EXPECT_NO_THROW(require_comparable(dataset_of(random_matrix(2, 2, 1))));
}

}  // namespace
}  // namespace sfg
