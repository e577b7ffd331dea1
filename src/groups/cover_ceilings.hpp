#pragma once

#include <vector>

#include "groups/float_features.hpp"
#include "sfg/run_context.hpp"

namespace sfg::detail {

/// Upper bounds of c_j = sum_i max(0, r_ij^2 - b_i) for all features at once. From b to a higher
/// b', c_j falls by
///   sum over {i: b'_i > b_i} of min(max(0, r_ij^2 - b_i), b'_i - b_i),
/// and no term is negative: with |r| taken lower by what floats may be wrong by, the sum is a
/// little too low, and what is left of c_j a little too high. After k picks one more changes b_i of
/// about one feature in k: so all c fall for the price of that many columns.
class CoverCeilings {
 public:
  /// `c`: for b = 0.
  CoverCeilings(const FloatFeatures& rounded, std::vector<double> c, const RunContext& run);
  [[nodiscard]] static double bytes(const UnitFeatures& features, const RunContext& run);

  /// How many b_i have risen since the ceilings were lowered.
  [[nodiscard]] std::size_t n_risen(const std::vector<double>& b) const;
  void lower(const std::vector<double>& b);
  [[nodiscard]] double operator[](std::size_t feature) const noexcept { return c_[feature]; }

 private:
  /// Columns of features whose b rose, with b and by how much it rose, so rounded that sums are
  /// low.
  struct Risen {
    std::vector<float> columns, covered, rise;
  };
  [[nodiscard]] Risen gather(const std::vector<Index>& features,
                             const std::vector<double>& b) const;
  void lower_by(const Risen& risen);
  /// The first time all b rise, and a product serves both features.
  void lower_from_nothing(const std::vector<double>& b);

  const FloatFeatures& rounded_;
  const RunContext& run_;
  std::vector<double> c_;
  std::vector<double> b_;  ///< that c_ holds for
  bool is_lowered_ = false;
};

}  // namespace sfg::detail
