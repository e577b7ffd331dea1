#include "sfg/classify.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "core/random.hpp"
#include "reference.hpp"
#include "score/linear_classifier.hpp"
#include "score/sample_points.hpp"
#include "sfg/error.hpp"

namespace sfg {
namespace {

using Texts = std::vector<std::string>;

/// Labels a, b, c, ... in turn.
Texts labels_in_turn(Index n, int n_classes) {
  Texts labels;
  for (Index i = 0; i < n; ++i) labels.emplace_back(1, static_cast<char>('a' + i % n_classes));
  return labels;
}

/// Features that tell the classes apart a little.
UnitFeatures noisy_classes(Index n, Index d, int n_classes, std::uint64_t seed) {
  DenseMatrix data = testing::random_matrix(n, d, seed);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < d; ++j) data(i, j) += (i + j) % n_classes == 0 ? 0.7 : 0;
  }
  return testing::centred(data);
}

std::vector<Index> all_of(const UnitFeatures& features) {
  return regular_features(features);
}

// --- the oracle: every fit from scratch
// -----------------------------------------------------------

/// Ridge with a free intercept, from the normal equations: the prediction for one sample.
double predict(const DenseMatrix& x, const std::vector<Index>& training,
               const std::vector<double>& y, double ridge, Index sample) {
  const Index d = x.n_features();
  const auto size = static_cast<std::size_t>(d) + 1;
  const auto value = [&](Index i, std::size_t k) {
    return k == size - 1 ? 1.0 : x(i, static_cast<Index>(k));
  };
  std::vector<std::vector<double>> a(size, std::vector<double>(size, 0.0));
  std::vector<double> b(size, 0.0);
  for (const Index i : training) {
    for (std::size_t k = 0; k < size; ++k) {
      b[k] += value(i, k) * y[i];
      for (std::size_t l = 0; l < size; ++l) a[k][l] += value(i, k) * value(i, l);
    }
  }
  for (std::size_t k = 0; k + 1 < size; ++k) a[k][k] += ridge;
  const auto w = testing::solve(a, b);
  double prediction = 0;
  for (std::size_t k = 0; k < size; ++k) prediction += w[k] * value(sample, k);
  return prediction;
}

std::vector<double> target_of(const ClassFolds& folds, Index class_number) {
  std::vector<double> y;
  for (const Index one : folds.classes) y.push_back(one == class_number ? 1 : -1);
  return y;
}

std::vector<Index> reference_linear(const DenseMatrix& x, const ClassFolds& folds) {
  double square = 0;
  for (Index k = 0; k < x.n_features(); ++k) {
    for (const double value : x.column(k)) square += value * value / x.n_samples();
  }
  const auto n_classes = static_cast<Index>(folds.names.size());
  std::vector<Index> predicted(folds.samples.size());
  for (int fold = 0; fold < folds.n_folds; ++fold) {
    const auto parts = detail::parts_of(folds, fold);
    double best = 0;
    double lowest = 1e300;
    for (const double factor : {1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0, 100.0}) {
      double error = 0;
      for (const Index left_out : parts.training) {
        std::vector<Index> others;
        std::ranges::copy_if(parts.training, std::back_inserter(others),
                             [&](Index i) { return i != left_out; });
        for (Index c = 0; c < n_classes; ++c) {
          const auto y = target_of(folds, c);
          error += std::pow(y[left_out] - predict(x, others, y, factor * square, left_out), 2);
        }
      }
      if (error < lowest) {
        lowest = error;
        best = factor * square;
      }
    }
    for (const Index i : parts.held_out) {
      double highest = -1e300;
      for (Index c = 0; c < n_classes; ++c) {
        const double value = predict(x, parts.training, target_of(folds, c), best, i);
        if (value > highest) {
          highest = value;
          predicted[i] = c;
        }
      }
    }
  }
  return predicted;
}

Index reference_vote(const DenseMatrix& x, const ClassFolds& folds, Index sample, std::size_t k) {
  std::vector<std::pair<double, Index>> others;
  for (Index i = 0; i < x.n_samples(); ++i) {
    if (folds.folds[i] == folds.folds[sample]) continue;
    double distance = 0;
    for (Index j = 0; j < x.n_features(); ++j) distance += std::pow(x(i, j) - x(sample, j), 2);
    others.emplace_back(distance, i);
  }
  std::ranges::sort(others);
  others.resize(std::min(k, others.size()));
  std::map<Index, int> votes;
  for (const auto& [distance, i] : others) ++votes[folds.classes[i]];
  return std::ranges::max_element(votes, {}, [](const auto& one) { return one.second; })->first;
}

void expect_as_reference(const UnitFeatures& features, const ClassFolds& folds) {
  const auto chosen = all_of(features);
  const Classification found = classify(features, chosen, folds);
  const DenseMatrix x = detail::values_of_samples(features, chosen, folds.samples);
  for (Index i = 0; i < x.n_samples(); ++i) {
    EXPECT_EQ(found.nearest_1[i], reference_vote(x, folds, i, 1)) << i;
    EXPECT_EQ(found.nearest_5[i], reference_vote(x, folds, i, 5)) << i;
  }
  EXPECT_EQ(found.linear, reference_linear(x, folds));
}

TEST(Classify, is_that_of_fits_from_scratch_with_fewer_features_than_samples) {
  const auto folds = class_folds(labels_in_turn(30, 3), {}).value();
  expect_as_reference(noisy_classes(30, 6, 3, 1), folds);
}

TEST(Classify, is_that_of_fits_from_scratch_with_more_features_than_samples) {
  const auto folds = class_folds(labels_in_turn(24, 2), {}).value();
  expect_as_reference(noisy_classes(24, 30, 2, 2), folds);
}

TEST(Classify, is_that_of_fits_from_scratch_where_some_samples_take_no_part) {
  Texts labels = labels_in_turn(28, 2);
  labels[3] = "";
  labels[10] = "alone";
  const auto folds = class_folds(labels, {}).value();
  expect_as_reference(noisy_classes(28, 5, 2, 3), folds);
  expect_as_reference(noisy_classes(28, 40, 2, 3), folds);
}

RC_GTEST_PROP(Classify, gives_the_same_by_samples_and_by_features, ()) {
  const auto n = *rc::gen::inRange<Index>(12, 40);
  const auto d = *rc::gen::inRange<Index>(2, 50);
  const auto n_classes = *rc::gen::inRange(2, 4);
  const auto seed = *rc::gen::inRange<std::uint64_t>(0, 1000);
  const UnitFeatures features = noisy_classes(n, d, n_classes, seed);
  const auto folds = class_folds(labels_in_turn(n, n_classes), {}).value();
  const auto chosen = all_of(features);
  const auto by_samples = detail::linear_by_samples(
      detail::products_of_samples(features, chosen, folds.samples, {}), folds, {});
  const auto by_features = detail::linear_by_features(
      detail::values_of_samples(features, chosen, folds.samples), folds, {});
  RC_ASSERT(by_samples == by_features);
}

TEST(Classify, coordinates_keep_the_distances_of_samples_also_where_these_are_copies) {
  DenseMatrix data = testing::random_matrix(12, 40, 4);
  for (Index j = 0; j < 40; ++j) data(7, j) = data(2, j);
  const UnitFeatures features = testing::centred(data);
  std::vector<Index> samples(12);
  std::iota(samples.begin(), samples.end(), Index{0});
  const DenseMatrix products = detail::products_of_samples(features, all_of(features), samples, {});
  const DenseMatrix points = detail::coordinates_of(products);
  EXPECT_LE(points.n_features(), 11);
  for (Index a = 0; a < 12; ++a) {
    for (Index b = 0; b < 12; ++b) {
      double product = 0;
      for (Index k = 0; k < points.n_features(); ++k) product += points(a, k) * points(b, k);
      EXPECT_NEAR(product, products(a, b), 1e-12);
    }
  }
}

TEST(Classify, is_the_same_for_every_number_of_threads) {
  RunContext one;
  one.threads = 1;
  RunContext three;
  three.threads = 3;
  const auto folds = class_folds(labels_in_turn(150, 4), {}).value();
  for (const Index d : {20, 700}) {
    const UnitFeatures features = noisy_classes(150, d, 4, 5);
    const auto expected = classify(features, all_of(features), folds, one);
    const auto found = classify(features, all_of(features), folds, three);
    EXPECT_EQ(found.linear, expected.linear);
    EXPECT_EQ(found.nearest_1, expected.nearest_1);
    EXPECT_EQ(found.nearest_5, expected.nearest_5);
  }
}

TEST(Classify, sparse_features_give_what_dense_ones_do) {
  DenseMatrix data = testing::random_matrix(40, 60, 6);
  for (Index j = 0; j < 60; ++j) {
    for (Index i = 0; i < 40; ++i) {
      if (data(i, j) < 0.5) data(i, j) = 0;
      if (i % 2 == 0 && j < 8) data(i, j) += 1;
    }
  }
  const auto folds = class_folds(labels_in_turn(40, 2), {}).value();
  const UnitFeatures dense = testing::centred(data);
  const UnitFeatures sparse = testing::centred(to_sparse(data));
  const auto expected = classify(dense, all_of(dense), folds);
  const auto found = classify(sparse, all_of(sparse), folds);
  EXPECT_EQ(found.linear, expected.linear);
  EXPECT_EQ(found.nearest_5, expected.nearest_5);
  EXPECT_GT(score(found, folds).linear, 0.9);
}

TEST(Classify, equal_distances_go_to_the_lowest_sample_and_equal_votes_to_the_first_class) {
  // Four places, three samples at each; all features are 0 or 1, so that distances tie.
  DenseMatrix data(12, 4);
  for (Index i = 0; i < 12; ++i) data(i, i / 3) = 1;
  const Texts labels{"b", "a", "b", "a", "b", "a", "b", "a", "b", "a", "b", "a"};
  const auto folds = class_folds(labels, {}).value();
  const UnitFeatures features = testing::centred(data);
  const auto found = classify(features, all_of(features), folds);
  for (Index i = 0; i < 12; ++i) {
    // At its own place or, where all of these are held out too, anywhere else: the lowest one.
    Index nearest = -1;
    for (Index k = 11; k >= 0; --k) {
      if (folds.folds[k] != folds.folds[i] && k / 3 == i / 3) nearest = k;
    }
    for (Index k = 11; k >= 0 && nearest < 0; --k) {
      const bool is_lowest = folds.folds[k] != folds.folds[i] &&
                             std::ranges::none_of(std::vector<Index>{0, 1, 2}, [&](Index low) {
                               return low < k && folds.folds[low] != folds.folds[i];
                             });
      if (is_lowest) nearest = k;
    }
    EXPECT_EQ(found.nearest_1[i], folds.classes[nearest]) << i;
  }
}

TEST(Classify, chance_level_is_reached_where_features_say_nothing) {
  const auto folds = class_folds(labels_in_turn(300, 2), {}).value();
  const UnitFeatures noise = testing::centred(testing::random_matrix(300, 50, 8));
  const auto scores = score(classify(noise, all_of(noise), folds), folds);
  EXPECT_NEAR(scores.nearest_1, 0.5, 0.1);
  EXPECT_NEAR(scores.linear, 0.5, 0.1);
  EXPECT_NEAR(scores.mean(), (scores.nearest_1 + scores.nearest_5 + scores.linear) / 3, 1e-12);
}

// --- folds ---------------------------------------------------------------------------------------

TEST(ClassFolds, spread_every_class_and_all_samples_evenly) {
  Texts labels = labels_in_turn(43, 3);
  const auto folds = class_folds(labels, {}).value();
  ASSERT_EQ(folds.n_folds, 5);
  for (Index c = 0; c < 3; ++c) {
    std::map<int, int> sizes;
    for (int fold = 0; fold < 5; ++fold) sizes[fold] = 0;
    for (std::size_t i = 0; i < 43; ++i) sizes[folds.folds[i]] += folds.classes[i] == c ? 1 : 0;
    const auto [low, high] =
        std::minmax_element(sizes.begin(), sizes.end(),
                            [](const auto& a, const auto& b) { return a.second < b.second; });
    EXPECT_LE(high->second - low->second, 1);
  }
  std::map<int, int> sizes;
  for (const int fold : folds.folds) ++sizes[fold];
  const auto [low, high] = std::minmax_element(
      sizes.begin(), sizes.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  EXPECT_LE(high->second - low->second, 1);
  for (std::size_t i = 0; i < 43; ++i) {
    EXPECT_EQ(folds.names[folds.classes[i]], labels[folds.samples[i]]);
  }
}

TEST(ClassFolds, a_class_of_two_always_has_one_among_the_training_samples) {
  Texts labels(20, "many");
  labels[4] = labels[9] = "few";
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    RunContext run;
    run.seed = seed;
    const auto folds = class_folds(labels, {}, run).value();
    EXPECT_NE(folds.folds[4], folds.folds[9]);
  }
}

TEST(ClassFolds, depend_on_the_seed_alone) {
  RunContext other;
  other.seed = 2;
  const Texts labels = labels_in_turn(50, 2);
  EXPECT_EQ(class_folds(labels, {}).value().folds, class_folds(labels, {}).value().folds);
  EXPECT_NE(class_folds(labels, {}).value().folds, class_folds(labels, {}, other).value().folds);
}

TEST(ClassFolds, need_two_classes_of_two_samples) {
  EXPECT_FALSE(class_folds(Texts(10, "one"), {}));
  EXPECT_FALSE(class_folds(Texts{"a", "b", "c", "d"}, {}));
  EXPECT_FALSE(class_folds(Texts{"a", "a", "b", ""}, {}));
  EXPECT_FALSE(class_folds(Texts{}, {}));
  const auto folds = class_folds(Texts{"a", "a", "b", "b", "c", ""}, {});
  ASSERT_TRUE(folds);
  EXPECT_EQ(folds->samples, (std::vector<Index>{0, 1, 2, 3}));
  EXPECT_EQ(folds->n_single, 1);
  EXPECT_EQ(folds->n_unlabelled, 1);
  EXPECT_EQ(folds->n_folds, 4);
}

TEST(ClassFolds, take_the_words_for_a_missing_label_for_no_class) {
  const auto folds = class_folds(Texts{"a", "NA", "a", "b", "nan", "NA", "b", "nan"}, {});
  ASSERT_TRUE(folds);
  EXPECT_EQ(folds->names, (Texts{"a", "b"}));
  EXPECT_EQ(folds->n_unlabelled, 4);
}

TEST(ClassFolds, of_very_many_samples_take_a_share_of_every_class) {
  Texts labels(900, "many");
  labels.resize(1000, "some");
  labels.resize(1002, "few");
  ClassifyOptions options;
  options.most_samples = 100;
  const auto folds = class_folds(labels, options).value();
  std::vector<int> sizes(3, 0);
  for (const Index one : folds.classes) ++sizes[one];
  EXPECT_EQ(folds.names, (Texts{"few", "many", "some"}));
  EXPECT_EQ(sizes, (std::vector<int>{2, 89, 9}));
  EXPECT_TRUE(std::ranges::is_sorted(folds.samples));
  EXPECT_EQ(std::set(folds.samples.begin(), folds.samples.end()).size(), folds.samples.size());
}

TEST(ClassFolds, refuse_fewer_than_two_folds) {
  ClassifyOptions options;
  options.n_folds = 1;
  try {
    (void)class_folds(labels_in_turn(10, 2), options);
    FAIL() << "one fold is not a cross-validation";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_option);
  }
}

}  // namespace
}  // namespace sfg
