#include "core/kernels.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/random.hpp"

namespace sfg::detail {
namespace {

/// Lengths around the vector width, at every alignment; whole numbers, so that sums are exact.
TEST(Kernels, equal_plain_loops_for_every_length_and_alignment) {
  Random random(1);
  std::vector<double> a(200);
  std::vector<double> b(200);
  for (double& value : a) value = static_cast<double>(random.below(21)) - 10;
  for (double& value : b) value = static_cast<double>(random.below(21)) - 10;
  for (std::size_t shift = 0; shift < 8; ++shift) {
    for (std::size_t n = 0; n <= 70; ++n) {
      double product = 0;
      double largest = 0;
      std::vector<double> sum(b.begin(), b.end());
      for (std::size_t i = 0; i < n; ++i) {
        product += a[shift + i] * b[i];
        largest = std::max(largest, std::fabs(a[shift + i]));
        sum[i] += 3 * a[shift + i];
      }
      EXPECT_EQ(dot(a.data() + shift, b.data(), n), product);
      EXPECT_EQ(max_abs(a.data() + shift, n), largest);
      std::vector<double> y(b.begin(), b.end());
      add_multiple(3, a.data() + shift, y.data(), n);
      EXPECT_EQ(y, sum);
      const std::vector<float> floats(a.begin(), a.end());
      EXPECT_EQ(max_abs(floats.data() + shift, n), static_cast<float>(largest));
      std::vector<float> z(b.begin(), b.end());
      add_multiple(3.0F, floats.data() + shift, z.data(), n);
      EXPECT_EQ(std::vector<double>(z.begin(), z.end()), sum);
    }
  }
}

}  // namespace
}  // namespace sfg::detail
