// The smallest tables, copies, equal predictions, ends of the ridges, every way to lack rank:
// against long double, and with nothing but numbers in the results.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "helpers.hpp"
#include "predict/ridge_factor.hpp"
#include "predict/ridge_on_few.hpp"
#include "reference.hpp"
#include "sfg/equations.hpp"
#include "sfg/model.hpp"
#include "sfg/pipeline.hpp"
#include "sfg/predict.hpp"

namespace sfg {
namespace {

using testing::centred;
using testing::random_matrix;
using testing::table_of;

using Long = long double;
using Rows = std::vector<std::vector<Long>>;

// --- tables at the edges -------------------------------------------------------------------------

struct EdgeTable {
  const char* name;
  DenseMatrix (*make)();
};

void PrintTo(const EdgeTable& table, std::ostream* out) {
  *out << table.name;
}

DenseMatrix from_columns(const std::vector<std::vector<double>>& columns) {
  DenseMatrix matrix(static_cast<Index>(columns.front().size()),
                     static_cast<Index>(columns.size()));
  for (std::size_t j = 0; j < columns.size(); ++j) {
    std::ranges::copy(columns[j], matrix.column(static_cast<Index>(j)).begin());
  }
  return matrix;
}

DenseMatrix three_by_two() {
  return from_columns({{1, 2, 4}, {-1, 5, 0.5}});
}

/// All features lie on one line.
DenseMatrix of_rank_one() {
  DenseMatrix matrix = random_matrix(9, 5, 1);
  for (Index j = 1; j < 5; ++j) {
    for (Index i = 0; i < 9; ++i) matrix(i, j) = (j - 2.5) * matrix(i, 0) + j;
  }
  return matrix;
}

DenseMatrix of_copies() {
  DenseMatrix matrix = random_matrix(12, 6, 2);
  for (Index j = 3; j < 6; ++j) std::ranges::copy(matrix.column(j - 3), matrix.column(j).begin());
  return matrix;
}

/// Fewer samples than features: any feature is a sum of the others.
DenseMatrix wide() {
  return random_matrix(6, 20, 3);
}

/// As many features as directions, and one more.
DenseMatrix of_exact_rank() {
  DenseMatrix matrix = random_matrix(6, 6, 4);
  return matrix;
}

/// Two samples are the same in all features.
DenseMatrix with_equal_samples() {
  DenseMatrix matrix = random_matrix(8, 5, 5);
  for (Index j = 0; j < 5; ++j) matrix(7, j) = matrix(2, j);
  return matrix;
}

/// Nobody predicts anybody: orthogonal columns, all alike.
DenseMatrix orthogonal() {
  DenseMatrix matrix(8, 7);
  for (Index j = 0; j < 7; ++j) {
    for (Index i = 0; i < 8; ++i) {
      matrix(i, j) = __builtin_popcount(static_cast<unsigned>(i & (j + 1))) % 2 == 0 ? 1 : -1;
    }
  }
  return matrix;
}

/// A feature that varies in one sample only, which no other sample tells of.
DenseMatrix with_single_values() {
  DenseMatrix matrix = random_matrix(7, 4, 6);
  std::ranges::fill(matrix.column(1), 0.0);
  matrix(3, 1) = 1;
  std::ranges::fill(matrix.column(2), 2.0);
  return matrix;
}

DenseMatrix scaled(DenseMatrix matrix, double factor) {
  for (Index j = 0; j < matrix.n_features(); ++j) {
    for (double& value : matrix.column(j)) value *= factor;
  }
  return matrix;
}
DenseMatrix tiny() {
  return scaled(of_copies(), 1e-300);
}
DenseMatrix huge() {
  return scaled(of_copies(), 1e300);
}
DenseMatrix tiny_and_huge() {
  DenseMatrix matrix = of_copies();
  for (double& value : matrix.column(1)) value *= 1e300;
  for (double& value : matrix.column(3)) value *= 1e-300;
  for (double& value : matrix.column(5)) value *= 1e-300;
  return matrix;
}

class Edges : public ::testing::TestWithParam<EdgeTable> {
 protected:
  const DenseMatrix data_ = GetParam().make();
  const UnitFeatures features_ = centred(data_);
  const std::vector<Index> regular_ = regular_features(features_);
};

INSTANTIATE_TEST_SUITE_P(
    Tables, Edges,
    ::testing::Values(EdgeTable{"three_by_two", three_by_two},
                      EdgeTable{"of_rank_one", of_rank_one}, EdgeTable{"of_copies", of_copies},
                      EdgeTable{"wide", wide}, EdgeTable{"of_exact_rank", of_exact_rank},
                      EdgeTable{"with_equal_samples", with_equal_samples},
                      EdgeTable{"orthogonal", orthogonal},
                      EdgeTable{"with_single_values", with_single_values}, EdgeTable{"tiny", tiny},
                      EdgeTable{"huge", huge}, EdgeTable{"tiny_and_huge", tiny_and_huge}),
    [](const auto& info) { return std::string(info.param.name); });

// --- references in long double -------------------------------------------------------------------

/// Columns of unit length around their means, of data on any scale.
Rows unit_columns(const DenseMatrix& data, std::span<const Index> chosen) {
  Rows columns;
  for (const Index j : chosen) {
    const auto values = data.column(j);
    std::vector<Long> column(values.begin(), values.end());
    const Long mean = std::accumulate(column.begin(), column.end(), Long{0}) / column.size();
    Long square = 0;
    for (Long& value : column) {
      value -= mean;
      square += value * value;
    }
    for (Long& value : column) value /= std::sqrt(square);
    columns.push_back(std::move(column));
  }
  return columns;
}

/// a x = b for several b (rows of `right`), by elimination with pivots.
Rows solved(Rows a, Rows right) {
  const std::size_t n = a.size();
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k; i < n; ++i) {
      if (std::fabs(a[i][k]) > std::fabs(a[pivot][k])) pivot = i;
    }
    std::swap(a[k], a[pivot]);
    for (auto& b : right) std::swap(b[k], b[pivot]);
    for (std::size_t i = k + 1; i < n; ++i) {
      const Long factor = a[i][k] / a[k][k];
      for (std::size_t j = k; j < n; ++j) a[i][j] -= factor * a[k][j];
      for (auto& b : right) b[i] -= factor * b[k];
    }
  }
  for (auto& b : right) {
    for (std::size_t k = n; k-- > 0;) {
      for (std::size_t j = k + 1; j < n; ++j) b[k] -= a[k][j] * b[j];
      b[k] /= a[k][k];
    }
  }
  return right;
}

/// R^2 of a target from predictors, each sample left out in turn: a ridge regression with a free
/// intercept on the others, anew.
Long left_out_r2(const Rows& columns, std::span<const std::size_t> predictors, std::size_t target,
                 Long ridge) {
  const std::size_t n = columns[target].size();
  Long error = 0;
  Long total = 0;
  for (std::size_t left = 0; left < n; ++left) {
    const auto deviations = [&](std::size_t j) {
      std::vector<Long> column = columns[j];
      const Long mean =
          (std::accumulate(column.begin(), column.end(), Long{0}) - column[left]) / (n - 1);
      for (Long& value : column) value -= mean;
      return column;
    };
    std::vector<std::vector<Long>> z;
    for (const std::size_t j : predictors) z.push_back(deviations(j));
    const std::vector<Long> t = deviations(target);
    Rows products(z.size(), std::vector<Long>(z.size(), 0));
    std::vector<Long> with_target(z.size(), 0);
    for (std::size_t a = 0; a < z.size(); ++a) {
      for (std::size_t i = 0; i < n; ++i) {
        if (i == left) continue;
        for (std::size_t b = 0; b < z.size(); ++b) products[a][b] += z[a][i] * z[b][i];
        with_target[a] += z[a][i] * t[i];
      }
      products[a][a] += ridge;
    }
    Long rest = t[left];
    total += rest * rest;
    if (!z.empty()) {
      const auto weights = solved(products, {with_target}).front();
      for (std::size_t a = 0; a < z.size(); ++a) rest -= weights[a] * z[a][left];
    }
    error += rest * rest;
  }
  return 1 - error / total;
}

/// How many columns are left when those that lie in the span of earlier ones go.
std::size_t rank_of(Rows columns) {
  std::size_t rank = 0;
  for (;;) {
    const auto square = [](const std::vector<Long>& v) {
      return std::inner_product(v.begin(), v.end(), v.begin(), Long{0});
    };
    const auto longest = std::ranges::max_element(columns, {}, square);
    const Long length = longest == columns.end() ? 0 : std::sqrt(square(*longest));
    if (length < 1e-12L) return rank;
    ++rank;
    std::vector<Long> direction = *longest;
    for (Long& value : direction) value /= length;
    for (auto& column : columns) {
      const Long product =
          std::inner_product(column.begin(), column.end(), direction.begin(), Long{0});
      for (std::size_t i = 0; i < column.size(); ++i) column[i] -= product * direction[i];
    }
  }
}

// --- predictions ---------------------------------------------------------------------------------

/// Doubles have 16 digits, of which the smallest ridge (1e-6) takes six, twice.
constexpr double kLeftOutRounding = 1e-8;

TEST_P(Edges, predictability_is_that_of_long_double) {
  const Predictability known = predictability(features_);
  const Rows columns = unit_columns(data_, regular_);
  ASSERT_EQ(known.r2.size(), static_cast<std::size_t>(data_.n_features()));
  for (std::size_t k = 0; k < regular_.size(); ++k) {
    std::vector<std::size_t> others;
    for (std::size_t j = 0; j < regular_.size(); ++j) {
      if (j != k) others.push_back(j);
    }
    const double wanted = static_cast<double>(left_out_r2(columns, others, k, known.ridge));
    EXPECT_NEAR(known.r2[regular_[k]], wanted, kLeftOutRounding * std::max(1.0, std::fabs(wanted)))
        << "feature " << regular_[k] << ", ridge " << known.ridge;
  }
}

TEST_P(Edges, predictions_of_features_outside_are_those_of_long_double_with_one_ridge_of_the_grid) {
  if (regular_.size() < 3) GTEST_SKIP() << "no two predictors";
  const std::vector<Index> predictors(regular_.begin(), regular_.end() - 1);
  const std::vector<Index> targets{regular_.back()};
  const auto found = leave_one_out_r2(features_, predictors, targets);
  const Rows columns = unit_columns(data_, regular_);
  std::vector<std::size_t> all(predictors.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  // The best ridge for this target alone.
  Long best = -1e30L;
  for (const double ridge : detail::ridge_grid()) {
    best = std::max(best, left_out_r2(columns, all, all.size(), ridge));
  }
  EXPECT_NEAR(found[0], static_cast<double>(best),
              kLeftOutRounding * std::max(1.0, std::fabs(found[0])));
}

/// B = (Z Z' + ridge I)^-1 of all regular features, and its diagonal without the mean.
TEST_P(Edges, ridge_factors_at_both_ends_of_the_grid_are_those_of_long_double) {
  const detail::RidgeFactor factor(features_, regular_, {});
  const Rows columns = unit_columns(data_, regular_);
  const auto n = static_cast<std::size_t>(data_.n_samples());
  for (const double ridge : {detail::ridge_grid().front(), detail::ridge_grid().back()}) {
    Rows a(n, std::vector<Long>(n, 0));
    Rows identity = a;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        for (const auto& column : columns) a[i][j] += column[i] * column[j];
      }
      a[i][i] += ridge;
      identity[i][i] = 1;
    }
    const Rows inverse = solved(a, identity);
    const std::vector<double> diagonal = factor.diagonal(ridge);
    std::vector<double> target(n), projected(factor.rank()), scaled(factor.rank()), out(n);
    detail::gather(features_, std::span(regular_).first(1), target.data());
    factor.project(target.data(), 1, projected.data());
    factor.apply(ridge, target.data(), projected.data(), 1, scaled.data(), out.data());
    for (std::size_t i = 0; i < n; ++i) {
      Long wanted = 0;
      for (std::size_t j = 0; j < n; ++j) wanted += inverse[i][j] * columns[0][j];
      EXPECT_NEAR(out[i] * ridge, static_cast<double>(wanted * ridge), kLeftOutRounding);
      const Long free = inverse[i][i] - 1 / (static_cast<Long>(n) * ridge);
      EXPECT_NEAR(diagonal[i] * ridge, static_cast<double>(free * ridge), kLeftOutRounding);
    }
  }
}

TEST_P(Edges, ridges_on_few_columns_leave_each_sample_out_as_long_double_does) {
  constexpr std::size_t kFew = 3;
  const Rows columns = unit_columns(data_, regular_);
  const std::size_t count = std::min(kFew, columns.size() - 1);
  std::vector<std::size_t> predictors(count);
  std::iota(predictors.begin(), predictors.end(), std::size_t{0});
  std::vector<std::vector<double>> values;
  for (const auto& column : columns) values.emplace_back(column.begin(), column.end());
  std::vector<const double*> few;
  for (const std::size_t j : predictors) few.push_back(values[j].data());
  for (const double ridge : {detail::ridge_grid().front(), 0.1, detail::ridge_grid().back()}) {
    detail::RidgeOnFew regression(values.back().data(), few, {}, values.back().size());
    ASSERT_TRUE(regression.solve(count, ridge));
    const Long wanted = left_out_r2(columns, predictors, columns.size() - 1, ridge);
    EXPECT_NEAR(regression.left_out_r2(), static_cast<double>(wanted),
                kLeftOutRounding * std::max(Long{1}, std::fabs(wanted)))
        << ridge;
  }
}

// --- rank ----------------------------------------------------------------------------------------

TEST_P(Edges, with_samples_enough_as_many_features_stay_as_the_rank_says) {
  // Each sample four times over: the same rank, and samples enough to tell sums from chance.
  const Index n = data_.n_samples();
  const Index n_copies = 4 * data_.n_features() / n + 4;
  DenseMatrix longer(n * n_copies, data_.n_features());
  for (Index j = 0; j < data_.n_features(); ++j) {
    for (Index i = 0; i < longer.n_samples(); ++i) longer(i, j) = data_(i % n, j);
  }
  const UnitFeatures features = centred(longer);
  const auto equations = find_equations(features, {}, {});
  for (const Equation& one : equations) {
    EXPECT_TRUE(std::isfinite(one.residual) && std::isfinite(one.combination.intercept));
    for (const Term& term : one.combination.terms) EXPECT_TRUE(std::isfinite(term.coefficient));
  }
  const std::size_t rank = rank_of(unit_columns(longer, regular_features(features)));
  EXPECT_EQ(regular_.size() - equations.size(), rank);
}

// --- nothing but numbers -------------------------------------------------------------------------

bool is_r2(double value) {
  return value >= 0 && value <= 1;
}

TEST_P(Edges, every_grouping_gives_nothing_but_numbers) {
  const Dataset dataset = table_of(data_);
  for (const GroupingKind kind : {GroupingKind::compact, GroupingKind::components,
                                  GroupingKind::cover, GroupingKind::pairwise}) {
    MethodOptions options;
    options.grouping = usual_grouping(kind);
    const MethodResult result = reduce(dataset, options);
    const Reduction& reduction = result.reduction;
    EXPECT_TRUE(is_r2(reduction.mean_r2)) << reduction.mean_r2;
    for (const RemovedFeature& one : reduction.removed) {
      EXPECT_TRUE(is_r2(one.r2) && is_r2(one.combination.r2)) << one.r2;
      EXPECT_TRUE(std::isfinite(one.combination.intercept));
      for (const Term& term : one.combination.terms) EXPECT_TRUE(std::isfinite(term.coefficient));
      EXPECT_TRUE(std::isfinite(one.held_out_r2.value_or(0)));
    }
    EXPECT_EQ(reduction.kept.size() + reduction.removed.size(), dataset.feature_names.size());
    // JSON writes null for what is no number, and cannot be read back.
    const Model model = make_model(dataset, options, result, Missing::refuse);
    const Model again = model_from_text(model_to_json(model), "again");
    EXPECT_EQ(again.reduction.kept, reduction.kept);
  }
}

}  // namespace
}  // namespace sfg
