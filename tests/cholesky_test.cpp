#include "select/cholesky.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "core/random.hpp"
#include "reference.hpp"

namespace sfg {
namespace {

using testing::random_matrix;

/// Of right-hand sides of 1.
constexpr double kCloseSolution = 1e-8;

RC_GTEST_PROP(CholeskyFactor, solves_after_any_insertions_and_removals, ()) {
  const auto seed = *rc::gen::arbitrary<std::uint32_t>();
  const DenseMatrix x = random_matrix(20, 12, seed);
  const auto product = [&](Index a, Index b) {
    double sum = 0;
    for (std::size_t i = 0; i < 20; ++i) sum += x.column(a)[i] * x.column(b)[i];
    return sum;
  };
  detail::Random random(seed);
  detail::CholeskyFactor factor;
  std::vector<Index> inside;
  for (Index j = 0; j < 12; ++j) {
    if (!inside.empty() && random.below(3) == 0) {
      const auto place = static_cast<std::size_t>(random.below(inside.size()));
      factor.remove(place);
      inside.erase(inside.begin() + static_cast<std::ptrdiff_t>(place));
    }
    std::vector<double> products;
    for (const Index other : inside) products.push_back(product(other, j));
    products.push_back(product(j, j));
    RC_ASSERT(factor.insert(products) == detail::CholeskyFactor::Inserted::yes);
    inside.push_back(j);
    std::vector<double> solution(inside.size(), 1.0);
    factor.solve(solution);
    for (const Index row : inside) {
      double sum = 0;
      for (std::size_t k = 0; k < inside.size(); ++k) sum += product(row, inside[k]) * solution[k];
      RC_ASSERT(std::fabs(sum - 1) < kCloseSolution);
    }
  }
}

TEST(CholeskyFactor, refuses_a_column_in_the_span_of_the_others) {
  detail::CholeskyFactor factor;
  EXPECT_EQ(factor.insert(std::vector<double>{2.0}), detail::CholeskyFactor::Inserted::yes);
  EXPECT_EQ(factor.insert(std::vector<double>{4.0, 8.0}),
            detail::CholeskyFactor::Inserted::dependent);
  EXPECT_EQ(factor.insert(std::vector<double>{0.0, 0.0}),
            detail::CholeskyFactor::Inserted::dependent);
  EXPECT_EQ(factor.size(), 1U);
}

}  // namespace
}  // namespace sfg
