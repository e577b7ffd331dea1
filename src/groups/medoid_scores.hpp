#pragma once

#include <span>
#include <vector>

#include "normalise/products.hpp"

namespace sfg::detail {

/// score_j = sum over the members l of j's group of <f_j, f_l>^2, itself included. One object per
/// worker; BLAS must be single-threaded meanwhile.
class MedoidScores {
 public:
  explicit MedoidScores(const UnitFeatures& features) : features_(features), products_(features) {}

  /// Two groups whose members have their scores become one.
  void join(std::span<const Index> left, std::span<const Index> right, std::vector<double>& scores);
  /// The scores of one group from the start.
  void whole(std::span<const Index> members, std::vector<double>& scores);

 private:
  void from_outer_products(std::span<const Index> members, std::vector<double>& scores);

  const UnitFeatures& features_;
  FeatureProducts products_;
  std::vector<double> block_;
};

}  // namespace sfg::detail
