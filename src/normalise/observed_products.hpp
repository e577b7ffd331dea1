#pragma once

#include <span>
#include <vector>

#include "normalise/products.hpp"

namespace sfg::detail {

/// Correlations of many centred features with many others, each pair over the samples that have
/// values in both: what is evidence. Without gaps they are the products of unit features. One
/// object per worker, as FeatureProducts.
class ObservedProducts {
 public:
  explicit ObservedProducts(const UnitFeatures& features)
      : features_(features), products_(features) {}

  /// out[j * left.size() + i] = r of left[i] and right[j]; 0 where fewer than kFewestCommon samples
  /// have both.
  void operator()(std::span<const Index> left, std::span<const Index> right, double* out);

 private:
  using Columns = std::vector<const double*>;
  [[nodiscard]] Columns columns_of(std::span<const Index> chosen, std::vector<double>& room) const;

  const UnitFeatures& features_;
  FeatureProducts products_;
  std::vector<double> left_room_;
  std::vector<double> right_room_;
};

}  // namespace sfg::detail
