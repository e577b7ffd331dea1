#include "sfg/matrix.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "reference.hpp"
#include "sfg/cluster.hpp"
#include "sfg/normalise.hpp"
#include "sfg/pipeline.hpp"
#include "sfg/synth.hpp"

namespace sfg {
namespace {

using testing::random_matrix;

/// The same values in memory that the matrix does not own.
DenseMatrix borrowed(const DenseMatrix& matrix) {
  const auto size = static_cast<std::size_t>(n_stored(Matrix(matrix)));
  return {matrix.n_samples(), matrix.n_features(), Buffer<double>::borrow({matrix.data(), size})};
}

SparseMatrix borrowed(const SparseMatrix& matrix) {
  SparseMatrix result;
  result.n_samples = matrix.n_samples;
  result.n_features = matrix.n_features;
  result.starts = matrix.starts;
  result.rows = Buffer<Index>::borrow({matrix.rows.data(), matrix.rows.size()});
  result.values = Buffer<double>::borrow({matrix.values.data(), matrix.values.size()});
  return result;
}

std::vector<double> values_of(const DenseMatrix& matrix) {
  return {matrix.data(), matrix.data() + n_stored(Matrix(matrix))};
}

TEST(Buffer, borrowed_numbers_are_looked_at_where_they_are) {
  const std::vector<double> numbers{1, 2, 3};
  const auto buffer = Buffer<double>::borrow(numbers);
  EXPECT_TRUE(buffer.is_borrowed());
  EXPECT_EQ(buffer.data(), numbers.data());
  EXPECT_EQ(buffer.size(), 3U);
}

TEST(Buffer, a_copy_owns_its_numbers_and_a_move_keeps_them_borrowed) {
  const std::vector<double> numbers{1, 2, 3};
  auto buffer = Buffer<double>::borrow(numbers);
  const Buffer<double> copy = buffer;
  EXPECT_FALSE(copy.is_borrowed());
  EXPECT_EQ(copy, buffer);
  const Buffer<double> moved = std::move(buffer);
  EXPECT_EQ(moved.data(), numbers.data());
}

TEST(Buffer, a_change_leaves_the_callers_numbers_alone) {
  const std::vector<double> numbers{1, 2, 3};
  auto buffer = Buffer<double>::borrow(numbers);
  buffer[1] = 7;
  buffer.push_back(8);
  EXPECT_EQ(buffer, Buffer<double>({1, 7, 3, 8}));
  EXPECT_EQ(numbers, (std::vector<double>{1, 2, 3}));
}

TEST(Buffer, no_numbers_can_be_borrowed_too) {
  auto buffer = Buffer<double>::borrow({});
  EXPECT_TRUE(buffer.empty());
  buffer.push_back(1);
  EXPECT_EQ(buffer.size(), 1U);
}

TEST(Matrix, stages_that_work_in_place_copy_a_borrowed_matrix_first) {
  const DenseMatrix dense = random_matrix(20, 30, 1);
  const auto before = values_of(dense);
  Matrix view = borrowed(dense);
  const UnitFeatures expected = normalise(Matrix(dense), {});
  const UnitFeatures found = normalise(std::move(view), {});
  EXPECT_EQ(values_of(std::get<DenseMatrix>(found.matrix)),
            values_of(std::get<DenseMatrix>(expected.matrix)));
  EXPECT_EQ(values_of(dense), before);

  DenseMatrix counts(2, 3);
  counts(0, 0) = counts(1, 2) = 5;
  const SparseMatrix sparse = to_sparse(counts);
  const Matrix weighted = tfidf(Matrix(borrowed(sparse)));
  EXPECT_EQ(sparse.values, Buffer<double>({5, 5}));
  EXPECT_NE(std::get<SparseMatrix>(weighted).values, sparse.values);
}

TEST(Matrix, borrowed_data_are_reduced_like_owned_ones) {
  SynthOptions options;
  options.n_samples = 40;
  options.n_features = 120;
  for (const double density : {1.0, 0.2}) {
    options.density = density;
    const Dataset owned = synthesise(options, 3).dataset;
    Dataset view;
    view.feature_names = owned.feature_names;
    view.source = owned.source;
    std::visit([&](const auto& held) { view.matrix = borrowed(held); }, owned.matrix);
    EXPECT_EQ(reduce(view, {}).reduction.kept, reduce(owned, {}).reduction.kept);
  }
}

}  // namespace
}  // namespace sfg
