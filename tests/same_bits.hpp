#pragma once

#include <gtest/gtest.h>

#include "sfg/pursuit.hpp"

namespace sfg::testing {

/// Representations as build_graph sees them; every number to the bit.
inline void expect_same_bits(const Representations& left, const Representations& right) {
  EXPECT_EQ(left.starts, right.starts);
  EXPECT_EQ(left.atoms, right.atoms);
  EXPECT_EQ(left.coefficients, right.coefficients);
  EXPECT_EQ(left.residual, right.residual);
  EXPECT_EQ(left.status, right.status);
}

}  // namespace sfg::testing
