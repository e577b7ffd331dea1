// Why a feature was kept or removed, in words.
#include <gtest/gtest.h>

#include "sfg/model.hpp"

namespace sfg {
namespace {

RemovedFeature removed(Index feature, Index representative, double r2) {
  RemovedFeature one;
  one.feature = feature;
  one.representative = representative;
  one.r2 = r2;
  return one;
}

/// a stands for {b}; c shares nothing; d = 2*a + 1 exactly; e is empty.
Model small_model() {
  Model model;
  model.feature_names = {"a", "{b}", "c", "d", "e"};
  model.reduction.groups = {{0, 0, 1, 2, 3}, {0, 2, 3, 4, 5}, {0, 1, 2, 3, 4}};
  model.reduction.representatives = {0, 2, 3, 4};
  model.reduction.kept = {0};
  RemovedFeature copy = removed(1, 0, 0.9876);
  copy.held_out_r2 = 0.5;
  copy.combination = {{{0, 3}}, 0, 0.75};
  RemovedFeature noise = removed(2, -1, 0);
  noise.reason = RemovalReason::unshared;
  RemovedFeature sum = removed(3, -1, 0);
  sum.combination = {{{0, 2}}, 1, 1};
  sum.reason = RemovalReason::exact;
  sum.certificate = CertificateKind::exact;
  RemovedFeature empty = removed(4, -1, 0);
  empty.reason = RemovalReason::no_variation;
  model.reduction.removed = {copy, noise, sum, empty};
  model.reduction.stand_ins = {{0, 1, 0.9876, 1, 1}};
  return model;
}

std::string text_of(const std::string& feature, const Model& model = small_model()) {
  return explanation_text(model, explain(model, feature), [](std::string_view field, auto value) {
    return std::string(field) + " is " + std::string(value);
  });
}

TEST(ExplanationText, a_removed_feature_is_told_with_what_replaces_it) {
  EXPECT_EQ(text_of("{b}"),
            "{b}: removed, a is kept instead (r2 0.9876)\n"
            "  the kept features predict 50.0 % of it on samples held out\n"
            "  3*a explains 75.0 % of it (in sample)\n"
            "  group of 2: a, {b}\n");
}

TEST(ExplanationText, a_kept_feature_is_told_with_its_stand_in) {
  EXPECT_EQ(text_of("a"),
            "a: kept, it stands for 1 other feature\n"
            "  if you cannot measure a, take {b}: r2 0.988\n"
            "  group of 2: a, {b}\n");
}

TEST(ExplanationText, options_are_spelt_as_the_caller_does) {
  EXPECT_EQ(text_of("c"),
            "c: removed, it shares nothing with the other features: noise, or unique\n"
            "  (unshared is keep keeps such features)\n");
}

TEST(ExplanationText, an_exact_sum_is_an_equation) {
  EXPECT_EQ(text_of("d"),
            "d: removed, it is an exact sum of other features\n"
            "  d = 2*a + 1\n");
}

TEST(ExplanationText, the_scale_and_the_batches_of_a_combination_are_told) {
  Model model = small_model();
  model.transform = Transform::rank;
  model.batch = "plate";
  EXPECT_EQ(text_of("d", model),
            "d: removed, it is an exact sum of other features\n"
            "  rank(d) = 2*rank(a) + 1\n"
            "  (within batches of 'plate': a constant differs from one to the other)\n");
}

TEST(ExplanationText, an_empty_feature_has_no_direction) {
  EXPECT_EQ(text_of("e"),
            "e: removed, it has no direction (all zero, or constant in centred data)\n");
}

TEST(ExplanationText, of_a_large_group_a_dozen_is_named) {
  Model model;
  model.reduction.groups = {std::vector<Index>(14, 0), {0, 14}, {}};
  for (Index i = 0; i < 14; ++i) {
    model.feature_names.push_back("x" + std::to_string(i));
    model.reduction.groups.members.push_back(i);
    if (i > 0) model.reduction.removed.push_back(removed(i, 0, 1));
  }
  model.reduction.representatives = model.reduction.kept = {0};
  const std::string text = text_of("x0", model);
  EXPECT_NE(text.find("it stands for 13 other features\n"), std::string::npos);
  EXPECT_NE(text.find("group of 14: x0, x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, ...\n"),
            std::string::npos);
}

}  // namespace
}  // namespace sfg
