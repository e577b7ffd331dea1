#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <numeric>
#include <vector>

#include "core/random.hpp"
#include "equations/exact_fit.hpp"
#include "equations/tolerances.hpp"
#include "helpers.hpp"
#include "reference.hpp"

namespace sfg {
namespace {

/// Counts in order of the values: the lowest of the most common ones.
bool support_by_counting(const UnitFeatures& features, std::span<const Index> members) {
  const auto& matrix = std::get<DenseMatrix>(features.matrix);
  const auto n_terms = static_cast<std::ptrdiff_t>(members.size()) - 1;
  std::vector<char> differs(static_cast<std::size_t>(matrix.n_samples()), 0);
  for (const Index member : members) {
    const auto column = matrix.column(member);
    std::map<double, int> counts;
    for (const double value : column) ++counts[value];
    auto common = counts.begin();
    for (auto one = counts.begin(); one != counts.end(); ++one) {
      if (one->second > common->second) common = one;
    }
    if (matrix.n_samples() - common->second < detail::kSamplesPerTerm) return false;
    for (std::size_t i = 0; i < column.size(); ++i) {
      if (column[i] != common->first) differs[i] = 1;
    }
  }
  const int n_different = std::accumulate(differs.begin(), differs.end(), 0);
  return matrix.n_samples() >= detail::kSamplesPerTerm * n_terms &&
         n_different >= detail::kSamplesPerTerm * n_terms;
}

RC_GTEST_PROP(Support, is_that_of_counting_every_value, ()) {
  const auto n = *rc::gen::inRange<Index>(4, 40);
  const auto seed = *rc::gen::arbitrary<std::uint32_t>();
  detail::Random random(seed);
  // From columns with one rare value to columns in which two values are as common.
  DenseMatrix data(n, 4);
  for (Index j = 0; j < 4; ++j) {
    const std::uint64_t n_values = 2 + random.below(3);
    const bool rare = random.below(3) == 0;
    for (Index i = 0; i < n; ++i) {
      const bool usual = rare && random.below(5) != 0;
      data(i, j) = usual ? 0.0 : static_cast<double>(random.below(n_values));
    }
    data(j % n, j) = 7;
  }
  const UnitFeatures features = testing::centred(data);
  const std::vector<Index> members{0, 1, 2, 3};
  for (std::size_t k = 2; k <= members.size(); ++k) {
    const auto some = std::span<const Index>(members).first(k);
    RC_ASSERT(detail::has_support(features, some) == support_by_counting(features, some));
  }
}

}  // namespace
}  // namespace sfg
