#include "report/pick_lists.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "helpers.hpp"
#include "reference.hpp"
#include "sfg/pipeline.hpp"

namespace sfg {
namespace {

using detail::pick_lists;
using detail::PickLists;
using testing::random_matrix;
using testing::with_threads;

/// 60 columns, some of them copies, one constant.
UnitFeatures features_with_copies() {
  DenseMatrix data = random_matrix(40, 60, 5);
  for (Index j = 40; j < 60; ++j) {
    for (Index i = 0; i < 40; ++i) data(i, j) = 2 * data(i, j - 40);
  }
  for (Index i = 0; i < 40; ++i) data(i, 30) = 1;
  return normalise(Matrix(std::move(data)), {Centering::mean});
}

/// The owner of a feature after so many picks, as the page finds it; -1 for none.
Index owner_after(const PickLists& lists, Index feature, Index n_picks) {
  Index owner = -1;
  for (std::uint32_t k = lists.starts[feature]; k < lists.starts[feature + 1]; ++k) {
    if (static_cast<Index>(lists.places[k]) >= n_picks) break;
    owner = static_cast<Index>(lists.picks[lists.places[k]]);
  }
  return owner;
}

TEST(PickLists, give_the_nearest_pick_of_every_level) {
  const UnitFeatures centred = features_with_copies();
  const CoverSequence sequence = cover(centred, {});
  const PickLists lists = pick_lists(sequence, {}, centred, {});
  ASSERT_EQ(lists.picks.size(), 59U);
  for (Index m = 1; m <= 59; ++m) {
    std::vector<Index> kept(sequence.picks.begin(), sequence.picks.begin() + m);
    std::ranges::sort(kept);
    const auto nearest = nearest_kept(centred, kept);
    for (Index i = 0; i < 60; ++i) {
      EXPECT_EQ(owner_after(lists, i, m), nearest[i].feature) << i << " after " << m;
    }
  }
}

TEST(PickLists, leave_out_what_takes_no_part_in_groups) {
  const UnitFeatures centred = features_with_copies();
  const CoverSequence sequence = cover(centred, {.most_features = 10});
  const std::vector<Index> apart{3, 17};
  const PickLists lists = pick_lists(sequence, apart, centred, {});
  for (const Index feature : {3, 17, 30}) EXPECT_EQ(owner_after(lists, feature, 10), -1);
  EXPECT_NE(owner_after(lists, 4, 10), -1);
}

TEST(PickLists, are_the_same_for_any_number_of_threads) {
  const UnitFeatures centred = features_with_copies();
  const CoverSequence sequence = cover(centred, {});
  const PickLists one = pick_lists(sequence, {}, centred, with_threads(1));
  const PickLists three = pick_lists(sequence, {}, centred, with_threads(3));
  EXPECT_EQ(one.places, three.places);
  EXPECT_EQ(one.r2, three.r2);
}

}  // namespace
}  // namespace sfg
