#include "sfg/compare.hpp"

#include <gtest/gtest.h>

#include <set>

#include "reference.hpp"

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

TEST(Compare, measures_every_competitor_at_equal_numbers_of_features) {
  CompareOptions options;
  options.shares = {0.5, 0.2};
  options.n_random = 3;
  const CompareResult result = compare(labelled(1), options);
  std::set<std::pair<double, int>> seen;
  for (const CompareRow& row : result.rows) {
    seen.emplace(row.share, static_cast<int>(row.competitor));
    // Of 79 features that vary.
    EXPECT_EQ(row.n_kept, row.share == 0.5 ? 40 : 16);
    if (!row.reached) {
      EXPECT_EQ(row.competitor, Competitor::components);
      continue;
    }
    EXPECT_GT(row.neighbour_overlap, 0);
    EXPECT_GT(row.mean_r2, 0);
    EXPECT_LT(row.mean_r2, 1);
    EXPECT_LE(row.r2cv_q10, row.r2cv_mean + 0.2);
    ASSERT_TRUE(row.nmi.has_value());
    EXPECT_GT(*row.nmi, 0.9) << choice_name(row.competitor);
  }
  EXPECT_EQ(seen.size(), 16U);
  EXPECT_GT(result.nmi_all.value(), 0.9);
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
    EXPECT_EQ(found.rows[k].mean_r2, expected.rows[k].mean_r2);
    EXPECT_EQ(found.rows[k].r2cv_mean, expected.rows[k].r2cv_mean);
    EXPECT_EQ(found.rows[k].nmi, expected.rows[k].nmi);
  }
}

TEST(Compare, no_features_are_certified_that_a_random_subset_keeps_on_purpose) {
  // One stream of random numbers for both made the first subset keep every certified feature.
  CompareOptions options;
  options.shares = {0.5};
  options.n_random = 1;
  options.n_certified = 20;
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

}  // namespace
}  // namespace sfg
