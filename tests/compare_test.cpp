#include "sfg/compare.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "reference.hpp"
#include "sfg/json.hpp"
#include "sfg/pipeline.hpp"

namespace sfg {
namespace {

Dataset labelled(std::uint64_t seed) {
  Dataset dataset;
  DenseMatrix data = testing::random_matrix(60, 80, seed);
  Labels labels{"class", {}};
  for (Index i = 0; i < 60; ++i) {
    labels.values.push_back(i % 3 == 0 ? "a" : (i % 3 == 1 ? "b" : "c"));
    for (Index j = 0; j < 80; ++j) data(i, j) = data(i, j) / 4 + (j % 3 == i % 3 ? 1 : 0);
  }
  for (Index i = 0; i < 60; ++i) data(i, 5) = 1;
  dataset.matrix = data;
  dataset.feature_names = generated_names(80);
  dataset.labels = labels;
  return dataset;
}

bool has_own_number(const CompareRow& row) {
  return row.competitor == Competitor::all || row.competitor == Competitor::default_answer;
}

const CompareRow& row_of(const CompareResult& result, Competitor competitor) {
  return *std::ranges::find(result.rows, competitor, &CompareRow::competitor);
}

TEST(Compare, measures_every_competitor_at_equal_numbers_of_features) {
  CompareOptions options;
  options.shares = {0.5, 0.2};
  options.n_random = 3;
  const CompareResult result = compare(labelled(1), options);
  std::set<std::pair<double, int>> seen;
  for (const CompareRow& row : result.rows) {
    if (has_own_number(row)) continue;
    seen.emplace(row.share, static_cast<int>(row.competitor));
    // Of 79 features that vary.
    EXPECT_EQ(row.n_kept, row.share == 0.5 ? 40 : 16);
    if (!row.reached) {
      const std::set<Competitor> may_keep_fewer{Competitor::components, Competitor::mrsf,
                                                Competitor::fcbf, Competitor::fast};
      EXPECT_TRUE(may_keep_fewer.contains(row.competitor)) << row.reason;
      EXPECT_NE(row.reason, "");
      continue;
    }
    EXPECT_EQ(row.reason, "");
    EXPECT_GT(row.neighbour_overlap, 0);
    EXPECT_GT(row.mean_best_r2, 0);
    EXPECT_LT(row.mean_best_r2, 1);
    EXPECT_LE(row.r2cv_q10, row.r2cv_mean + 0.2);
    ASSERT_TRUE(row.nmi.has_value());
    EXPECT_GT(*row.nmi, 0.9) << choice_name(row.competitor);
    EXPECT_GT(row.nmi_kmeans.value(), 0.8) << choice_name(row.competitor);
    EXPECT_GT(row.accuracy_1nn.value(), 0.9) << choice_name(row.competitor);
    EXPECT_GT(row.accuracy_linear.value(), 0.9) << choice_name(row.competitor);
    EXPECT_DOUBLE_EQ(row.accuracy.value(),
                     (*row.accuracy_1nn + row.accuracy_5nn.value() + *row.accuracy_linear) / 3);
    EXPECT_DOUBLE_EQ(row.nmi_mean.value(), (*row.nmi + *row.nmi_kmeans) / 2);
    EXPECT_DOUBLE_EQ(row.score, (*row.accuracy + *row.nmi_mean) / 2);
  }
  EXPECT_EQ(seen.size(), 46U);
  EXPECT_GT(result.nmi_all.value(), 0.9);
  EXPECT_EQ(result.n_classes, 3);
  EXPECT_EQ(result.n_classified, 60);
}

TEST(Compare, begins_with_all_features_and_with_what_reduce_keeps_by_default) {
  const Dataset dataset = labelled(4);
  CompareOptions options;
  options.methods = {Competitor::default_answer};
  const CompareResult result = compare(dataset, options);
  ASSERT_EQ(result.rows.size(), 2U);
  EXPECT_EQ(result.rows[0].competitor, Competitor::all);
  EXPECT_EQ(result.rows[0].n_kept, 79);
  EXPECT_EQ(result.rows[0].neighbour_overlap, 1);
  EXPECT_EQ(result.rows[0].mean_best_r2, 1);
  EXPECT_EQ(result.rows[0].r2cv_mean, 1);
  EXPECT_EQ(result.rows[1].competitor, Competitor::default_answer);
  EXPECT_EQ(result.rows[1].n_kept,
            static_cast<Index>(reduce(dataset, MethodOptions{}).reduction.kept.size()));
  EXPECT_EQ(result.rows[0].rank, 0);
  EXPECT_EQ(result.rows[1].rank, 0);
  EXPECT_TRUE(result.rows[1].accuracy.has_value());
  EXPECT_NE(verdict({result}).find("The default answer keeps"), std::string::npos);
}

TEST(Compare, keeps_the_numbers_of_features_that_are_asked_for_beside_the_shares) {
  CompareOptions options;
  options.shares = {0.2};
  options.n_features = {7, 16, 100, 7};
  options.methods = {Competitor::variance};
  const CompareResult result = compare(labelled(5), options);
  ASSERT_EQ(result.rows.size(), 4U);
  EXPECT_EQ(result.rows[1].n_kept, 100);
  EXPECT_FALSE(result.rows[1].reached);
  EXPECT_EQ(result.rows[1].reason, "only 79 features vary");
  EXPECT_EQ(result.rows[2].n_kept, 16);
  EXPECT_EQ(result.rows[2].share, 0.2);
  EXPECT_EQ(result.rows[3].n_kept, 7);
  EXPECT_DOUBLE_EQ(result.rows[3].share, 7.0 / 79);
  EXPECT_TRUE(result.rows[3].reached);
}

TEST(Compare, ranks_by_the_score_among_equal_numbers_and_equal_scores_share_a_rank) {
  CompareOptions options;
  options.n_features = {30, 5};
  options.n_random = 2;
  const CompareResult result = compare(labelled(6), options);
  int n_ranked = 0;
  for (const CompareRow& row : result.rows) {
    if (!row.reached || has_own_number(row)) {
      EXPECT_EQ(row.rank, 0);
      continue;
    }
    ++n_ranked;
    const auto n_better = std::ranges::count_if(result.rows, [&](const CompareRow& other) {
      return other.rank > 0 && other.n_kept == row.n_kept && other.score > row.score + 1e-9;
    });
    EXPECT_EQ(row.rank, n_better + 1) << choice_name(row.competitor);
  }
  EXPECT_GT(n_ranked, 20);
}

TEST(Compare, has_no_scores_of_classes_without_two_classes_of_two_samples) {
  CompareOptions options;
  options.n_features = {10};
  options.methods = {Competitor::compact, Competitor::random};
  Dataset none = labelled(7);
  none.labels.reset();
  Dataset one = labelled(7);
  std::ranges::fill(one.labels->values, "same");
  Dataset each = labelled(7);
  for (Index i = 0; i < 60; ++i) each.labels->values[i] = std::to_string(i);
  for (const Dataset& dataset : {none, one, each}) {
    const CompareResult result = compare(dataset, options);
    EXPECT_EQ(result.n_classes, 0);
    EXPECT_EQ(result.labels_note.empty(), !dataset.labels.has_value());
    for (const CompareRow& row : result.rows) {
      EXPECT_FALSE(row.accuracy || row.accuracy_1nn || row.accuracy_5nn || row.accuracy_linear);
      EXPECT_FALSE(row.nmi || row.acc || row.nmi_kmeans || row.acc_kmeans || row.nmi_mean);
      EXPECT_DOUBLE_EQ(row.score, (row.neighbour_overlap + std::max(0.0, row.r2cv_mean)) / 2);
    }
    const std::string text = verdict({result});
    EXPECT_EQ(text.find("classification"), std::string::npos) << text;
    EXPECT_NE(text.find("neighbours"), std::string::npos) << text;
  }
}

TEST(Compare, says_which_methods_chose_by_the_labels_that_judge_them) {
  CompareOptions options;
  options.n_features = {3};
  options.methods = {Competitor::variance, Competitor::mrmr, Competitor::fast};
  Dataset dataset = labelled(4);
  const CompareResult with = compare(dataset, options);
  EXPECT_TRUE(row_of(with, Competitor::mrmr).reached);
  EXPECT_NE(verdict({with}).find("mrmr and fast chose by the labels that judge them"),
            std::string::npos)
      << verdict({with});
  dataset.labels.reset();
  const CompareResult without = compare(dataset, options);
  for (const Competitor competitor : {Competitor::mrmr, Competitor::fast}) {
    EXPECT_FALSE(row_of(without, competitor).reached);
    EXPECT_NE(row_of(without, competitor).reason.find("labels"), std::string::npos);
  }
  EXPECT_EQ(verdict({without}).find("labels"), std::string::npos);
}

TEST(Compare, leaves_samples_out_that_have_no_label_or_are_alone_in_their_class_and_says_so) {
  CompareOptions options;
  options.methods = {Competitor::all};
  Dataset dataset = labelled(8);
  dataset.labels->values[0] = "";
  dataset.labels->values[1] = "alone";
  dataset.labels->values[2] = "NA";
  const CompareResult result = compare(dataset, options);
  EXPECT_EQ(result.n_classes, 3);
  EXPECT_EQ(result.n_classified, 57);
  EXPECT_NE(result.labels_note.find("2 without a label"), std::string::npos);
  EXPECT_NE(result.labels_note.find("1 alone in their class"), std::string::npos);
  EXPECT_GT(result.rows[0].nmi.value(), 0.8);
}

TEST(Compare, leaves_methods_out_that_do_not_fit_into_memory_with_the_reason) {
  CompareOptions options;
  options.n_features = {200};
  options.methods = {Competitor::facility_location, Competitor::variance, Competitor::ward};
  Dataset wide;
  wide.matrix = testing::random_matrix(20, 2000, 9);
  wide.feature_names = generated_names(2000);
  RunContext run;
  run.memory_limit = 20'000'000;
  const CompareResult tight = compare(wide, options, run);
  EXPECT_TRUE(row_of(tight, Competitor::variance).reached);
  EXPECT_TRUE(row_of(tight, Competitor::facility_location).reached);
  EXPECT_FALSE(row_of(tight, Competitor::ward).reached);
  EXPECT_NE(row_of(tight, Competitor::ward).reason.find("all pairs of 2000 features"),
            std::string::npos);
  run.memory_limit = 10'000'000;
  const CompareResult tighter = compare(wide, options, run);
  EXPECT_FALSE(row_of(tighter, Competitor::facility_location).reached);
  EXPECT_TRUE(row_of(tighter, Competitor::variance).reached);
}

TEST(Compare, of_word_counts_classifies_by_tfidf) {
  CompareOptions options;
  options.n_features = {20};
  options.methods = {Competitor::variance};
  options.text = true;
  Dataset dataset = labelled(10);
  DenseMatrix counts = std::get<DenseMatrix>(dataset.matrix);
  for (Index j = 0; j < 80; ++j) {
    for (double& value : counts.column(j)) value = std::max(0.0, std::round(2 * value));
  }
  dataset.matrix = to_sparse(counts);
  const CompareResult result = compare(dataset, options);
  EXPECT_GT(result.rows[0].accuracy.value(), 0.9);
  EXPECT_GT(row_of(result, Competitor::variance).accuracy.value(), 0.7);
}

TEST(Compare, is_the_same_for_every_number_of_threads) {
  CompareOptions options;
  options.shares = {0.3};
  sfg::RunContext one;
  one.threads = 1;
  sfg::RunContext three;
  three.threads = 3;
  const auto expected = compare(labelled(2), options, one);
  const auto found = compare(labelled(2), options, three);
  ASSERT_EQ(found.rows.size(), expected.rows.size());
  for (std::size_t k = 0; k < found.rows.size(); ++k) {
    EXPECT_EQ(found.rows[k].mean_best_r2, expected.rows[k].mean_best_r2);
    EXPECT_EQ(found.rows[k].r2cv_mean, expected.rows[k].r2cv_mean);
    EXPECT_EQ(found.rows[k].nmi, expected.rows[k].nmi);
    EXPECT_EQ(found.rows[k].nmi_kmeans, expected.rows[k].nmi_kmeans);
    EXPECT_EQ(found.rows[k].accuracy, expected.rows[k].accuracy);
    EXPECT_EQ(found.rows[k].rank, expected.rows[k].rank);
  }
}

TEST(Compare, no_features_are_certified_that_a_random_subset_keeps_on_purpose) {
  // One stream of random numbers for both made the first subset keep every certified feature.
  CompareOptions options;
  options.shares = {0.5};
  options.n_random = 1;
  options.n_certified = 20;
  options.methods = {Competitor::random};
  Dataset copies = labelled(3);
  copies.labels.reset();
  auto& matrix = std::get<DenseMatrix>(copies.matrix);
  for (Index j = 0; j < 80; ++j) {
    for (Index i = 0; i < 60; ++i) matrix(i, j) = matrix(i, j % 4) + 0.01 * ((7 * i + j) % 5);
  }
  for (const CompareRow& row : compare(copies, options).rows) {
    if (row.competitor == Competitor::random) {
      EXPECT_GT(row.r2cv_mean, 0.8);
    }
  }
}

TEST(PairedDifferences, take_the_mean_over_shares_then_over_inputs) {
  const auto row = [](Competitor competitor, double share, double nmi) {
    CompareRow one{};
    one.competitor = competitor;
    one.share = share;
    one.reached = true;
    one.nmi = nmi;
    return one;
  };
  CompareResult first;
  first.rows = {row(Competitor::compact, 0.5, 0.8), row(Competitor::components, 0.5, 0.6),
                row(Competitor::compact, 0.1, 0.5), row(Competitor::components, 0.1, 0.5)};
  CompareResult second;
  second.rows = {row(Competitor::compact, 0.5, 0.4), row(Competitor::components, 0.5, 0.1)};
  const auto differences = paired_differences({first, second});
  ASSERT_FALSE(differences.empty());
  EXPECT_EQ(differences[0].measure, "nmi");
  EXPECT_EQ(differences[0].n_pairs, 2);
  EXPECT_NEAR(differences[0].mean, 0.2, 1e-12);
  EXPECT_NEAR(differences[0].error, 0.1, 1e-12);
  EXPECT_EQ(differences[0].n_higher, 2);
}

// --- one word, one value ------------------------------------------------------------------------

TEST(Compare, says_of_the_default_answer_what_reduce_says_of_it) {
  // Six features around each of ten sources: fewer features than samples, so none is unshared.
  DenseMatrix data = testing::random_matrix(300, 60, 4);
  for (Index j = 10; j < 60; ++j) {
    for (Index i = 0; i < 300; ++i) data(i, j) = data(i, j % 10) + 0.3 * data(i, j);
  }
  Dataset dataset;
  dataset.matrix = data;
  dataset.feature_names = generated_names(60);
  CompareOptions options;
  options.methods = {Competitor::default_answer};
  const CompareResult compared = compare(dataset, options);
  const CompareRow& row = row_of(compared, Competitor::default_answer);
  const MethodResult found = reduce(dataset, {});
  ASSERT_GT(found.reduction.removed.size(), 0U);
  EXPECT_EQ(row.n_kept, static_cast<Index>(found.reduction.kept.size()));
  EXPECT_NEAR(row.mean_best_r2, found.reduction.mean_best_r2, 1e-12);
  EXPECT_DOUBLE_EQ(row.neighbour_overlap, found.neighbour_overlap);
  EXPECT_NEAR(row.r2cv_mean, found.reduction.certificate.removed.mean, 1e-12);
  EXPECT_NEAR(row.r2cv_q10, found.reduction.certificate.removed.quantile_10, 1e-12);
}

TEST(Compare, redundancy_is_the_mean_r2_of_all_pairs_of_kept_features) {
  // More than one tile of them.
  Dataset dataset;
  dataset.matrix = testing::random_matrix(40, 300, 5);
  dataset.feature_names = generated_names(300);
  const UnitFeatures centred = normalise(dataset.matrix, {Centering::mean});
  const std::vector<Index> regular = regular_features(centred);
  double sum = 0;
  for (const Index a : regular) {
    for (const Index b : regular) sum += a < b ? squared_correlation(centred, a, b) : 0;
  }
  const auto n = static_cast<double>(regular.size());
  CompareOptions options;
  options.methods = {Competitor::variance};
  options.n_features = {1};
  const CompareResult found = compare(dataset, options);
  EXPECT_NEAR(row_of(found, Competitor::all).redundancy, 2 * sum / (n * (n - 1)), 1e-12);
  EXPECT_EQ(row_of(found, Competitor::variance).redundancy, 0) << "one feature has no pair";
}

TEST(Compare, tells_how_long_each_method_chose) {
  CompareOptions options;
  options.methods = {Competitor::spec, Competitor::random};
  const auto document = comparison_json({compare(labelled(1), options)}, {});
  const auto& seconds = document.at("all_features")[0].at("selection_seconds");
  EXPECT_EQ(seconds.size(), 2U);
  EXPECT_GE(seconds.at("spec").get<double>(), 0);
  EXPECT_GE(seconds.at("random").get<double>(), 0);
}

TEST(Compare, words_of_its_rows_are_those_of_the_other_commands) {
  CompareOptions options;
  options.methods = {Competitor::random};
  const auto rows = comparison_json({compare(labelled(1), options)}, {}).at("rows");
  for (const char* name : {"n_kept", "neighbour_overlap", "mean_best_r2", "r2cv_mean", "r2cv_q10",
                           "nmi", "nmi_std", "acc", "acc_std"}) {
    EXPECT_TRUE(rows.front().contains(name)) << name;
  }
  // In reduce, sweep and models: with the representative, which a set of features alone has not.
  EXPECT_FALSE(rows.front().contains("mean_r2"));
}

}  // namespace
}  // namespace sfg
