#include "sfg/cover.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "helpers.hpp"
#include "reference.hpp"
#include "sfg/level.hpp"
#include "sfg/reduce.hpp"

namespace sfg {
namespace {

using testing::random_matrix;
using testing::reference_cover;
using testing::tied_matrix;

UnitFeatures centred_for_cover(const Matrix& matrix) {
  return normalise(matrix, {Centering::mean});
}

RC_GTEST_PROP(Cover, picks_what_the_objective_written_out_would_pick, ()) {
  const auto d = *rc::gen::inRange<Index>(2, 14);
  const auto n = *rc::gen::inRange<Index>(3, 12);
  const UnitFeatures features =
      centred_for_cover(random_matrix(n, d, *rc::gen::arbitrary<std::uint32_t>()));
  CoverStop options;
  options.most_features = *rc::gen::inRange<Index>(1, d);
  RC_ASSERT(cover(features, options).picks == reference_cover(features, options.most_features));
}

TEST(Cover, is_nested_and_the_same_for_every_number_of_threads) {
  const UnitFeatures features = centred_for_cover(random_matrix(60, 1500, 4));
  CoverStop options;
  options.most_features = 40;
  sfg::RunContext run;
  run.threads = 1;
  const auto expected = cover(features, options, run).picks;
  run.threads = 3;
  EXPECT_EQ(cover(features, options, run).picks, expected);
  options.most_features = 15;
  EXPECT_EQ(cover(features, options, run).picks,
            std::vector<Index>(expected.begin(), expected.begin() + 15));
}

TEST(Cover, dense_and_sparse_data_give_the_same_picks) {
  const DenseMatrix dense = random_matrix(20, 50, 8);
  CoverStop options;
  options.most_features = 20;
  EXPECT_EQ(cover(centred_for_cover(to_sparse(dense)), options).picks,
            cover(centred_for_cover(dense), options).picks);
}

TEST(Cover, differences_of_the_inverse_do_not_add_up_over_many_picks) {
  // More picks than between two refreshes, against a sequence that is refreshed elsewhere.
  const UnitFeatures features = centred_for_cover(random_matrix(30, 1300, 2));
  CoverStop options;
  options.most_features = 1100;
  const auto sequence = cover(features, options);
  ASSERT_EQ(sequence.picks.size(), 1100U);
  std::vector<Index> kept = sequence.picks;
  std::ranges::sort(kept);
  double sum = 0;
  for (const NearestKept& nearest : nearest_kept(features, kept)) sum += nearest.r2;
  EXPECT_NEAR((sum - 1100) / 200, sequence.mean_r2.back(), 1e-9);
}

TEST(Cover, stops_at_the_first_level_that_is_good_enough) {
  const Matrix data = tied_matrix(30, 80, 3);
  const UnitFeatures features = centred_for_cover(data);
  LevelOptions level;
  level.min_mean_r2 = 0.7;
  const sfg::RunContext run;
  const auto sequence = cover_to_level(level, {}, {features, nullptr, run});
  ASSERT_GT(sequence.picks.size(), 1U);
  EXPECT_GE(sequence.mean_r2.back(), 0.7);
  for (std::size_t k = 0; k + 1 < sequence.mean_r2.size(); ++k) {
    EXPECT_LT(sequence.mean_r2[k], 0.7);
  }
}

TEST(Cover, refuses_more_memory_than_allowed_with_the_number) {
  const UnitFeatures features = centred_for_cover(random_matrix(300, 400, 1));
  sfg::RunContext run;
  run.memory_limit = 2'000'000;
  testing::expect_error(ErrorCode::over_memory, {"MB", "300 samples"},
                        [&] { static_cast<void>(cover(features, {}, run)); });
}

}  // namespace
}  // namespace sfg
