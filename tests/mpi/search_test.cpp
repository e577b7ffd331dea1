#include "search.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "pursuit/omp/tolerances.hpp"

namespace sfg::mpi {
namespace {

/// The rule of one process, said plainly.
Index lowest_within_a_tie(const std::vector<Scored>& all) {
  const double best = std::ranges::max(all, {}, &Scored::score).score;
  Index lowest = -1;
  for (const Scored& one : all) {
    const bool is_tied = one.score >= best - detail::kScoreTie;
    if (is_tied && (lowest < 0 || one.feature < lowest)) lowest = one.feature;
  }
  return lowest;
}

RC_GTEST_PROP(Winners, the_first_within_a_tie_of_the_best_is_that_of_all_in_any_order, ()) {
  // Steps of a third of a tie: chains of scores that tie with their neighbours only.
  const auto steps =
      *rc::gen::nonEmpty(rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 9)));
  std::vector<Scored> all;
  for (std::size_t k = 0; k < steps.size(); ++k) {
    all.push_back({static_cast<Index>(k), 0.5 + steps[k] * detail::kScoreTie / 3});
  }
  const Index expected = lowest_within_a_tie(all);
  std::ranges::shuffle(all, std::minstd_rand(*rc::gen::arbitrary<unsigned>()));
  Winners winners;
  for (const Scored& one : all) winners.add(one);
  const auto list = winners.list();
  RC_ASSERT(list.front().feature == expected);
  RC_ASSERT(winners.best() == std::ranges::max(all, {}, &Scored::score).score);
}

TEST(Searches, come_back_from_bytes_as_they_were) {
  std::vector<Search> searches(3);
  searches[0] = {{0, 0.5, -1e-300, 3}, {4, 2}, 7, {}};
  searches[1] = {{0, 1, 2, 3}, {}, -1, {}};
  searches[1].winners.add({5, 0.25});
  searches[2] = {{0, 0, 0, 0}, {1}, -1, {}};
  searches[2].winners.add({5, 0.25});
  searches[2].winners.add({3, 0.25 - detail::kScoreTie / 2});
  std::string bytes;
  pack(searches, Content::everything, bytes);
  std::vector<Search> back(9);
  unpack(bytes, Content::everything, 3, back);
  ASSERT_EQ(back.size(), 3U);
  for (std::size_t b = 0; b < 3; ++b) {
    EXPECT_EQ(back[b].residual, searches[b].residual);
    EXPECT_EQ(back[b].forbidden, searches[b].forbidden);
    EXPECT_EQ(back[b].twin, searches[b].twin);
    EXPECT_EQ(back[b].winners.list().size(), searches[b].winners.list().size());
    EXPECT_EQ(back[b].winners.best(), searches[b].winners.best());
  }
}

TEST(Searches, take_as_many_bytes_as_the_scaling_model_says) {
  std::vector<Search> searches(1);
  searches[0] = {std::vector<double>(1 + 100), {1, 2, 3}, -1, {}};
  searches[0].winners.add({5, 0.25});
  std::string bytes;
  pack(searches, Content::everything, bytes);
  EXPECT_EQ(bytes.size(), 4 + (8 * 100 + 12 + 4 * 3 + 12));
  pack(searches, Content::winners, bytes);
  EXPECT_EQ(bytes.size(), 4 + 12 + 12);
}

}  // namespace
}  // namespace sfg::mpi
