#include "sfg/reduce.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "helpers.hpp"
#include "reference.hpp"
#include "sfg/model.hpp"
#include "sfg/pipeline.hpp"

namespace sfg {
namespace {

using testing::expect_error;
using testing::random_matrix;
using testing::TemporaryFolder;

constexpr double kReduceRounding = 1e-9;

/// b = 2 a + 1, c = a - 3 d, d and e independent; 40 samples.
Dataset family_data() {
  DenseMatrix matrix = random_matrix(40, 5, 11);
  for (Index i = 0; i < 40; ++i) {
    matrix(i, 1) = 2 * matrix(i, 0) + 1;
    matrix(i, 2) = matrix(i, 0) - 3 * matrix(i, 3);
  }
  Dataset dataset;
  dataset.matrix = matrix;
  dataset.feature_names = {"a", "b", "c", "d", "e"};
  dataset.name_source = NameSource::file;
  dataset.source = "family.csv";
  return dataset;
}

Groups groups_of(const std::vector<std::vector<Index>>& lists) {
  Groups groups;
  for (const auto& list : lists) {
    groups.members.insert(groups.members.end(), list.begin(), list.end());
    groups.starts.push_back(static_cast<Offset>(groups.members.size()));
  }
  groups.group_of.resize(groups.members.size());
  for (Index g = 0; g < groups.n_groups(); ++g) {
    for (const Index member : groups.members_of(g)) {
      groups.group_of[member] = g;
    }
  }
  return groups;
}

Reduction reduce_family(std::vector<Index> keep = {}) {
  const Dataset data = family_data();
  Grouping grouping{groups_of({{0, 1, 2}, {3}, {4}}), {0, 3, 4}, std::move(keep), {}};
  return remove_redundant(std::move(grouping), normalise(data.matrix, {Centering::mean}), {});
}

Model family_model() {
  const Dataset data = family_data();
  return {data.feature_names, data.name_source, reduce_family(), "test"};
}

TEST(Reduce, keeps_one_feature_per_group_and_explains_the_others) {
  const Reduction reduction = reduce_family();
  EXPECT_EQ(reduction.kept, (std::vector<Index>{0, 3, 4}));
  ASSERT_EQ(reduction.removed.size(), 2U);
  EXPECT_EQ(reduction.removed[0].feature, 1);
  EXPECT_EQ(reduction.removed[0].representative, 0);
  EXPECT_NEAR(reduction.removed[0].r2, 1, kReduceRounding);
  EXPECT_LT(reduction.removed[1].r2, 0.5);
  EXPECT_NEAR(reduction.mean_r2, (reduction.removed[0].r2 + reduction.removed[1].r2) / 2,
              kReduceRounding);
}

TEST(Reduce, combinations_are_in_units_of_the_data) {
  const Reduction reduction = reduce_family();
  const Combination& b = reduction.removed[0].combination;
  ASSERT_EQ(b.terms.size(), 1U);
  EXPECT_EQ(b.terms[0].feature, 0);
  EXPECT_NEAR(b.terms[0].coefficient, 2, kReduceRounding);
  EXPECT_NEAR(b.intercept, 1, kReduceRounding);
  const Combination& c = reduction.removed[1].combination;
  ASSERT_EQ(c.terms.size(), 2U);
  EXPECT_EQ(c.terms[0].feature, 3);
  EXPECT_NEAR(c.terms[0].coefficient, -3, kReduceRounding);
  EXPECT_NEAR(c.terms[1].coefficient, 1, kReduceRounding);
  EXPECT_NEAR(c.r2, 1, kReduceRounding);
  EXPECT_EQ(combination_text(b, family_data().feature_names), "2*a + 1");
  EXPECT_EQ(combination_text(c, family_data().feature_names), "-3*d + a");
}

TEST(Reduce, a_sum_is_certified_as_exact_with_four_samples_per_term_and_no_fewer) {
  for (const Index n : {7, 8}) {
    DenseMatrix data = random_matrix(n, 3, 3);
    for (Index i = 0; i < n; ++i) data(i, 2) = data(i, 0) - data(i, 1);
    Grouping grouping{groups_of({{0, 2}, {1}}), {0, 1}, {}, {}};
    const Reduction reduction =
        remove_redundant(std::move(grouping), normalise(data, {Centering::mean}), {});
    ASSERT_EQ(reduction.removed.size(), 1U);
    ASSERT_EQ(reduction.removed[0].combination.terms.size(), 2U);
    EXPECT_EQ(reduction.removed[0].certificate == CertificateKind::exact, n == 8) << n;
  }
}

TEST(Reduce, protected_features_stay) {
  EXPECT_EQ(reduce_family({2}).kept, (std::vector<Index>{0, 2, 3, 4}));
}

TEST(Reduce, features_to_drop_go_without_a_substitute) {
  DenseMatrix matrix = random_matrix(10, 3, 1);
  std::ranges::fill(matrix.column(1), 0.0);
  Grouping grouping{groups_of({{0}, {1}, {2}}), {0, 1, 2}, {}, {1}};
  const Reduction reduction =
      remove_redundant(std::move(grouping), normalise(matrix, {Centering::mean}), {});
  EXPECT_EQ(reduction.kept, (std::vector<Index>{0, 2}));
  EXPECT_EQ(reduction.removed[0].representative, -1);
  EXPECT_EQ(combination_text(reduction.removed[0].combination, {"a", "b", "c"}), "0");
  EXPECT_EQ(reduction.mean_r2, 1);
}

TEST(Reduce, r2_is_1_for_a_constant_feature_and_0_beside_a_constant_one) {
  DenseMatrix matrix = random_matrix(10, 2, 1);
  std::ranges::fill(matrix.column(1), 5.0);
  const auto centred = normalise(matrix, {Centering::mean});
  EXPECT_EQ(squared_correlation(centred, 1, 0), 1);
  EXPECT_EQ(squared_correlation(centred, 0, 1), 0);
}

TEST(Model, reads_back_as_it_was) {
  const TemporaryFolder folder;
  const Model model = family_model();
  const Model read = load_model(folder.write("m.model.json", model_to_json(model)));
  EXPECT_EQ(model_to_json(read), model_to_json(model));
  EXPECT_EQ(read.reduction.kept, model.reduction.kept);
}

TEST(Model, that_is_damaged_foreign_or_newer_is_refused) {
  const TemporaryFolder folder;
  const std::string whole = model_to_json(family_model());
  const auto load = [&](const std::string& text) {
    return [&folder, text] { (void)load_model(folder.write("m.json", text)); };
  };
  expect_error(ErrorCode::malformed_input, {"m.json"}, load(whole.substr(0, whole.size() / 2)));
  expect_error(ErrorCode::malformed_input, {"m.json"}, load(""));
  expect_error(ErrorCode::malformed_input, {"not a model"}, load("{\"a\": 1}"));
  expect_error(ErrorCode::malformed_input, {"not a model"}, load("[1, 2]"));
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string text = whole;
    const auto place = text.find(from);
    EXPECT_NE(place, std::string::npos) << from;
    return text.replace(place, from.size(), to);
  };
  expect_error(ErrorCode::inconsistent_input, {"newer"},
               load(changed("\"schema_version\":2", "\"schema_version\":99")));
  expect_error(ErrorCode::malformed_input, {"out of range"},
               load(changed("\"kept\":[0,", "\"kept\":[70,")));
  // Neither has a whole number that it could be converted to.
  expect_error(ErrorCode::malformed_input, {"m.json"},
               load(changed("\"schema_version\":2", "\"schema_version\":1e300")));
  expect_error(ErrorCode::malformed_input, {"m.json"},
               load(changed("\"kept\":[0,", "\"kept\":[-1e300,")));
  expect_error(ErrorCode::malformed_input, {"two groups"},
               load(changed("\"groups\":[[0,1,2],[3]", "\"groups\":[[0,1,2],[2]")));
  expect_error(ErrorCode::cannot_read, {"none.json"},
               [&] { (void)load_model(folder / "none.json"); });
}

TEST(Model, applies_to_the_same_features_in_another_order_and_leaves_out_further_ones) {
  const Dataset data = family_data();
  const std::vector<Index> order{4, 3, 1, 0};
  Dataset other = select_features(data, order);
  other.feature_names[2] = "unknown";
  const Dataset reduced = apply_model(family_model(), other);
  EXPECT_EQ(reduced.feature_names, (std::vector<std::string>{"a", "d", "e"}));
  const auto& values = std::get<DenseMatrix>(reduced.matrix);
  const auto& original = std::get<DenseMatrix>(data.matrix);
  EXPECT_EQ(values(5, 0), original(5, 0));
  EXPECT_EQ(values(5, 2), original(5, 4));
}

TEST(Model, refuses_data_that_lack_a_kept_feature_or_have_another_number_of_unnamed_ones) {
  const Dataset data = family_data();
  const std::vector<Index> some{0, 1, 2, 3};
  expect_error(ErrorCode::inconsistent_input, {"family.csv", "'e'", "1 of the model's 3"},
               [&] { (void)apply_model(family_model(), select_features(data, some)); });
  Dataset unnamed = select_features(data, some);
  unnamed.name_source = NameSource::generated;
  expect_error(ErrorCode::inconsistent_input, {"4 features", "5"},
               [&] { (void)apply_model(family_model(), unnamed); });
}

TEST(Explain, tells_what_became_of_each_feature) {
  const Model model = family_model();
  EXPECT_EQ(choice_name(explain(model, "a").role), "representative");
  EXPECT_EQ(choice_name(explain(model, "b").role), "removed");
  EXPECT_EQ(choice_name(explain(model, "d").role), "kept");
  EXPECT_EQ(explain(model, "b").representative, 0);
  EXPECT_EQ(explain(model, "b").group, (std::vector<Index>{0, 1, 2}));
  EXPECT_EQ(explain(model, "#2").feature, 2);
  expect_error(ErrorCode::inconsistent_input, {"'bb'", "similar", "'b'"},
               [&] { (void)explain(model, "bb"); });
  expect_error(ErrorCode::inconsistent_input, {"#9"}, [&] { (void)explain(model, "#9"); });
}

TEST(Pipeline, permuting_the_columns_permutes_the_answer) {
  // No ties in these data: values are continuous.
  const Dataset data = family_data();
  DenseMatrix wide = random_matrix(30, 60, 5);
  for (Index k = 40; k < 60; ++k) {
    for (Index i = 0; i < 30; ++i) wide(i, k) = wide(i, k - 40) + 0.1 * wide(i, k);
  }
  Dataset original;
  original.matrix = wide;
  original.feature_names = generated_names(60);
  original.source = "wide";
  std::vector<Index> order(60);
  for (Index k = 0; k < 60; ++k) order[k] = (k * 7 + 3) % 60;
  const Dataset permuted = select_features(original, order);
  const auto names = [](const Dataset& dataset, const MethodResult& result) {
    std::vector<std::string> kept;
    for (const Index k : result.reduction.kept) {
      kept.push_back(dataset.feature_names[k]);
    }
    std::ranges::sort(kept);
    return kept;
  };
  MethodOptions options;
  options.grouping = ComponentOptions{.representative = RepresentativeRule::medoid};
  const auto kept = names(original, reduce(original, options));
  EXPECT_LT(kept.size(), 60U);
  EXPECT_EQ(names(permuted, reduce(permuted, options)), kept);
}

TEST(Pipeline, empty_features_are_kept_as_the_paper_does_unless_asked_otherwise) {
  Dataset data = family_data();
  std::ranges::fill(std::get<DenseMatrix>(data.matrix).column(4), 0.0);
  MethodOptions options;
  options.grouping = ComponentOptions{};
  EXPECT_EQ(std::ranges::count(reduce(data, options).reduction.kept, 4), 1);
  options.grouping = ComponentOptions{.keep_empty = false};
  const auto result = reduce(data, options);
  EXPECT_EQ(std::ranges::count(result.reduction.kept, 4), 0);
  EXPECT_EQ(result.kind[4], FeatureKind::empty);
}

TEST(Pipeline, sweep_gives_the_counts_of_single_reductions) {
  const Dataset data = family_data();
  MethodOptions options;
  options.grouping = ComponentOptions{};
  const auto graph = make_graph(data, options).graph;
  const std::vector<double> thetas{0.8, 0.5, 0.2};
  const auto levels = sweep(graph, thetas, &data, options);
  const auto without_data = sweep(graph, thetas, nullptr, options);
  for (std::size_t k = 0; k < thetas.size(); ++k) {
    options.grouping = ComponentOptions{.theta = thetas[k]};
    const auto single = reduce(data, options);
    EXPECT_EQ(levels[k].n_kept, static_cast<Index>(single.reduction.kept.size()));
    EXPECT_EQ(without_data[k].n_kept, levels[k].n_kept);
    EXPECT_EQ(without_data[k].largest_group, single.reduction.groups.largest());
    EXPECT_DOUBLE_EQ(levels[k].mean_r2.value(), single.reduction.mean_r2);
    EXPECT_FALSE(without_data[k].mean_r2.has_value());
  }
}

}  // namespace
}  // namespace sfg
