#include "pursuit/engines/engine_form.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/random.hpp"
#include "pursuit/plan.hpp"
#include "reference.hpp"

namespace sfg {
namespace {

using detail::in_engine_form;
using detail::n_sparse_entries;

/// The two ways to centre may differ by so many roundings.
constexpr double kSameValue = 1e-15;

/// Counts in every tenth cell, zero elsewhere.
DenseMatrix word_counts(Index n, Index d, double unit = 1) {
  DenseMatrix counts(n, d);
  detail::Random random(3);
  for (Index k = 0; k < d; ++k) {
    for (double& value : counts.column(k)) {
      if (random.uniform() < 0.1) value = unit * std::ceil(5 * random.uniform());
    }
  }
  return counts;
}

TEST(EngineForm, of_centred_counts_the_sparse_form_stores_no_more_than_of_counts_read_sparse) {
  // Also where squares leave the range of a double.
  for (const double unit : {1.0, 1.0 / 3, 1e-290, 1e290}) {
    const DenseMatrix counts = word_counts(60, 20, unit);
    const UnitFeatures dense = normalise(counts, {Centering::mean});
    const UnitFeatures read_sparse = normalise(to_sparse(counts), {Centering::mean});
    UnitFeatures converted;
    const UnitFeatures& found = in_engine_form(dense, Engine::sparse, converted);
    const auto& expected = std::get<SparseMatrix>(read_sparse.matrix);
    const auto& matrix = std::get<SparseMatrix>(found.matrix);
    ASSERT_EQ(matrix.starts, expected.starts);
    EXPECT_EQ(n_sparse_entries(dense), expected.n_stored());
    for (std::size_t k = 0; k < matrix.values.size(); ++k) {
      ASSERT_EQ(matrix.rows[k], expected.rows[k]);
      ASSERT_NEAR(matrix.values[k], expected.values[k], kSameValue);
    }
    for (std::size_t k = 0; k < found.shift.size(); ++k) {
      ASSERT_NEAR(found.shift[k], read_sparse.shift[k], kSameValue);
    }
  }
}

TEST(EngineForm, a_feature_far_from_zero_is_stored_centred_so_that_no_digit_is_lost) {
  DenseMatrix matrix = word_counts(40, 3);
  for (double& value : matrix.column(1)) value += 1e9;
  matrix.column(1)[7] = 0;  // one zero does not make it sparse
  const UnitFeatures features = normalise(matrix, {Centering::mean});
  UnitFeatures converted;
  const UnitFeatures& found = in_engine_form(features, Engine::sparse, converted);
  EXPECT_EQ(found.shift[1], 0);
  const auto& sparse = std::get<SparseMatrix>(found.matrix);
  const auto& dense = std::get<DenseMatrix>(features.matrix);
  const auto values = sparse.column_values(1);
  ASSERT_EQ(values.size(), 40U);
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_EQ(values[i], dense.column(1)[i]);
}

TEST(EngineForm, there_and_back_gives_the_same_features) {
  DenseMatrix matrix = word_counts(50, 8);
  std::ranges::fill(matrix.column(2), 0.0);
  std::ranges::fill(matrix.column(5), 4.0);
  for (const Centering centering : {Centering::none, Centering::mean}) {
    const UnitFeatures features = normalise(matrix, {centering});
    UnitFeatures there;
    UnitFeatures back;
    const auto& found =
        in_engine_form(in_engine_form(features, Engine::sparse, there), Engine::stream, back);
    EXPECT_TRUE(found.shift.empty());
    EXPECT_EQ(found.kind, features.kind);
    for (Index k = 0; k < 8; ++k) {
      for (Index i = 0; i < 50; ++i) {
        ASSERT_NEAR(std::get<DenseMatrix>(found.matrix)(i, k),
                    std::get<DenseMatrix>(features.matrix)(i, k), kSameValue);
      }
    }
  }
}

TEST(EngineForm, the_plan_takes_the_sparse_engine_for_few_counts_centred_or_not) {
  DenseMatrix few(200, 30);
  for (Index k = 0; k < 30; ++k) few(k, k) = few(k + 100, k) = k + 1;
  const PursuitOptions options;
  for (const Centering centering : {Centering::none, Centering::mean}) {
    const UnitFeatures sparse = normalise(few, {centering});
    EXPECT_EQ(detail::plan_pursuit({sparse, sparse, options}, {}).engine, Engine::sparse);
    const UnitFeatures many = normalise(word_counts(200, 30), {centering});
    EXPECT_EQ(detail::plan_pursuit({many, many, options}, {}).engine, Engine::stream);
  }
}

TEST(EngineForm, counting_entries_ends_where_there_are_enough) {
  const UnitFeatures features = normalise(testing::random_matrix(10, 100, 1), {});
  EXPECT_EQ(n_sparse_entries(features), 1000);
  EXPECT_EQ(n_sparse_entries(features, 25), 30);
}

}  // namespace
}  // namespace sfg
