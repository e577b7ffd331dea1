// A target, a price or gaps choose the kept member of a group, and never the group.
#include "sfg/members.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "helpers.hpp"
#include "reference.hpp"
#include "sfg/pipeline.hpp"

namespace sfg {
namespace {

using testing::expect_error;
using testing::random_matrix;
using testing::table_of;
using testing::TemporaryFolder;
using testing::with_threads;

constexpr double kMembersRounding = 1e-12;
constexpr Index kFamilies = 8;
constexpr Index kFamilySize = 5;
constexpr Index kMembersSamples = 90;

/// Families of features that follow one hidden feature each, with noise of their own.
Dataset families(std::uint64_t seed, double noise = 0.3) {
  const DenseMatrix hidden = random_matrix(kMembersSamples, kFamilies, seed);
  DenseMatrix matrix = random_matrix(kMembersSamples, kFamilies * kFamilySize, seed + 1000);
  for (Index j = 0; j < matrix.n_features(); ++j) {
    for (Index i = 0; i < kMembersSamples; ++i) {
      matrix(i, j) = hidden(i, j / kFamilySize) + noise * matrix(i, j);
    }
  }
  return table_of(std::move(matrix));
}

MethodOptions by_rule(RepresentativeRule rule) {
  MethodOptions options;
  options.grouping = CompactOptions{.level = {.n_features = kFamilies}, .representative = rule};
  return options;
}

/// The same groups without a word about members.
MethodOptions usually() {
  return by_rule(RepresentativeRule::medoid);
}

Labels numbers_of(std::uint64_t seed) {
  const DenseMatrix drawn = random_matrix(kMembersSamples, 1, seed);
  Labels labels{"dose", {}};
  for (Index i = 0; i < kMembersSamples; ++i) labels.values.push_back(std::to_string(drawn(i, 0)));
  return labels;
}

Labels classes_of(std::uint64_t seed) {
  Labels labels = numbers_of(seed);
  for (std::string& value : labels.values) {
    value = std::stod(value) < -0.3 ? "low" : std::stod(value) < 0.4 ? "middle" : "high";
  }
  return labels;
}

/// The slow and obvious score: shares of the variance in a column of the data.
double obvious_score(const Dataset& dataset, Index feature, const Labels& labels) {
  const auto column = std::get<DenseMatrix>(dataset.matrix).column(feature);
  const bool are_classes = labels.values.front().find_first_of("lmh") != std::string::npos;
  std::map<std::string, std::vector<double>> classes;
  std::vector<double> x, y;
  for (std::size_t i = 0; i < labels.values.size(); ++i) {
    if (is_missing_label(labels.values[i])) continue;
    classes[labels.values[i]].push_back(column[i]);
    x.push_back(column[i]);
    if (!are_classes) y.push_back(std::stod(labels.values[i]));
  }
  const auto mean_of = [](const std::vector<double>& values) {
    double sum = 0;
    for (const double value : values) sum += value;
    return sum / static_cast<double>(values.size());
  };
  const auto products = [&](const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - mean_of(a)) * (b[i] - mean_of(b));
    return sum;
  };
  if (!are_classes) return products(x, y) * products(x, y) / products(x, x) / products(y, y);
  double between = 0;
  for (const auto& [name, values] : classes) {
    const double difference = mean_of(values) - mean_of(x);
    between += static_cast<double>(values.size()) * difference * difference;
  }
  return between / products(x, x);
}

TEST(Members, scores_of_a_target_are_r2_for_numbers_and_eta2_for_classes) {
  const Dataset dataset = families(3);
  const UnitFeatures centred = testing::centred(dataset.matrix);
  for (Labels labels : {numbers_of(5), classes_of(5)}) {
    for (const std::size_t gap : {4U, 17U, 60U}) labels.values[gap] = "NA";
    const Target target = read_target(labels, kMembersSamples);
    EXPECT_EQ(target.samples.size(), 87U);
    const auto scores = target_scores(centred, target, with_threads(2));
    for (Index j = 0; j < centred.n_features(); ++j) {
      EXPECT_NEAR(scores[j], obvious_score(dataset, j, labels), kMembersRounding) << j;
    }
  }
}

TEST(Members, sparse_features_have_the_scores_of_dense_ones) {
  DenseMatrix dense = random_matrix(kMembersSamples, 6, 8);
  SparseMatrix sparse;
  sparse.n_samples = kMembersSamples;
  sparse.n_features = 6;
  sparse.starts.assign(1, 0);
  std::vector<Index> rows;
  std::vector<double> values;
  for (Index j = 0; j < 6; ++j) {
    for (Index i = 0; i < kMembersSamples; ++i) {
      if (dense(i, j) < 0.5) dense(i, j) = 0;
      if (dense(i, j) == 0) continue;
      rows.push_back(i);
      values.push_back(dense(i, j));
    }
    sparse.starts.push_back(static_cast<Offset>(rows.size()));
  }
  sparse.rows = std::move(rows);
  sparse.values = std::move(values);
  for (Labels labels : {numbers_of(2), classes_of(2)}) {
    labels.values[0] = "";
    const Target target = read_target(labels, kMembersSamples);
    const auto expected = target_scores(testing::centred(dense), target);
    const auto scores = target_scores(testing::centred(sparse), target);
    for (Index j = 0; j < 6; ++j) EXPECT_NEAR(scores[j], expected[j], kMembersRounding);
  }
}

TEST(Members, what_a_target_is_follows_from_its_values) {
  const auto kind = [](std::vector<std::string> values) {
    const auto n = static_cast<Index>(values.size());
    return read_target({"y", std::move(values)}, n);
  };
  EXPECT_EQ(kind({"0.5", "1", "2"}).kind, TargetKind::numbers);
  EXPECT_EQ(kind({"3", "1.0", "7", "1"}).n_classes, 3);
  EXPECT_EQ(kind({"1", "b", "1"}).n_classes, 2);
  std::vector<std::string> many;
  for (int k = 0; k < kMostClassNumbers; ++k) many.push_back(std::to_string(k));
  EXPECT_EQ(kind(many).kind, TargetKind::classes);
  many.push_back(std::to_string(kMostClassNumbers));
  EXPECT_EQ(kind(many).kind, TargetKind::numbers);
}

TEST(Members, a_target_that_cannot_choose_is_refused_with_the_reason) {
  const auto refused = [](ErrorCode code, std::initializer_list<std::string_view> words,
                          std::vector<std::string> values) {
    expect_error(code, words, [&] { static_cast<void>(read_target({"dose", values}, 3)); });
  };
  refused(ErrorCode::inconsistent_input, {"'dose'", "2 values for 3 samples"}, {"1", "2"});
  refused(ErrorCode::degenerate_data, {"'dose'", "missing in every sample"}, {"NA", "", "nan"});
  refused(ErrorCode::degenerate_data, {"'dose'", "one value throughout", "'4'"}, {"4", "NA", "4"});
  refused(ErrorCode::degenerate_data, {"one value throughout"}, {"a", "a", "a"});
  const Dataset dataset = families(1);
  expect_error(ErrorCode::invalid_option, {"representative=target", "target"},
               [&] { static_cast<void>(reduce(dataset, by_rule(RepresentativeRule::target))); });
}

TEST(Members, the_target_chooses_the_best_member_and_never_the_group) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    Dataset dataset = families(seed);
    const Reduction usual = reduce(dataset, usually()).reduction;
    int n_exchanged = 0;
    for (const Labels& labels : {numbers_of(seed), numbers_of(seed + 7), classes_of(seed)}) {
      dataset.labels = labels;
      const Reduction found = reduce(dataset, by_rule(RepresentativeRule::target)).reduction;
      EXPECT_EQ(found.groups.group_of, usual.groups.group_of);
      EXPECT_EQ(found.kept.size(), usual.kept.size());
      for (Index g = 0; g < found.groups.n_groups(); ++g) {
        const auto members = found.groups.members_of(g);
        const auto best = *std::ranges::max_element(
            members, {}, [&](Index member) { return obvious_score(dataset, member, labels); });
        EXPECT_EQ(found.representatives[g], best);
        EXPECT_TRUE(std::ranges::binary_search(found.kept, best));
        n_exchanged += best != usual.representatives[g] ? 1 : 0;
      }
    }
    EXPECT_GT(n_exchanged, 0);
  }
}

TEST(Members, the_papers_groups_and_the_automatic_level_stay_too) {
  Dataset dataset = families(4, 0.1);
  dataset.labels = numbers_of(4);
  MethodOptions components;
  components.grouping = ComponentOptions{.n_permutations = 0, .theta = 0.1};
  MethodOptions mean;
  mean.grouping = CompactOptions{.level = {.min_mean_r2 = 0.7}};
  for (MethodOptions options : {components, mean, MethodOptions{}}) {
    const Reduction usual = reduce(dataset, options).reduction;
    std::visit(
        [](auto& grouping) {
          if constexpr (requires { grouping.representative; }) {
            grouping.representative = RepresentativeRule::target;
          }
        },
        options.grouping);
    const Reduction found = reduce(dataset, options).reduction;
    EXPECT_EQ(found.groups.group_of, usual.groups.group_of);
    EXPECT_NE(found.kept, usual.kept);
  }
}

TEST(Members, protected_features_come_before_the_target) {
  Dataset dataset = families(6);
  dataset.labels = numbers_of(6);
  MethodOptions options = by_rule(RepresentativeRule::target);
  for (Index family = 0; family < kFamilies; ++family) {
    options.keep.push_back(family * kFamilySize + 2);
  }
  const Reduction found = reduce(dataset, options).reduction;
  for (const Index feature : options.keep) {
    EXPECT_TRUE(std::ranges::binary_search(found.kept, feature));
  }
  EXPECT_EQ(found.kept.size(), reduce(dataset, usually()).reduction.kept.size());
}

TEST(Members, copies_tie_and_the_one_that_is_kept_anyway_stays) {
  DenseMatrix matrix = random_matrix(kMembersSamples, 12, 9);
  for (Index i = 0; i < kMembersSamples; ++i) {
    for (Index j = 6; j < 12; ++j) matrix(i, j) = 3 * matrix(i, j - 6) + 1;
  }
  Dataset dataset = table_of(std::move(matrix));
  dataset.labels = numbers_of(9);
  MethodOptions automatic;
  automatic.grouping = CompactOptions{.representative = RepresentativeRule::target};
  EXPECT_EQ(reduce(dataset, automatic).reduction.kept, reduce(dataset, {}).reduction.kept);
}

TEST(Members, the_variance_the_gaps_or_the_cost_choose) {
  Dataset dataset = families(11);
  auto& matrix = std::get<DenseMatrix>(dataset.matrix);
  const Reduction usual = reduce(dataset, usually()).reduction;
  for (Index family = 0; family < kFamilies; ++family) {
    for (Index i = 0; i < kMembersSamples; ++i) matrix(i, family * kFamilySize + 3) *= 1e6;
  }
  dataset.n_missing.assign(dataset.feature_names.size(), 7);
  FeatureNumbers cost(dataset.feature_names.size(), 5.0);
  for (Index family = 0; family < kFamilies; ++family) {
    dataset.n_missing[family * kFamilySize + 1] = 2;
    cost[family * kFamilySize + 4] = -1;
    cost[family * kFamilySize] = std::nan("");
  }
  const auto expect_place = [&](const MethodOptions& options, Index place) {
    const Reduction found = reduce(dataset, options).reduction;
    EXPECT_EQ(found.groups.group_of, usual.groups.group_of);
    for (Index g = 0; g < found.groups.n_groups(); ++g) {
      const auto members = found.groups.members_of(g);
      const bool has_it =
          std::ranges::any_of(members, [&](Index member) { return member % kFamilySize == place; });
      EXPECT_TRUE(!has_it || found.representatives[g] % kFamilySize == place) << g;
    }
  };
  expect_place(by_rule(RepresentativeRule::variance), 3);
  expect_place(by_rule(RepresentativeRule::missing), 1);
  MethodOptions by_cost = by_rule(RepresentativeRule::cost);
  std::get<CompactOptions>(by_cost.grouping).cost = cost;
  expect_place(by_cost, 4);
  expect_error(ErrorCode::invalid_option, {"representative=cost"},
               [&] { static_cast<void>(reduce(dataset, by_rule(RepresentativeRule::cost))); });
  std::get<CompactOptions>(by_cost.grouping).cost.pop_back();
  expect_error(ErrorCode::inconsistent_input, {"39 costs for 40 features"},
               [&] { static_cast<void>(reduce(dataset, by_cost)); });
}

TEST(Members, filling_gaps_remembers_how_many_there_were) {
  Dataset dataset = families(2);
  auto& matrix = std::get<DenseMatrix>(dataset.matrix);
  matrix(3, 1) = matrix(5, 1) = matrix(0, 4) = std::nan("");
  for (Index i = 0; i < kMembersSamples; ++i) matrix(i, 2) = std::nan("");
  static_cast<void>(resolve_missing(dataset, Missing::mean));
  EXPECT_EQ((std::vector<Offset>(dataset.n_missing.begin(), dataset.n_missing.begin() + 5)),
            (std::vector<Offset>{0, 2, 0, 1, 0}));
}

TEST(Members, a_feature_to_avoid_is_kept_only_where_no_other_can_be) {
  const Dataset dataset = families(13);
  const Reduction usual = reduce(dataset, usually()).reduction;
  MethodOptions options = usually();
  auto& avoid = std::get<CompactOptions>(options.grouping).avoid;
  for (const Index feature : usual.kept) avoid.push_back(feature);
  const auto whole = usual.groups.members_of(0);
  ASSERT_GT(whole.size(), 1U);
  for (const Index member : whole) {
    if (member != usual.representatives[0]) avoid.push_back(member);
  }
  const MethodResult found = reduce(dataset, options);
  EXPECT_EQ(found.reduction.groups.group_of, usual.groups.group_of);
  for (const Index feature : found.reduction.kept) {
    const Index group = usual.groups.group_of[feature];
    const bool may_be = group == 0 || usual.groups.members_of(group).size() == 1;
    EXPECT_EQ(std::ranges::find(avoid, feature) != avoid.end(), may_be);
    EXPECT_EQ(std::ranges::binary_search(found.kept_though_avoided, feature), may_be);
  }
  EXPECT_EQ(found.reduction.representatives[0], usual.representatives[0]);
  options.keep = {avoid.front()};
  expect_error(ErrorCode::invalid_option, {"both to be kept and to be avoided", "avoid", "keep"},
               [&] { static_cast<void>(reduce(dataset, options)); });
}

TEST(Members, of_members_that_are_left_the_medoid_is_kept) {
  const Dataset dataset = families(17);
  const Reduction usual = reduce(dataset, usually()).reduction;
  MethodOptions options = usually();
  std::get<CompactOptions>(options.grouping).avoid.assign(usual.kept.begin(), usual.kept.end());
  const Reduction found = reduce(dataset, options).reduction;
  const UnitFeatures centred = testing::centred(dataset.matrix);
  for (Index g = 0; g < found.groups.n_groups(); ++g) {
    const auto members = found.groups.members_of(g);
    if (members.size() == 1) continue;
    const auto score = [&](Index one) {
      double sum = 0;
      for (const Index member : members) sum += squared_correlation(centred, member, one);
      return one == usual.representatives[g] ? -1.0 : sum;
    };
    EXPECT_EQ(found.representatives[g], *std::ranges::max_element(members, {}, score));
  }
}

TEST(Members, a_promise_holds_for_the_features_that_were_chosen) {
  Dataset dataset = families(19);
  dataset.labels = numbers_of(19);
  MethodOptions options = by_rule(RepresentativeRule::target);
  options.reduce.certify = 0.8;
  const Reduction found = reduce(dataset, options).reduction;
  EXPECT_LT(found.kept.size(), dataset.feature_names.size());
  for (const RemovedFeature& one : found.removed) {
    EXPECT_TRUE(one.is_copy() || one.held_out_r2.value_or(1) >= 0.8) << one.feature;
  }
}

TEST(StandIns, are_the_nearest_removed_members_with_what_the_swap_costs) {
  const Dataset dataset = families(23);
  const Reduction found = reduce(dataset, usually()).reduction;
  const UnitFeatures centred = testing::centred(dataset.matrix);
  std::size_t n_expected = 0;
  for (const Index kept : found.kept) {
    const auto members = found.groups.members_of(found.groups.group_of[kept]);
    n_expected += members.size() > 1 ? 1U : 0U;
  }
  ASSERT_EQ(found.stand_ins.size(), n_expected);
  ASSERT_GT(n_expected, 0U);
  for (const StandIn& one : found.stand_ins) {
    const auto members = found.groups.members_of(found.groups.group_of[one.kept]);
    const auto mean_with = [&](Index other) {
      double sum = -1;
      for (const Index member : members) sum += squared_correlation(centred, member, other);
      return sum / static_cast<double>(members.size() - 1);
    };
    for (const Index member : members) {
      EXPECT_TRUE(member == one.kept || squared_correlation(centred, member, one.kept) <= one.r2);
    }
    EXPECT_NEAR(one.r2, squared_correlation(centred, one.feature, one.kept), kMembersRounding);
    EXPECT_NEAR(one.mean_r2, mean_with(one.kept), kMembersRounding);
    EXPECT_NEAR(one.mean_r2_instead, mean_with(one.feature), kMembersRounding);
  }
}

TEST(StandIns, are_in_the_model_and_its_explanations) {
  const Dataset dataset = families(29);
  const Model model{dataset.feature_names, dataset.name_source,
                    reduce(dataset, usually()).reduction, "t"};
  const TemporaryFolder folder;
  const Model again = load_model(folder.write("m.json", model_to_json(model)));
  ASSERT_EQ(again.reduction.stand_ins.size(), model.reduction.stand_ins.size());
  const StandIn& one = model.reduction.stand_ins.back();
  const Explanation explanation = explain(again, dataset.feature_names[one.kept]);
  ASSERT_TRUE(explanation.stand_in);
  EXPECT_EQ(explanation.stand_in->feature, one.feature);
  EXPECT_EQ(explanation.stand_in->r2, one.r2);
  EXPECT_EQ(explanation.stand_in->mean_r2_instead, one.mean_r2_instead);
  EXPECT_FALSE(explain(again, dataset.feature_names[one.feature]).stand_in);
}

}  // namespace
}  // namespace sfg
