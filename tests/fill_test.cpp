// What stands in gaps while the method works.
#include "sfg/fill.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "gaps.hpp"
#include "helpers.hpp"
#include "sfg/sfg.hpp"

namespace sfg {
namespace {

using testing::expect_error;
using testing::families;
using testing::with_holes;
using testing::with_threads;

/// The regression of the last round, solved by elimination, with the numbers that the report gives.
double slow_filling(const DenseMatrix& filled, const Gaps& gaps, Index target, Index sample,
                    const FillReport& report) {
  const UnitFeatures unit = normalise(Matrix(filled), {Centering::mean});
  std::vector<Index> others;
  for (Index j = 0; j < filled.n_features(); ++j) {
    if (j != target) others.push_back(j);
  }
  std::ranges::stable_sort(others, std::greater{},
                           [&](Index j) { return std::fabs(inner_product(unit, target, j)); });
  others.resize(
      std::min<std::size_t>(others.size(), static_cast<std::size_t>(report.n_neighbours)));
  const auto& f = std::get<DenseMatrix>(unit.matrix);
  std::vector<Index> rows;
  for (Index i = 0; i < filled.n_samples(); ++i) {
    if (!std::ranges::binary_search(gaps.of(target), i)) rows.push_back(i);
  }
  const std::size_t k = others.size();
  std::vector<double> centre(k, 0.0);
  double mean = 0;
  for (const Index i : rows) {
    mean += f(i, target) / static_cast<double>(rows.size());
    for (std::size_t j = 0; j < k; ++j)
      centre[j] += f(i, others[j]) / static_cast<double>(rows.size());
  }
  std::vector<std::vector<double>> system(k, std::vector<double>(k + 1, 0.0));
  for (std::size_t j = 0; j < k; ++j) system[j][j] = report.ridge;
  for (const Index i : rows) {
    for (std::size_t j = 0; j < k; ++j) {
      const double value = f(i, others[j]) - centre[j];
      for (std::size_t l = 0; l < k; ++l) system[j][l] += value * (f(i, others[l]) - centre[l]);
      system[j][k] += value * (f(i, target) - mean);
    }
  }
  for (std::size_t p = 0; p < k; ++p) {
    for (std::size_t j = 0; j < k; ++j) {
      if (j == p) continue;
      const double factor = system[j][p] / system[p][p];
      for (std::size_t l = p; l <= k; ++l) system[j][l] -= factor * system[p][l];
    }
  }
  double value = mean;
  for (std::size_t j = 0; j < k; ++j) {
    value += system[j][k] / system[j][j] * (f(sample, others[j]) - centre[j]);
  }
  double low = 1, high = -1;
  for (const Index i : rows) {
    low = std::min(low, f(i, target));
    high = std::max(high, f(i, target));
  }
  value = std::clamp(value, low, high);
  return unit.mean[target] + std::ldexp(value * unit.norm[target], unit.norm_exponent[target]);
}

TEST(Fill, is_a_fixed_point_of_ridge_regression_on_the_nearest_features) {
  const DenseMatrix holed = with_holes(families(90, 4, 21), 4, 8);
  Matrix matrix(holed);
  const auto gaps = find_gaps(matrix);
  const FillReport report = fill_gaps(matrix, *gaps);
  ASSERT_TRUE(report.converged);
  const auto& filled = std::get<DenseMatrix>(matrix);
  double error = 0;
  for (Index j = 0; j < holed.n_features(); ++j) {
    for (const Index i : gaps->of(j)) {
      const double difference = filled(i, j) - slow_filling(filled, *gaps, j, i, report);
      error += difference * difference;
    }
  }
  // The values are standard normal: a tolerance in deviations, with room for the neighbours' order.
  EXPECT_LT(std::sqrt(error / static_cast<double>(report.n_cells)), 0.02);
}

TEST(Fill, leaves_observed_values_and_stays_in_their_range) {
  const DenseMatrix holed = with_holes(families(40, 3, 5), 30, 2);
  Matrix matrix(holed);
  const auto gaps = find_gaps(matrix);
  fill_gaps(matrix, *gaps);
  const auto& filled = std::get<DenseMatrix>(matrix);
  for (Index j = 0; j < holed.n_features(); ++j) {
    double low = 1e300, high = -1e300;
    for (const double value : holed.column(j)) {
      if (std::isnan(value)) continue;
      low = std::min(low, value);
      high = std::max(high, value);
    }
    for (Index i = 0; i < 40; ++i) {
      if (!std::isnan(holed(i, j))) {
        EXPECT_EQ(filled(i, j), holed(i, j));
      }
      EXPECT_GE(filled(i, j), low - 1e-9);
      EXPECT_LE(filled(i, j), high + 1e-9);
    }
  }
}

TEST(Fill, finds_what_a_near_copy_knows) {
  const DenseMatrix whole = families(100, 5, 3);
  const DenseMatrix holed = with_holes(whole, 5, 3);
  Matrix matrix(holed);
  const auto gaps = find_gaps(matrix);
  const FillReport report = fill_gaps(matrix, *gaps);
  const auto& filled = std::get<DenseMatrix>(matrix);
  double error = 0, spread = 0;
  for (Index j = 0; j < whole.n_features(); ++j) {
    for (const Index i : gaps->of(j)) {
      error += std::pow(filled(i, j) - whole(i, j), 2);
      spread += std::pow(whole(i, j), 2);
    }
  }
  EXPECT_LT(error, 0.1 * spread);
  EXPECT_GT(report.left_out_r2, 0.9);
}

TEST(Fill, is_the_same_for_any_number_of_threads) {
  const DenseMatrix holed = with_holes(families(60, 6, 7), 15, 7);
  Matrix one(holed), three(holed);
  const auto gaps = find_gaps(one);
  fill_gaps(one, *gaps, with_threads(1));
  fill_gaps(three, *gaps, with_threads(3));
  const auto& a = std::get<DenseMatrix>(one);
  const auto& b = std::get<DenseMatrix>(three);
  for (Index j = 0; j < a.n_features(); ++j) {
    EXPECT_TRUE(std::ranges::equal(a.column(j), b.column(j)));
  }
}

TEST(Fill, refuses_a_table_beyond_the_memory_limit) {
  Matrix matrix(with_holes(families(60, 6, 7), 15, 7));
  const auto gaps = find_gaps(matrix);
  RunContext run;
  run.memory_limit = 1000;
  expect_error(ErrorCode::over_memory, {"gaps"}, [&] { fill_gaps(matrix, *gaps, run); });
}

}  // namespace
}  // namespace sfg
