// mRMR, FCBF and FAST against their definitions, written out.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

#include "helpers.hpp"
#include "reference.hpp"
#include "select/information.hpp"
#include "slow_selectors.hpp"

namespace sfg {
namespace {

using testing::by;
using testing::centred;
using testing::classes_by;
using testing::classes_of;
using testing::columns_of;
using testing::discrete_table;
using testing::feature_values;
using testing::kClose;
using testing::numbers_of;
using testing::random_matrix;
using testing::select_in;
using testing::slow_bins;
using testing::slow_fast;
using testing::slow_fcbf;
using testing::slow_information;
using testing::slow_mrmr;
using testing::slow_uncertainty;
using testing::Values;

RC_GTEST_PROP(Information, is_what_its_definition_says, ()) {
  const auto seed = *rc::gen::arbitrary<std::uint32_t>();
  const auto n = *rc::gen::inRange<Index>(5, 60);
  const DenseMatrix x = discrete_table(n, 6, 4, seed);
  const detail::Information information(x, 5, {});
  const std::vector<Index> all{0, 1, 2, 3, 4, 5};
  std::vector<double> shared(6);
  std::vector<double> uncertainty(6);
  const auto other = information.codes().variable(1);
  using Measure = detail::Information::Measure;
  information.measure(Measure::mutual_information, other, all, shared, {});
  information.measure(Measure::symmetric_uncertainty, other, all, uncertainty, {});
  for (const Index j : all) {
    const Values a = feature_values(x, j);
    RC_ASSERT(std::fabs(shared[j] - slow_information(a, feature_values(x, 1))) < kClose);
    RC_ASSERT(std::fabs(uncertainty[j] - slow_uncertainty(a, feature_values(x, 1))) < kClose);
  }
  const bool varies = !information.is_constant(1);
  RC_ASSERT(uncertainty[1] == (varies ? 1.0 : 0.0));
}

RC_GTEST_PROP(Bins, are_equally_full_and_equal_values_share_one, ()) {
  const auto seed = *rc::gen::arbitrary<std::uint32_t>();
  const auto n = *rc::gen::inRange<Index>(5, 80);
  const auto n_bins = *rc::gen::inRange(2, 12);
  DenseMatrix x = random_matrix(n, 1, seed);
  for (Index i = 0; i < n / 3; ++i) x(i, 0) = x(0, 0);
  const auto found = detail::coded(x.column(0), n_bins);
  const Values expected = slow_bins(feature_values(x, 0), n_bins);
  for (Index i = 0; i < n; ++i) {
    for (Index k = 0; k < n; ++k) {
      RC_ASSERT((found.codes[i] < found.codes[k]) == (expected[i] < expected[k]));
    }
  }
}

TEST(Bins, leave_few_different_values_as_they_are) {
  Values values;
  for (int i = 0; i < 40; ++i) values.push_back(i % 20 == 0 ? 100.0 : i % 20);
  EXPECT_EQ(detail::coded(values, 5).n_values, 20);
  values.push_back(0.5);
  EXPECT_LE(detail::coded(values, 5).n_values, 5);
}

RC_GTEST_PROP(Mrmr, picks_what_its_definition_says_on_discrete_features, ()) {
  const auto seed = *rc::gen::arbitrary<std::uint32_t>();
  const auto n = *rc::gen::inRange<Index>(20, 60);
  const DenseMatrix x = discrete_table(n, 15, 4, seed);
  const auto classes = classes_by(x, seed);
  SelectOptions options = by(SelectMethod::mrmr, {15, 4});
  for (const bool quotient : {false, true}) {
    options.information.mrmr_scheme = quotient ? MrmrScheme::miq : MrmrScheme::mid;
    const auto found = select_in(x, classes, options);
    const auto expected = slow_mrmr(columns_of(x), numbers_of(classes), quotient, 15);
    RC_ASSERT(found.selections[0]->features == expected);
    RC_ASSERT(found.selections[1]->features ==
              std::vector<Index>(expected.begin(), expected.begin() + 4));
    RC_ASSERT(found.selections[0]->features.back() == 7);  // the constant one
  }
}

TEST(Mrmr, takes_continuous_features_in_bins) {
  const DenseMatrix x = random_matrix(90, 12, 5);
  std::vector<int> classes;
  for (Index i = 0; i < 90; ++i) classes.push_back(x(i, 3) + 0.5 * x(i, 8) > 0 ? 1 : 0);
  std::vector<Values> binned;
  for (Index j = 0; j < 12; ++j) binned.push_back(slow_bins(feature_values(x, j), 5));
  const auto found = select_in(x, classes, by(SelectMethod::mrmr, {12}));
  EXPECT_EQ(found.selections[0]->features, slow_mrmr(binned, numbers_of(classes), false, 12));
  EXPECT_EQ(found.selections[0]->features[0], 3);
}

TEST(Mrmr, weighs_f_against_correlation_on_continuous_features) {
  const Index n = 60;
  DenseMatrix x = random_matrix(n, 8, 6);
  std::vector<int> classes;
  for (Index i = 0; i < n; ++i) {
    classes.push_back(i % 3);
    x(i, 2) += 2 * (i % 3);
    x(i, 5) += (i % 3) == 1 ? 1.5 : 0;
    x(i, 7) = x(i, 2) + 1e-3 * x(i, 7) + 4;  // nearly a copy
  }
  const auto unit = centred(x);
  const Target target = classes_of(classes);
  const auto share = target_scores(unit, target);
  for (const bool quotient : {false, true}) {
    SelectOptions options = by(SelectMethod::mrmr, {8});
    options.information.mrmr_scheme = quotient ? MrmrScheme::fcq : MrmrScheme::fcd;
    std::vector<Index> expected;
    while (expected.size() < 8) {
      Index best = -1;
      double highest = 0;
      for (Index j = 0; j < 8; ++j) {
        if (std::ranges::find(expected, j) != expected.end()) continue;
        double value = share[j] / 2 / ((1 - share[j]) / (n - 3));
        double redundancy = 0;
        for (const Index pick : expected) {
          redundancy +=
              std::fabs(inner_product(unit, j, pick)) / static_cast<double>(expected.size());
        }
        if (!expected.empty()) value = quotient ? value / redundancy : value - redundancy;
        if (best < 0 || value > highest) {
          best = j;
          highest = value;
        }
      }
      expected.push_back(best);
    }
    EXPECT_EQ(select_in(x, classes, options).selections[0]->features, expected);
    if (quotient) {
      EXPECT_EQ(expected[1], 5);
    }
  }
}

RC_GTEST_PROP(Fcbf, keeps_and_removes_what_its_definition_says, ()) {
  const auto seed = *rc::gen::arbitrary<std::uint32_t>();
  const auto n = *rc::gen::inRange<Index>(10, 60);
  const auto delta = *rc::gen::element(0.0, 0.05);
  const DenseMatrix x = discrete_table(n, 15, 3, seed);
  const auto classes = classes_by(x, seed);
  SelectOptions options = by(SelectMethod::fcbf, {});
  options.information.min_relevance = delta;
  const auto found = select_in(x, classes, options);
  std::map<Index, Index> removed_by;
  const auto expected = slow_fcbf(columns_of(x), numbers_of(classes), delta, removed_by);
  RC_ASSERT(found.selections[0]->features == expected);
  RC_ASSERT(found.removed.size() == removed_by.size());
  for (const Superseded& one : found.removed) {
    RC_ASSERT(one.by == removed_by.at(one.feature));
    RC_ASSERT(std::fabs(one.relevance - slow_uncertainty(feature_values(x, one.feature),
                                                         numbers_of(classes))) < kClose);
    if (one.by >= 0) RC_ASSERT(one.between >= one.relevance);
  }
}

TEST(Fcbf, keeps_one_of_copies_and_says_which_made_the_others_redundant) {
  DenseMatrix x = discrete_table(60, 8, 3, 3);
  std::vector<int> classes;
  for (Index i = 0; i < 60; ++i) {
    x(i, 5) = x(i, 0);
    x(i, 6) = 7 - x(i, 0);  // other names for the same values
    classes.push_back(i % 10 == 0 ? 1 : static_cast<int>(x(i, 0)));
  }
  const auto found = select_in(x, classes, by(SelectMethod::fcbf, {8, 1}));
  EXPECT_EQ(found.status, SelectStatus::few_features);
  for (const Index copy : {5, 6}) {
    const auto row = std::ranges::find(found.removed, copy, &Superseded::feature);
    ASSERT_NE(row, found.removed.end());
    EXPECT_EQ(row->by, 0);
    EXPECT_EQ(row->between, 1);
  }
  EXPECT_EQ(found.selections[0]->n_selected + static_cast<Index>(found.removed.size()), 8);
  EXPECT_EQ(found.selections[1]->features.size(), 1U);
}

RC_GTEST_PROP(Fast, keeps_what_all_pairs_and_the_cut_rule_say, ()) {
  const auto seed = *rc::gen::arbitrary<std::uint32_t>();
  // Continuous values in many bins: no two weights are equal, so the tree is the only one.
  DenseMatrix x = random_matrix(97, 12, seed);
  std::vector<int> classes;
  for (Index i = 0; i < 97; ++i) {
    classes.push_back(x(i, 0) + x(i, 1) > 0 ? 1 : 0);
    x(i, 2) = x(i, 0) + 0.3 * x(i, 2);
    x(i, 3) = x(i, 1) + 0.3 * x(i, 3);
  }
  std::vector<Values> binned;
  std::set<double> weights;
  for (Index j = 0; j < 12; ++j) binned.push_back(slow_bins(feature_values(x, j), 7));
  for (Index a = 0; a < 12; ++a) {
    for (Index b = 0; b < a; ++b)
      weights.insert(std::round(1e9 * slow_uncertainty(binned[a], binned[b])));
  }
  if (weights.size() < 66U) return;
  SelectOptions options = by(SelectMethod::fast, {});
  options.information.n_bins = 7;
  const auto found = select_in(x, classes, options);
  const auto& kept = found.selections[0]->features;
  RC_ASSERT(std::set<Index>(kept.begin(), kept.end()) == slow_fast(binned, numbers_of(classes)));
  RC_ASSERT(kept.size() + found.removed.size() == 12U);
}

}  // namespace
}  // namespace sfg
