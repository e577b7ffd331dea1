// What a comparison says in sentences, and its ranking over all sizes and tables.
#include <gtest/gtest.h>

#include <algorithm>

#include "sfg/compare.hpp"

namespace sfg {
namespace {

CompareRow judged(Competitor competitor, Index n_kept, double accuracy, double nmi) {
  CompareRow row{};
  row.competitor = competitor;
  row.n_kept = n_kept;
  row.share = n_kept / 1000.0;
  row.reached = true;
  row.accuracy = accuracy;
  row.nmi_mean = nmi;
  row.neighbour_overlap = 0.5;
  row.r2cv_mean = 0.5;
  return row;
}

CompareResult judged_result() {
  CompareResult result;
  result.n_samples = 500;
  result.n_features = result.n_regular = 1000;
  result.n_classes = 3;
  result.rows = {
      judged(Competitor::all, 1000, 0.9, 0.6), judged(Competitor::default_answer, 120, 0.92, 0.65),
      judged(Competitor::compact, 200, 0.900, 0.600), judged(Competitor::cover, 200, 0.905, 0.590),
      judged(Competitor::variance, 200, 0.880, 0.640)};
  return result;
}

TEST(Verdict, says_so_when_a_simple_rule_wins_and_when_a_difference_is_noise) {
  const std::string text = verdict({judged_result()});
  EXPECT_NE(text.find("At 200 features: "), std::string::npos) << text;
  EXPECT_NE(text.find("compact is as good as the best in classification (0.900; cover 0.905)"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("variance is best in clustering (0.640, +0.040 over compact)"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("Differences below 0.010 are noise."), std::string::npos) << text;
  EXPECT_NE(text.find("The default answer keeps 120 of 1,000 features: classification 0.920 (all "
                      "features 0.900), clustering 0.650 (all features 0.600)."),
            std::string::npos)
      << text;
}

TEST(Verdict, counts_only_methods_that_reach_every_size) {
  CompareResult result = judged_result();
  result.rows.push_back(judged(Competitor::compact, 50, 0.7, 0.5));
  result.rows.push_back(judged(Competitor::variance, 50, 0.6, 0.4));
  // Cover is best at 200 features and does not reach 50.
  const std::string text = verdict({result});
  EXPECT_NE(text.find("On average over 2 sizes (200 to 50 features)"), std::string::npos) << text;
  EXPECT_NE(text.find("compact is best in classification (0.800)"), std::string::npos) << text;
  EXPECT_EQ(text.find("cover"), std::string::npos) << text;
}

TEST(Verdict, calls_nobody_best_whose_lead_is_noise) {
  CompareResult result = judged_result();
  std::erase_if(result.rows,
                [](const CompareRow& row) { return row.competitor == Competitor::compact; });
  const std::string text = verdict({result});
  EXPECT_NE(text.find("variance is best in clustering (0.640)"), std::string::npos) << text;
  EXPECT_NE(text.find("cover is as good as any in held-out R2 (0.500; variance 0.500)"),
            std::string::npos)
      << text;
}

TEST(Ranking, puts_the_best_score_first_whoever_that_is) {
  CompareResult result = judged_result();
  for (CompareRow& row : result.rows) row.score = (*row.accuracy + *row.nmi_mean) / 2;
  const auto means = ranking({result, result});
  ASSERT_EQ(means.size(), 3U);
  EXPECT_EQ(means[0].competitor, Competitor::variance);
  EXPECT_NEAR(means[0].score, 0.76, 1e-12);
  EXPECT_EQ(means[1].competitor, Competitor::compact);
}

TEST(Verdict, of_several_tables_is_about_their_mean) {
  CompareResult other = judged_result();
  for (CompareRow& row : other.rows) {
    if (row.competitor == Competitor::variance) row.nmi_mean = 0.2;
  }
  const std::string text = verdict({judged_result(), other});
  EXPECT_NE(text.find("On average over 2 tables"), std::string::npos) << text;
  EXPECT_NE(text.find("compact is best in clustering (0.600)"), std::string::npos) << text;
  EXPECT_NE(text.find("keeps 12 % of the features"), std::string::npos) << text;
}

TEST(Verdict, takes_two_samples_for_noise_where_there_are_few) {
  CompareResult result = judged_result();
  result.n_samples = 50;
  EXPECT_DOUBLE_EQ(noise_of(result), 0.04);
  result.n_samples = 5000;
  EXPECT_DOUBLE_EQ(noise_of(result), 0.01);
}

TEST(PairedDifferences, set_the_default_answer_beside_all_features) {
  const auto differences = paired_differences({judged_result()});
  const auto found = std::ranges::find_if(differences, [](const PairedDifference& one) {
    return one.first == Competitor::default_answer && one.measure == "accuracy";
  });
  ASSERT_NE(found, differences.end());
  EXPECT_EQ(found->second, Competitor::all);
  EXPECT_NEAR(found->mean, 0.02, 1e-12);
}

}  // namespace
}  // namespace sfg
