#include "report/page_values.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "reference.hpp"

namespace sfg {
namespace {

using detail::codes_of;
using detail::page_classes;
using detail::page_values;
using detail::PageClasses;
using detail::PageValues;
using testing::random_matrix;

constexpr std::uint64_t kPageSeed = 7;

PageValues values_of(const Matrix& data) {
  return page_values(normalise(data, {Centering::mean}), kPageSeed);
}

/// The value that the page reads from a code.
double read_value(const PageValues& values, Index feature, std::size_t place) {
  const std::size_t n = values.samples.size();
  const double share = values.codes[feature * n + place] / detail::kPageValueSteps;
  const double low = values.low[feature];
  const double high = values.high[feature];
  return low + share * (high - low);
}

TEST(PageValues, are_those_of_the_data_but_for_a_step_of_their_range) {
  const DenseMatrix data = random_matrix(40, 12, 3);
  const PageValues values = values_of(Matrix(data));
  ASSERT_EQ(values.samples.size(), 40U);
  for (Index feature = 0; feature < 12; ++feature) {
    const double step = (values.high[feature] - values.low[feature]) / detail::kPageValueSteps;
    for (std::size_t k = 0; k < values.samples.size(); ++k) {
      EXPECT_NEAR(read_value(values, feature, k), data(values.samples[k], feature), 0.51 * step);
    }
  }
}

TEST(PageValues, are_the_same_of_a_sparse_table) {
  DenseMatrix data = random_matrix(40, 12, 3);
  for (Index i = 0; i < 40; ++i) data(i, i % 12) = 0;
  const PageValues dense = values_of(Matrix(data));
  const PageValues sparse = values_of(Matrix(to_sparse(data)));
  EXPECT_EQ(dense.codes, sparse.codes);
  EXPECT_EQ(dense.samples, sparse.samples);
}

TEST(PageValues, of_many_samples_are_a_choice_that_the_seed_repeats) {
  const Matrix data(random_matrix(500, 3, 1));
  const PageValues values = values_of(data);
  EXPECT_EQ(values.samples.size(), 150U);
  EXPECT_TRUE(std::ranges::is_sorted(values.samples));
  EXPECT_NE(values.samples.back(), 149);
  EXPECT_EQ(values.samples, values_of(data).samples);
  EXPECT_EQ(values.codes.size(), 450U);
}

TEST(PageValues, are_left_out_where_a_page_cannot_carry_them) {
  EXPECT_EQ(values_of(Matrix(random_matrix(30, 15000, 1))).samples.size(), 20U);
  const PageValues none = values_of(Matrix(random_matrix(4, 19000, 1)));
  EXPECT_TRUE(none.samples.empty());
  EXPECT_TRUE(none.codes.empty());
}

TEST(PageValues, of_constant_and_of_huge_features_are_numbers) {
  DenseMatrix data = random_matrix(30, 3, 2);
  for (Index i = 0; i < 30; ++i) {
    data(i, 0) = 5;
    data(i, 1) *= 1e300;
  }
  const PageValues values = values_of(Matrix(data));
  EXPECT_EQ(values.low[0], 5);
  EXPECT_EQ(values.high[0], 5);
  EXPECT_EQ(values.low[1], -std::numeric_limits<float>::max());
  EXPECT_EQ(values.high[1], std::numeric_limits<float>::max());
  for (std::size_t k = 0; k < 30; ++k) EXPECT_TRUE(std::isfinite(read_value(values, 1, k)));
}

TEST(PageValues, of_an_equation_are_those_of_its_feature) {
  DenseMatrix data = random_matrix(40, 3, 4);
  for (Index i = 0; i < 40; ++i) data(i, 2) = 3 + 2 * data(i, 0) - data(i, 1);
  const UnitFeatures centred = normalise(Matrix(data), {Centering::mean});
  const PageValues values = page_values(centred, kPageSeed);
  const auto codes = codes_of({2, {{{0, 2}, {1, -1}}, 3, 1}, 0}, centred, values);
  ASSERT_EQ(codes.size(), values.samples.size());
  for (std::size_t k = 0; k < codes.size(); ++k) {
    EXPECT_NEAR(codes[k], values.codes[2 * codes.size() + k], 1);
  }
}

TEST(PageValues, of_gaps_are_told_and_count_for_no_range) {
  DenseMatrix data = random_matrix(40, 2, 6);
  data(7, 0) = 1000;
  UnitFeatures centred = normalise(Matrix(data), {Centering::mean});
  data(7, 0) = std::numeric_limits<double>::quiet_NaN();
  centred.gaps = find_gaps(Matrix(data));
  const PageValues values = page_values(centred, kPageSeed);
  ASSERT_EQ(values.samples.size(), 40U);
  EXPECT_EQ(values.codes[7], detail::kNoPageValue);
  EXPECT_EQ(std::ranges::count(values.codes, detail::kNoPageValue), 1);
  EXPECT_LT(values.high[0], 100);
}

TEST(PageClasses, are_named_where_colours_can_tell_them_apart) {
  const Labels labels{"kind", {"b", "a", "NA", "b"}};
  const PageClasses classes = page_classes(labels, {0, 1, 2});
  EXPECT_EQ(classes.names, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(classes.codes, (std::vector<std::uint8_t>{1, 0, detail::kNoClass}));
  Labels many{"id", {}};
  for (int k = 0; k < 9; ++k) many.values.push_back(std::to_string(k));
  EXPECT_TRUE(page_classes(many, {0}).names.empty());
  EXPECT_TRUE(page_classes({"one", {"x", "x"}}, {0}).names.empty());
}

}  // namespace
}  // namespace sfg
