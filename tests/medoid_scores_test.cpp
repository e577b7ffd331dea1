#include "groups/medoid_scores.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <numeric>
#include <vector>

#include "core/random.hpp"
#include "core/threads.hpp"
#include "helpers.hpp"
#include "reference.hpp"

namespace sfg {
namespace {

using detail::MedoidScores;
using testing::centred;

/// Entries in one cell of six, one in every column at least.
SparseMatrix sparse_counts(Index n, Index d, std::uint32_t seed) {
  detail::Random random(seed);
  std::vector<Triplet> entries;
  for (Index j = 0; j < d; ++j) {
    for (Index i = 0; i < n; ++i) {
      if (i != j % n && random.below(6) != 0) continue;
      entries.push_back({i, j, 0.25 + static_cast<double>(random.below(5))});
    }
  }
  return assemble(n, d, entries, RepeatedEntries::refuse);
}

RC_GTEST_PROP(MedoidScores, by_sample_they_are_the_same_bits, ()) {
  const auto n_left = *rc::gen::element<Index>(1, 2, 17, 130, 300);
  const auto n_right = *rc::gen::element<Index>(1, 3, 40, 129, 270);
  const auto n = *rc::gen::inRange<Index>(5, 60);
  const auto seed = *rc::gen::arbitrary<std::uint32_t>();
  const SparseMatrix data = sparse_counts(n, n_left + n_right + 3, seed);
  const UnitFeatures features =
      *rc::gen::arbitrary<bool>() ? centred(data) : normalise(data, {Centering::none});
  const detail::SingleThreadedBlas single_threaded;
  // Neither group is in the order of the features.
  std::vector<Index> order(static_cast<std::size_t>(features.n_features()));
  std::iota(order.begin(), order.end(), Index{0});
  detail::Random random(seed);
  detail::shuffle(order, random);
  const auto left = std::span<const Index>(order).first(static_cast<std::size_t>(n_left));
  const auto right =
      std::span<const Index>(order).subspan(left.size(), static_cast<std::size_t>(n_right));
  std::vector<double> expected(order.size(), 1.0);
  MedoidScores(features).join(left, right, expected);
  std::vector<double> found(order.size(), 1.0);
  MedoidScores scores(
      features, std::make_shared<SparseMatrix>(std::get<SparseMatrix>(transpose(features.matrix))));
  scores.join_by_sample(left, right, found);
  if (left.size() * right.size() > 16) RC_ASSERT(found == expected);
  // What one join leaves behind must not change the next one.
  std::vector<double> again(order.size(), 1.0);
  scores.join_by_sample(left, right, again);
  RC_ASSERT(again == found);
  std::vector<double> chosen(order.size(), 1.0);
  scores.join(left, right, chosen);
  RC_ASSERT(chosen == expected);
}

}  // namespace
}  // namespace sfg
