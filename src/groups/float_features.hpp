#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "sfg/normalise.hpp"
#include "sfg/run_context.hpp"

namespace sfg::detail {

/// Dense unit features rounded to float, for a first look at many products: half the memory to go
/// through, and twice the numbers at once. What a look may be wrong by has a bound, so that double
/// decides only where it has to. Columns are filled up with zeros to whole registers.
class FloatFeatures {
 public:
  FloatFeatures(const UnitFeatures& features, const RunContext& run);
  [[nodiscard]] static double bytes(const UnitFeatures& features) noexcept;

  [[nodiscard]] std::size_t stride() const noexcept { return stride_; }
  [[nodiscard]] const float* column(std::size_t feature) const noexcept {
    return values_.data() + feature * stride_;
  }
  /// A vector over the samples, rounded and filled up like a column.
  [[nodiscard]] std::vector<float> rounded(std::span<const double> vector) const;

  /// How far the product of a column and a rounded vector of length 1 may be from the one in
  /// double, however it is summed: rounding both and each of n steps costs 2^-24.
  [[nodiscard]] double product_error() const noexcept;
  /// The same for multiply_with_two(), which adds up in lanes: fewer steps follow each other.
  [[nodiscard]] double lane_error() const noexcept;

 private:
  std::size_t n_;
  std::size_t stride_;
  std::vector<float> values_;
};

/// Products of a column with two vectors.
struct TwoProducts {
  float with_u;
  float with_v;
};
/// out[j] = column_j'u and column_j'v for `count` columns of `stride` values.
void multiply_with_two(const float* columns, std::size_t stride, std::size_t count, const float* u,
                       const float* v, TwoProducts* out) noexcept;

}  // namespace sfg::detail
