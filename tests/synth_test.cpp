#include "sfg/synth.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "helpers.hpp"
#include "sfg/pipeline.hpp"

namespace sfg {
namespace {

using testing::expect_error;
using testing::TemporaryFolder;

SynthOptions small() {
  SynthOptions options;
  options.n_samples = 80;
  options.n_features = 200;
  return options;
}

const DenseMatrix& values(const SynthResult& result) {
  return std::get<DenseMatrix>(result.dataset.matrix);
}

TEST(Synth, the_truth_says_how_each_feature_was_made) {
  const SynthResult result = synthesise(small(), 3);
  const auto& matrix = values(result);
  for (Index k = 0; k < 200; ++k) {
    const Planted& planted = result.truth[k];
    for (Index i = 0; i < 80; ++i) {
      double expected = 0;
      for (const Term& source : planted.sources) {
        expected += source.coefficient * matrix(i, source.feature);
      }
      switch (planted.kind) {
        case PlantedKind::independent:
        case PlantedKind::irrelevant:
          break;
        case PlantedKind::constant:
          EXPECT_EQ(matrix(i, k), matrix(0, k));
          break;
        case PlantedKind::noisy:
          EXPECT_NEAR(matrix(i, k), expected, 0.2);
          break;
        default:
          EXPECT_NEAR(matrix(i, k), expected, 1e-12);
      }
    }
  }
}

TEST(Synth, the_same_seed_gives_the_same_data_and_another_seed_others) {
  EXPECT_EQ(truth_to_tsv(synthesise(small(), 5)), truth_to_tsv(synthesise(small(), 5)));
  EXPECT_EQ(values(synthesise(small(), 5))(7, 9), values(synthesise(small(), 5))(7, 9));
  EXPECT_NE(values(synthesise(small(), 5))(7, 9), values(synthesise(small(), 6))(7, 9));
}

TEST(Synth, below_full_density_the_table_is_sparse_and_copies_are_still_copies) {
  SynthOptions options = small();
  options.density = 0.1;
  const SynthResult result = synthesise(options, 1);
  const auto& sparse = std::get<SparseMatrix>(result.dataset.matrix);
  EXPECT_LT(density(result.dataset.matrix), 0.2);
  for (Index k = 0; k < 200; ++k) {
    const Planted& planted = result.truth[k];
    if (planted.kind != PlantedKind::copy) continue;
    const auto copy = sparse.column_values(k);
    const auto source = sparse.column_values(planted.sources[0].feature);
    EXPECT_TRUE(std::ranges::equal(copy, source));
  }
}

TEST(Synth, refuses_shares_that_leave_no_sources) {
  SynthOptions options = small();
  options.copies = 0.9;
  expect_error(ErrorCode::invalid_option, {"independent"}, [&] { (void)synthesise(options, 1); });
  options.copies = -0.1;
  expect_error(ErrorCode::invalid_option, {"between 0 and 1"},
               [&] { (void)synthesise(options, 1); });
}

TEST(Truth, reads_back_as_it_was) {
  const TemporaryFolder folder;
  const SynthResult result = synthesise(small(), 2);
  const auto path = folder.write("t.truth.tsv", truth_to_tsv(result));
  const auto read = load_truth(path, result.dataset);
  ASSERT_EQ(read.size(), result.truth.size());
  for (std::size_t i = 0; i < read.size(); ++i) {
    EXPECT_EQ(read[i].kind, result.truth[i].kind);
    ASSERT_EQ(read[i].sources.size(), result.truth[i].sources.size());
    for (std::size_t k = 0; k < read[i].sources.size(); ++k) {
      EXPECT_EQ(read[i].sources[k].feature, result.truth[i].sources[k].feature);
      EXPECT_EQ(read[i].sources[k].coefficient, result.truth[i].sources[k].coefficient);
    }
  }
}

Dataset named(std::vector<std::string> names) {
  Dataset dataset;
  dataset.feature_names = std::move(names);
  dataset.name_source = NameSource::file;
  return dataset;
}

TEST(Truth, of_other_data_is_refused) {
  const TemporaryFolder folder;
  const auto path = folder.write("t.tsv", "feature\tkind\tsources\tweights\nx\tcopy\ty\t1\n");
  expect_error(ErrorCode::inconsistent_input, {"1 features", "2"}, [&] {
    (void)load_truth(path, named({"x", "y"}));
  });
  expect_error(ErrorCode::inconsistent_input, {"'y'"},
               [&] { (void)load_truth(path, named({"x"})); });
}

TEST(Truth, goes_by_position_for_a_table_without_names) {
  const TemporaryFolder folder;
  SynthResult result = synthesise(small(), 2);
  const auto path = folder.write("t.truth.tsv", truth_to_tsv(result));
  result.dataset.feature_names = generated_names(200);
  result.dataset.name_source = NameSource::generated;
  const auto read = load_truth(path, result.dataset);
  for (std::size_t i = 0; i < read.size(); ++i) EXPECT_EQ(read[i].kind, result.truth[i].kind);
}

/// Planted copies only: the claims of the README.
class PlantedCopies : public ::testing::TestWithParam<std::uint64_t> {
 protected:
  static SynthOptions options() {
    SynthOptions options;
    options.n_samples = 200;
    options.n_features = 600;
    options.combinations = 0;
    options.constant = 0;
    options.empty = 0;
    return options;
  }
};

TEST_P(PlantedCopies, leave_exactly_one_member_per_family_and_every_independent_feature) {
  const SynthResult planted = synthesise(options(), GetParam());
  MethodOptions method;
  method.grouping = ComponentOptions{.theta = 0.5};
  const MethodResult result = reduce(planted.dataset, method);
  const TruthReport report = compare_with_truth(planted.truth, result.reduction);
  EXPECT_GT(report.families, 50);
  EXPECT_EQ(report.families_with_one_kept, report.families);
  EXPECT_EQ(report.families_merged, 0);
  for (const PlantedOutcome& outcome : report.outcomes) {
    EXPECT_EQ(outcome.lost, 0) << choice_name(outcome.kind);
    EXPECT_GT(outcome.lowest_r2, 0.99) << choice_name(outcome.kind);
    if (outcome.kind == PlantedKind::irrelevant) {
      EXPECT_EQ(outcome.removed, 0);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, PlantedCopies, ::testing::Values(1, 2, 3));

}  // namespace
}  // namespace sfg
