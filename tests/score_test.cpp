#include "sfg/score.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "core/random.hpp"
#include "helpers.hpp"
#include "reference.hpp"

namespace sfg {
namespace {

using testing::expect_error;
using Labelling = std::vector<Index>;

LabelScores score(const Labelling& a, const Labelling& b) {
  return score_labels(std::span<const Index>(a), std::span<const Index>(b));
}

Labelling random_labels(std::size_t n, Index n_classes, std::uint64_t seed) {
  detail::Random random(seed);
  Labelling labels(n);
  for (Index& label : labels) {
    label = static_cast<Index>(random.below(static_cast<std::uint64_t>(n_classes)));
  }
  return labels;
}

/// I(A; B) / max(H(A), H(B)) as it is written in books, log base 2.
double reference_nmi(const Labelling& a, const Labelling& b) {
  std::map<Index, double> p_a;
  std::map<Index, double> p_b;
  std::map<std::pair<Index, Index>, double> p_ab;
  const double share = 1.0 / static_cast<double>(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    p_a[a[i]] += share;
    p_b[b[i]] += share;
    p_ab[{a[i], b[i]}] += share;
  }
  double information = 0;
  for (const auto& [pair, p] : p_ab) {
    information += p * std::log2(p / (p_a[pair.first] * p_b[pair.second]));
  }
  const auto entropy = [](const auto& shares) {
    double sum = 0;
    for (const auto& [label, p] : shares) sum -= p * std::log2(p);
    return sum;
  };
  const double larger = std::max(entropy(p_a), entropy(p_b));
  return larger < 1e-12 ? 1 : information / larger;
}

/// All one-to-one mappings tried: labels below `n_classes` on both sides.
double reference_acc(const Labelling& a, const Labelling& b, Index n_classes) {
  Labelling mapping(static_cast<std::size_t>(n_classes));
  std::iota(mapping.begin(), mapping.end(), Index{0});
  std::size_t best = 0;
  do {
    std::size_t matches = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      matches += mapping[a[i]] == b[i] ? 1 : 0;
    }
    best = std::max(best, matches);
  } while (std::ranges::next_permutation(mapping).found);
  return static_cast<double>(best) / static_cast<double>(a.size());
}

RC_GTEST_PROP(Scores, equal_the_textbook_formula_and_the_best_of_all_mappings, ()) {
  const auto n = *rc::gen::inRange<std::size_t>(1, 40);
  const auto n_a = *rc::gen::inRange<Index>(1, 7);
  const auto n_b = *rc::gen::inRange<Index>(1, 7);
  const auto seed = *rc::gen::arbitrary<std::uint32_t>();
  const Labelling a = random_labels(n, n_a, seed);
  const Labelling b = random_labels(n, n_b, seed + 1ULL);
  const LabelScores scores = score(a, b);
  RC_ASSERT(std::fabs(scores.nmi - reference_nmi(a, b)) < 1e-12);
  RC_ASSERT(std::fabs(scores.acc - reference_acc(a, b, std::max(n_a, n_b))) < 1e-12);
  const LabelScores other_way = score(b, a);
  RC_ASSERT(std::fabs(scores.nmi - other_way.nmi) < 1e-12);
  RC_ASSERT(scores.acc == other_way.acc);
}

RC_GTEST_PROP(Scores, do_not_depend_on_what_labels_are_called, ()) {
  const auto seed = *rc::gen::arbitrary<std::uint32_t>();
  const Labelling a = random_labels(50, 6, seed);
  const Labelling b = random_labels(50, 4, seed + 1ULL);
  std::vector<std::string> names;
  for (const Index label : b) names.push_back("class " + std::to_string((label * 7 + 3) % 11));
  const LabelScores expected = score(a, b);
  const LabelScores scores =
      score_labels(std::span<const std::string>(names), std::span<const Index>(a));
  RC_ASSERT(std::fabs(scores.nmi - expected.nmi) < 1e-12);
  RC_ASSERT(scores.acc == expected.acc);
  RC_ASSERT(
      score_labels(std::span<const std::string>(names), std::span<const std::string>(names)).nmi ==
      1);
}

TEST(Scores, are_exactly_one_for_equal_partitions_and_zero_information_for_independent_ones) {
  const LabelScores equal = score({0, 0, 1, 2, 2, 2}, {5, 5, 3, 1, 1, 1});
  EXPECT_EQ(equal.nmi, 1);
  EXPECT_EQ(equal.acc, 1);
  const LabelScores independent = score({0, 0, 1, 1}, {0, 1, 0, 1});
  EXPECT_NEAR(independent.nmi, 0, 1e-15);
  EXPECT_EQ(independent.acc, 0.5);
}

TEST(Scores, of_a_single_class_are_one_only_if_both_have_one) {
  EXPECT_EQ(score({1, 1, 1}, {4, 4, 4}).nmi, 1);
  EXPECT_EQ(score({1, 1, 1}, {4, 5, 4}).nmi, 0);
  EXPECT_EQ(score({1, 2, 1}, {4, 4, 4}).nmi, 0);
  EXPECT_NEAR(score({1, 2, 1}, {4, 4, 4}).acc, 2.0 / 3, 1e-15);
  EXPECT_EQ(score({7}, {9}).nmi, 1);
}

TEST(Scores, match_as_many_samples_as_possible_and_not_the_largest_pair_first) {
  // Matching the pair of 5 first leaves 1 + 5 samples matched, the other way round 4 + 4.
  Labelling a;
  Labelling b;
  const auto add = [&](Index label_a, Index label_b, int times) {
    a.insert(a.end(), static_cast<std::size_t>(times), label_a);
    b.insert(b.end(), static_cast<std::size_t>(times), label_b);
  };
  add(0, 0, 5);
  add(0, 1, 4);
  add(1, 0, 4);
  add(1, 1, 1);
  EXPECT_DOUBLE_EQ(score(a, b).acc, 8.0 / 14);
}

TEST(Scores, of_thousands_of_clusters_are_quick_and_right) {
  Labelling a(4000);
  std::iota(a.begin(), a.end(), Index{0});
  Labelling b = a;
  std::ranges::reverse(b);
  EXPECT_EQ(score(a, b).acc, 1);
  EXPECT_EQ(score(a, b).nmi, 1);
  EXPECT_EQ(score(a, Labelling(4000, 1)).acc, 1.0 / 4000);
}

TEST(Scores, need_labels_of_the_same_samples) {
  expect_error(ErrorCode::inconsistent_input, {"3", "2", "same samples"}, [] {
    (void)score({1, 2, 3}, {1, 2});
  });
  expect_error(ErrorCode::degenerate_data, {"no labels"}, [] { (void)score({}, {}); });
}

}  // namespace
}  // namespace sfg
