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

TEST(Kernels, of_four_columns_at_once_equal_those_of_one_at_every_length_and_alignment) {
  Random random(2);
  std::vector<double> values(400);
  for (double& value : values) value = static_cast<double>(random.below(21)) - 10;
  const double factors[4] = {2, -3, 5, -7};
  for (std::size_t shift = 0; shift < 8; ++shift) {
    for (std::size_t n = 0; n <= 70; ++n) {
      const double* v = values.data() + shift;
      const double* const columns[4] = {v + 75, v + 151, v + 227, v + 303};
      double products[4];
      dot_four(columns, v, n, products);
      std::vector<double> sums(v, v + n);
      std::vector<double> expected(v, v + n);
      add_four_multiples(factors, columns, sums.data(), n);
      for (std::size_t c = 0; c < 4; ++c) {
        EXPECT_EQ(products[c], dot(columns[c], v, n));
        add_multiple(factors[c], columns[c], expected.data(), n);
      }
      EXPECT_EQ(sums, expected);
    }
  }
}

TEST(Kernels, products_with_eight_and_with_four_vectors_are_those_of_plain_loops) {
  detail::Random random(5);
  for (const std::size_t n : {1U, 3U, 17U}) {
    for (const std::size_t count : {1U, 4U, 7U, 13U}) {
      std::vector<double> columns(n * count);
      std::vector<double> vectors(n * detail::kEight);
      for (auto* values : {&columns, &vectors}) {
        for (double& value : *values) value = random.normal();
      }
      std::vector<double> eight(count * detail::kEight);
      std::vector<double> four(count * detail::kEight, 7.0);
      detail::multiply_by_eight(columns.data(), n, count, vectors.data(), eight.data());
      detail::multiply_by_four(columns.data(), n, count, vectors.data(), four.data());
      for (std::size_t j = 0; j < count; ++j) {
        for (std::size_t v = 0; v < detail::kEight; ++v) {
          double sum = 0;
          for (std::size_t i = 0; i < n; ++i) {
            sum += columns[j * n + i] * vectors[i * detail::kEight + v];
          }
          EXPECT_NEAR(eight[j * detail::kEight + v], sum, 1e-12);
          EXPECT_NEAR(four[j * detail::kEight + v], v < detail::kFour ? sum : 7.0, 1e-12);
        }
      }
    }
  }
}

/// Sums that a fused multiply-add or another order would round otherwise. Written down on x86-64.
TEST(Kernels, give_the_same_bits_on_every_processor) {
  constexpr std::size_t kLength = 101;
  Random random(5);
  std::vector<double> a(8 * kLength);
  std::vector<double> b(8 * kLength);
  for (double& value : a) value = random.uniform(-1, 1);
  for (double& value : b) value = random.uniform(-1, 1);
  EXPECT_EQ(dot(a.data(), b.data(), kLength), -0x1.1fe017cc00df6p+0);
  const double* const columns[4] = {a.data(), a.data() + kLength, a.data() + 2 * kLength,
                                    a.data() + 3 * kLength};
  double four[4];
  dot_four(columns, b.data(), kLength, four);
  EXPECT_EQ(four[0], -0x1.1fe017cc00df4p+0);
  EXPECT_EQ(four[3], 0x1.2b52ac5d82a6dp+1);
  std::vector<double> eight(5 * kEight);
  multiply_by_eight(a.data(), kLength, 5, b.data(), eight.data());
  EXPECT_EQ(eight.front(), -0x1.ca99d2312c439p+2);
  EXPECT_EQ(eight.back(), -0x1.c8718d2dceb26p-1);
  const SquaredDistances distances = squared_distances(a.data(), b.data(), kLength);
  EXPECT_EQ(distances.to, 0x1.1e8ee95370b09p+6);
  EXPECT_EQ(distances.to_negated, 0x1.0c90e7d6b0a29p+6);
}

TEST(Kernels, squared_distances_do_not_depend_on_the_order_of_the_two) {
  detail::Random random(6);
  for (const std::size_t n : {0U, 1U, 8U, 21U}) {
    std::vector<double> a(n);
    std::vector<double> b(n);
    double to = 0;
    double to_negated = 0;
    for (std::size_t i = 0; i < n; ++i) {
      a[i] = random.normal();
      b[i] = random.normal();
      to += (a[i] - b[i]) * (a[i] - b[i]);
      to_negated += (a[i] + b[i]) * (a[i] + b[i]);
    }
    const auto found = detail::squared_distances(a.data(), b.data(), n);
    const auto swapped = detail::squared_distances(b.data(), a.data(), n);
    EXPECT_NEAR(found.to, to, 1e-12);
    EXPECT_NEAR(found.to_negated, to_negated, 1e-12);
    EXPECT_EQ(found.to, swapped.to);
    EXPECT_EQ(found.to_negated, swapped.to_negated);
  }
}

}  // namespace
}  // namespace sfg::detail
