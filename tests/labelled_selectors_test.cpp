// What all selectors that look at labels have in common.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "helpers.hpp"
#include "reference.hpp"
#include "sampling.hpp"
#include "slow_selectors.hpp"

namespace sfg {
namespace {

using testing::by;
using testing::classes_by;
using testing::classes_of;
using testing::discrete_table;
using testing::expect_error;
using testing::feature_values;
using testing::labels_named;
using testing::random_matrix;
using testing::select_in;
using testing::slow_bins;
using testing::slow_uncertainty;
using testing::Values;
using testing::with_threads;

TEST(LabelledSelectors, find_planted_features_among_noise_and_copies) {
  DenseMatrix x = random_matrix(120, 40, 8);
  std::vector<int> classes;
  for (Index i = 0; i < 120; ++i) {
    classes.push_back(i % 4);
    x(i, 10) += 4 * (i % 2);
    x(i, 20) += 4 * ((i / 2) % 2);
    x(i, 30) = x(i, 10);
  }
  for (const SelectMethod method : {SelectMethod::mrmr, SelectMethod::fcbf}) {
    auto found = select_in(x, classes, by(method, {2})).selections[0]->features;
    std::ranges::sort(found);
    EXPECT_EQ(found, (std::vector<Index>{10, 20})) << choice_name(method);
  }
  // Its tree has one edge of the copies at most, and that one is not cut.
  const auto fast = select_in(x, classes, by(SelectMethod::fast, {})).selections[0]->features;
  EXPECT_EQ(std::ranges::count(fast, 10), 1);
}

/// Long tables and wide ones; sanitizers make do with smaller ones of the same shapes.
std::vector<std::pair<Index, Index>> large_sizes() {
  if (testing::kSampled) return {{200, 60}, {60, 200}};
  return {{1000, 200}, {100, 2000}};
}

TEST(LabelledSelectors, counted_information_is_that_of_maps) {
  const DenseMatrix x = discrete_table(70, 6, 4, 17);
  for (Index a = 0; a < 6; ++a) {
    for (Index b = 0; b < 6; ++b) {
      const Values left = feature_values(x, a);
      const Values right = feature_values(x, b);
      EXPECT_NEAR(
          testing::counted_information(testing::coded_values(left), testing::coded_values(right)),
          testing::slow_information(left, right), 1e-12);
    }
  }
}

TEST(LabelledSelectors, mrmr_picks_what_its_definition_says_on_long_and_on_wide_tables) {
  constexpr Index kPicks = 40;
  for (const auto& [n, d] : large_sizes()) {
    const DenseMatrix x = discrete_table(n, d, 4, 21);
    const auto classes = classes_by(x, 21);
    const auto found = select_in(x, classes, by(SelectMethod::mrmr, {kPicks}));
    EXPECT_EQ(
        found.selections[0]->features,
        testing::slow_mrmr(testing::columns_of(x), testing::numbers_of(classes), false, kPicks));
  }
}

TEST(LabelledSelectors,
     fcbf_keeps_and_removes_what_its_definition_says_on_long_and_on_wide_tables) {
  for (const auto& [n, d] : large_sizes()) {
    const DenseMatrix x = discrete_table(n, d, 3, 22);
    const auto classes = classes_by(x, 22);
    const auto found = select_in(x, classes, by(SelectMethod::fcbf, {}));
    std::map<Index, Index> removed_by;
    EXPECT_EQ(
        found.selections[0]->features,
        testing::slow_fcbf(testing::columns_of(x), testing::numbers_of(classes), 0, removed_by));
    ASSERT_EQ(found.removed.size(), removed_by.size());
    for (const Superseded& one : found.removed) EXPECT_EQ(one.by, removed_by.at(one.feature));
  }
}

TEST(LabelledSelectors, fast_keeps_what_all_pairs_and_the_cut_rule_say_on_long_and_on_wide_tables) {
  for (const auto& [n, d] : large_sizes()) {
    const DenseMatrix x = discrete_table(n, d, 3, 23);
    const auto classes = classes_by(x, 23);
    const auto found = select_in(x, classes, by(SelectMethod::fast, {})).selections[0]->features;
    const auto expected = testing::slow_fast(testing::columns_of(x), testing::numbers_of(classes));
    EXPECT_EQ(std::set<Index>(found.begin(), found.end()), expected) << n << " x " << d;
  }
}

TEST(LabelledSelectors, give_the_same_for_sparse_data_and_any_number_of_threads) {
  DenseMatrix x = discrete_table(50, 300, 3, 4);
  detail::Random random(3);
  for (Index j = 100; j < 300; ++j) {
    for (double& value : x.column(j)) value = random.below(3) == 0 ? random.normal() : 0.0;
  }
  const auto classes = classes_by(x, 4);
  const Target target = classes_of(classes);
  for (const SelectMethod method : {SelectMethod::mrmr, SelectMethod::fcbf, SelectMethod::fast}) {
    const SelectOptions options = by(method, {20});
    const auto expected = select_best(normalise(x, {}), target, options, with_threads(1));
    const auto threaded = select_best(normalise(x, {}), target, options, with_threads(3));
    const auto sparse = select_best(normalise(to_sparse(x), {}), target, options, with_threads(2));
    EXPECT_EQ(threaded.scores, expected.scores) << choice_name(method);
    EXPECT_EQ(sparse.scores, expected.scores) << choice_name(method);
    EXPECT_EQ(sparse.selections[0]->features, expected.selections[0]->features);
  }
  SelectOptions options = by(SelectMethod::mrmr, {20});
  options.information.mrmr_scheme = MrmrScheme::fcq;
  EXPECT_EQ(select_best(normalise(x, {}), target, options).selections[0]->features,
            select_best(normalise(to_sparse(x), {}), target, options).selections[0]->features);
}

TEST(LabelledSelectors, leave_out_samples_without_a_label) {
  const DenseMatrix x = discrete_table(40, 10, 3, 9);
  const auto classes = classes_by(x, 9);
  Labels labels = labels_named("class", classes);
  std::vector<Index> known;
  std::vector<int> known_classes;
  for (Index i = 0; i < 40; ++i) {
    if (i % 5 == 3)
      labels.values[i] = "NA";
    else {
      known.push_back(i);
      known_classes.push_back(classes[i]);
    }
  }
  for (const SelectMethod method : {SelectMethod::mrmr, SelectMethod::fcbf, SelectMethod::fast}) {
    const auto found = select_best(normalise(x, {}), read_target(labels, 40), by(method, {3}));
    const auto expected =
        select_in(select_samples(Matrix(x), known), known_classes, by(method, {3}));
    EXPECT_EQ(found.scores, expected.scores) << choice_name(method);
    EXPECT_NE(found.labels_note.find("8 samples without a label"), std::string::npos);
  }
}

TEST(LabelledSelectors, put_numbers_as_labels_into_bins_and_say_so) {
  const DenseMatrix x = random_matrix(80, 6, 2);
  Labels labels{"weight", {}};
  Values numbers;
  for (Index i = 0; i < 80; ++i) {
    numbers.push_back(x(i, 4) + 0.1 * x(i, 1));
    labels.values.push_back(std::to_string(numbers.back()));
  }
  const Target target = read_target(labels, 80);
  const auto found = select_best(normalise(x, {}), target, by(SelectMethod::fcbf, {1}));
  EXPECT_EQ(found.selections[0]->features, std::vector<Index>{4});
  EXPECT_NE(found.labels_note.find("'weight' is a measurement"), std::string::npos);
  EXPECT_NEAR(found.scores[4],
              slow_uncertainty(slow_bins(feature_values(x, 4), 5), slow_bins(numbers, 5)), 1e-3);
}

TEST(LabelledSelectors, need_labels_and_five_samples_that_have_one) {
  const auto features = normalise(discrete_table(12, 5, 3, 1), {});
  for (const SelectMethod method : {SelectMethod::mrmr, SelectMethod::fcbf, SelectMethod::fast}) {
    expect_error(ErrorCode::invalid_option, {choice_name(method), "classes", "labels"},
                 [&] { (void)select_best(features, by(method, {2})); });
    const Labels few{"class", {"a", "b", "a", "b", "", "", "", "", "", "", "", ""}};
    expect_error(ErrorCode::degenerate_data, {"4 samples", "label"},
                 [&] { (void)select_best(features, read_target(few, 12), by(method, {2})); });
  }
  expect_error(ErrorCode::invalid_option, {"n_bins"}, [] {
    SelectOptions options = by(SelectMethod::mrmr, {2});
    options.information.n_bins = 256;
    check(options);
  });
  expect_error(ErrorCode::invalid_option, {"number"}, [] { check(by(SelectMethod::mrmr, {})); });
}

TEST(LabelledSelectors, never_score_a_constant_feature_nor_give_what_is_no_number) {
  DenseMatrix x = discrete_table(30, 9, 3, 12);
  const auto classes = classes_by(x, 12);
  std::ranges::fill(x.column(8), 0.0);
  for (const MrmrScheme scheme :
       {MrmrScheme::mid, MrmrScheme::miq, MrmrScheme::fcd, MrmrScheme::fcq}) {
    SelectOptions options = by(SelectMethod::mrmr, {9});
    options.information.mrmr_scheme = scheme;
    const auto found = select_in(x, classes, options);
    EXPECT_EQ(found.selections[0]->features[7], 4) << choice_name(scheme);
    EXPECT_EQ(found.selections[0]->features[8], 8) << choice_name(scheme);
    for (const double score : found.scores) EXPECT_FALSE(std::isnan(score));
  }
  for (const SelectMethod method : {SelectMethod::fcbf, SelectMethod::fast}) {
    const auto found = select_in(x, classes, by(method, {}));
    EXPECT_EQ(found.scores[4], 0);
    EXPECT_EQ(found.scores[8], 0);
    EXPECT_EQ(std::ranges::count(found.removed, -1, &Superseded::by) >= 2, true);
  }
}

}  // namespace
}  // namespace sfg
