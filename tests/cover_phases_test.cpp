#include "groups/cover_phases.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "helpers.hpp"
#include "reference.hpp"
#include "sfg/cover.hpp"

namespace sfg {
namespace {

using detail::cover_in_phases;
using detail::CoverPhases;
using testing::random_matrix;
using testing::reference_cover;
using testing::tied_matrix;

UnitFeatures centred_for_phases(const Matrix& matrix) {
  return normalise(matrix, {Centering::mean});
}

sfg::RunContext on_threads(int threads) {
  sfg::RunContext run;
  run.threads = threads;
  return run;
}

/// Every c by passes over the data, every joint gain in double.
CoverPhases only_passes() {
  CoverPhases phases;
  phases.entries_per_value = 0;
  phases.few_entries = 0;
  return phases;
}

/// Phases that small data reach.
CoverPhases early_phases() {
  CoverPhases phases;
  phases.vectors_before_lists = *rc::gen::element(0.0, 0.5, 2.0, 1e9);
  phases.columns_per_look = *rc::gen::element<std::size_t>(1, 1000000);
  phases.few_looks = 0;
  phases.picks_per_refresh = *rc::gen::element<std::size_t>(3, 500);
  return phases;
}

/// Random or full of ties, with copies and negated copies of some features.
DenseMatrix data_for_phases(Index n, Index d) {
  const auto seed = *rc::gen::arbitrary<std::uint32_t>();
  DenseMatrix data =
      *rc::gen::arbitrary<bool>() ? tied_matrix(n, d, seed) : random_matrix(n, d, seed);
  for (Index copy = d / 2; copy < d; copy += 3) {
    const double sign = copy % 2 == 0 ? 1 : -1;
    std::ranges::transform(data.column(copy - d / 2), data.column(copy).begin(),
                           [&](double value) { return sign * value; });
  }
  return data;
}

RC_GTEST_PROP(CoverPhases, all_pick_what_the_objective_written_out_would_pick, ()) {
  const auto d = *rc::gen::inRange<Index>(2, 14);
  const auto n = *rc::gen::inRange<Index>(3, 16);
  const UnitFeatures features =
      centred_for_phases(random_matrix(n, d, *rc::gen::arbitrary<std::uint32_t>()));
  CoverStop stop;
  stop.most_features = *rc::gen::inRange<Index>(1, d);
  RC_ASSERT(cover_in_phases(features, stop, on_threads(1), early_phases()).picks ==
            reference_cover(features, stop.most_features));
}

RC_GTEST_PROP(CoverPhases, pick_the_same_among_ties_and_copies_on_one_thread_or_three, ()) {
  const auto d = *rc::gen::inRange<Index>(2, 70);
  const auto n = *rc::gen::inRange<Index>(3, 90);
  const UnitFeatures features = centred_for_phases(data_for_phases(n, d));
  CoverStop stop;
  stop.keep = *rc::gen::container<std::vector<Index>>(3, rc::gen::inRange<Index>(0, d));
  stop.enough_mean_r2 = *rc::gen::element(0.7, 2.0);
  stop.enough_r2 = *rc::gen::element(0.5, 2.0);
  const auto expected = cover_in_phases(features, stop, on_threads(1), only_passes());
  const CoverPhases phases = early_phases();
  const auto one = cover_in_phases(features, stop, on_threads(1), phases);
  const auto three = cover_in_phases(features, stop, on_threads(3), phases);
  RC_ASSERT(one.picks == expected.picks);
  RC_ASSERT(three.picks == expected.picks);
  RC_ASSERT(three.mean_r2 == one.mean_r2);
  for (std::size_t k = 0; k < one.mean_r2.size(); ++k) {
    RC_ASSERT(std::abs(one.mean_r2[k] - expected.mean_r2[k]) < 1e-12);
  }
}

TEST(CoverPhases, pick_the_same_where_tiles_and_blocks_end_within_the_data) {
  for (const Index d : {255, 513, 1100}) {
    const UnitFeatures features =
        centred_for_phases(random_matrix(20, d, static_cast<std::uint32_t>(d)));
    CoverStop stop;
    stop.most_features = 60;
    const auto expected = cover_in_phases(features, stop, on_threads(1), only_passes()).picks;
    for (const double vectors : {0.0, 0.2}) {
      CoverPhases phases;
      phases.vectors_before_lists = vectors;
      phases.few_looks = 0;
      phases.columns_per_look = 100000;
      EXPECT_EQ(cover_in_phases(features, stop, on_threads(3), phases).picks, expected) << d;
    }
  }
}

TEST(CoverPhases, lists_that_are_too_long_are_not_made_and_tried_again) {
  const UnitFeatures features = centred_for_phases(random_matrix(40, 700, 5));
  CoverStop stop;
  stop.most_features = 200;
  const auto expected = cover_in_phases(features, stop, on_threads(1), only_passes()).picks;
  CoverPhases phases;
  phases.vectors_before_lists = 0;
  phases.few_entries = 20000;  // 490,000 pairs to begin with
  phases.entries_per_value = 0;
  EXPECT_EQ(cover_in_phases(features, stop, on_threads(3), phases).picks, expected);
}

}  // namespace
}  // namespace sfg
