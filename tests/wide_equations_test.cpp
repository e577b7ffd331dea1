// Equations in tables with fewer than four samples per feature, equations as text, and a real
// table.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "equation_checks.hpp"
#include "helpers.hpp"
#include "reference.hpp"
#include "sfg/equations.hpp"
#include "sfg/synth.hpp"
#include "sfg/text.hpp"
#include "sfg/write.hpp"

namespace sfg {
namespace {

using testing::centred;
using testing::equations_of;
using testing::expect_true;
using testing::random_matrix;
using testing::removed_by;
using testing::texts;
using testing::with_threads;

/// Planted sums that are removed, of all; what else is removed must be a copy of a sum or a part.
struct Recovery {
  Index planted = 0;
  Index found = 0;
  Index others = 0;
};

Recovery recover(const SynthOptions& options, std::uint64_t seed) {
  const SynthResult made = synthesise(options, seed);
  const auto found = equations_of(made.dataset.matrix);
  const auto removed = removed_by(found);
  Recovery recovery;
  for (std::size_t i = 0; i < made.truth.size(); ++i) {
    const bool is_removed = std::ranges::binary_search(removed, static_cast<Index>(i));
    const bool is_sum = made.truth[i].kind == PlantedKind::combination;
    recovery.planted += is_sum ? 1 : 0;
    recovery.found += is_sum && is_removed ? 1 : 0;
    recovery.others += !is_sum && is_removed ? 1 : 0;
  }
  if (const auto* dense = std::get_if<DenseMatrix>(&made.dataset.matrix)) {
    expect_true(*dense, found);
  }
  return recovery;
}

TEST(Equations, sums_are_found_among_copies_and_noise) {
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    const Recovery wide = recover({.n_samples = 300, .n_features = 2000}, seed);
    EXPECT_GE(wide.found, 0.95 * wide.planted);
    EXPECT_EQ(wide.others, 0);
  }
  const Recovery long_one = recover({.n_samples = 800, .n_features = 1000}, 1);
  EXPECT_GE(long_one.found, 0.95 * long_one.planted);
  EXPECT_EQ(long_one.others, 0);
}

TEST(Equations, sums_in_wide_tables_respect_keep_and_threads) {
  DenseMatrix matrix = random_matrix(60, 100, 4);
  for (Index i = 0; i < 60; ++i) {
    matrix(i, 7) = matrix(i, 20) - matrix(i, 30) + 0.5 * matrix(i, 40);
    matrix(i, 8) = 3 * matrix(i, 7);
    matrix(i, 41) = -matrix(i, 40);
  }
  const auto found = equations_of(matrix, {}, {}, with_threads(1));
  EXPECT_EQ(removed_by(found), (std::vector<Index>{7, 8}));
  EXPECT_EQ(texts(equations_of(matrix, {}, {}, with_threads(4)), 100), texts(found, 100));
  const auto kept = equations_of(matrix, {.keep = {7}});
  ASSERT_EQ(kept.size(), 1U);
  EXPECT_EQ(kept[0].combination.terms[0].feature, 7);
  // The candidates may be given.
  EXPECT_EQ(removed_by(equations_of(matrix, {.candidates = {8}})), (std::vector<Index>{7, 8}));
  EXPECT_TRUE(equations_of(matrix, {.candidates = {50}}).empty());
  EXPECT_TRUE(equations_of(matrix, {}, {.max_equation_terms = 2}).empty());
  EXPECT_TRUE(equations_of(matrix, {}, {.equations = false}).empty());
}

TEST(Equations, rare_columns_that_add_up_by_accident_are_no_equation) {
  // 60 samples, 40 columns; x0 is 1 in two samples, x1 and x2 in one of them each.
  DenseMatrix matrix = random_matrix(60, 40, 4);
  for (const Index k : {0, 1, 2}) std::ranges::fill(matrix.column(k), 0.0);
  matrix(3, 0) = matrix(7, 0) = matrix(3, 1) = matrix(7, 2) = 1;
  EXPECT_TRUE(equations_of(matrix).empty());
}

TEST(Equations, too_few_samples_show_no_equation) {
  // Seven samples are too few for two terms, eight are enough.
  for (const Index n : {7, 8}) {
    DenseMatrix matrix = random_matrix(n, 6, 4);
    for (Index i = 0; i < n; ++i) matrix(i, 5) = matrix(i, 0) + matrix(i, 1);
    EXPECT_EQ(equations_of(matrix).size(), n == 8 ? 1U : 0U) << n;
  }
}

// --- as text ------------------------------------------------------------------------------------

TEST(Equations, the_table_has_names_for_unit_coefficients_and_no_false_digits) {
  Equation equation{2, {{{0, 1}, {1, -1}, {3, 0.45359237}, {4, 1.0 / 3}}, 32, 1}, 1e-15};
  EXPECT_EQ(equations_to_tsv({equation}, {"a", "b", "c\t", "d", "e"}),
            "feature\tequation\tn_terms\tresidual\n"
            "c\\t\ta - b + 0.45359237*d + 0.333333333*e + 32\t4\t1e-15\n");
  equation.combination.terms[0].coefficient = 1 + 1e-10;
  EXPECT_EQ(exact_text(equation.combination, {"a", "b", "c", "d", "e"}).substr(0, 5), "a - b");
  equation.combination.terms[0].coefficient = 1 + 1e-7;
  EXPECT_EQ(exact_text(equation.combination, {"a", "b", "c", "d", "e"}).substr(0, 11),
            "1.0000001*a");
}

TEST(Combination, terms_and_intercepts_that_rounding_left_are_dropped) {
  DenseMatrix matrix = random_matrix(40, 3, 1);
  for (double& value : matrix.column(1)) value = 1e6 * value + 1e6;
  const UnitFeatures unit = centred(matrix);
  Combination combination{{{0, 2.0}, {1, 1e-17}}, 1e-14, 1};
  drop_rounding(combination, unit, 2);
  ASSERT_EQ(combination.terms.size(), 1U);
  EXPECT_EQ(combination.terms[0].feature, 0);
  EXPECT_NE(combination.intercept, 0);  // 1e-11, what the term that went had left out
  // A small coefficient of a feature with large values is none.
  Combination small{{{0, 2.0}, {1, 1e-8}}, 0, 1};
  drop_rounding(small, unit, 2);
  EXPECT_EQ(small.terms.size(), 2U);
}

/// Cells of a comma-separated line without quotes.
std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::stringstream stream(line);
  for (std::string cell; std::getline(stream, cell, ',');) {
    if (cell.ends_with('\r')) cell.pop_back();
    cells.push_back(cell);
  }
  return cells;
}

/// The columns of numbers, missing cells as NaN.
Dataset numeric_columns(const std::filesystem::path& path) {
  std::ifstream in(path);
  std::string line;
  std::getline(in, line);
  const auto names = cells_of(line);
  std::vector<std::vector<double>> columns(names.size());
  std::vector<char> is_number(names.size(), 1);
  while (std::getline(in, line)) {
    auto cells = cells_of(line);
    cells.resize(names.size());
    for (std::size_t k = 0; k < names.size(); ++k) {
      const bool is_missing = cells[k].empty() || cells[k] == "NA";
      const auto value = is_missing ? std::nan("") : parse_number(cells[k]);
      if (!value) is_number[k] = 0;
      columns[k].push_back(value.value_or(0));
    }
  }
  Dataset data;
  std::vector<double> values;
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (is_number[k] == 0) continue;
    data.feature_names.push_back(names[k]);
    values.insert(values.end(), columns[k].begin(), columns[k].end());
  }
  const auto n = static_cast<Index>(columns[0].size());
  data.matrix = DenseMatrix(n, static_cast<Index>(data.feature_names.size()), std::move(values));
  return data;
}

TEST(Equations, ames_housing_has_its_two_totals) {
  Dataset data = numeric_columns(std::filesystem::path(SFG_TEST_DATA_FOLDER) / "AmesHousing.csv");
  ASSERT_EQ(n_features(data.matrix), 39);
  resolve_missing(data, Missing::mean);
  const auto found = equations_of(data.matrix);
  std::vector<std::string> equations;
  for (const Equation& one : found) {
    equations.push_back(data.feature_names[one.feature] + " = " +
                        exact_text(one.combination, data.feature_names));
  }
  EXPECT_EQ(equations,
            (std::vector<std::string>{"Total Bsmt SF = BsmtFin SF 1 + Bsmt Unf SF + BsmtFin SF 2",
                                      "GrLivArea = 2nd Flr SF + 1st Flr SF + Low Qual Fin SF"}));
}

}  // namespace
}  // namespace sfg
