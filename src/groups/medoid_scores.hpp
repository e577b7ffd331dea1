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

  /// Whether it is cheaper, for two groups that become one, to find all scores anew from the sum of
  /// outer products than the products of pairs.
  [[nodiscard]] bool is_large(std::size_t left, std::size_t right) const noexcept;
  /// Two groups whose members have their scores become one.
  void join(std::span<const Index> left, std::span<const Index> right, std::vector<double>& scores);
  /// The scores of one group from the start.
  void whole(std::span<const Index> members, std::vector<double>& scores);

 private:
  const UnitFeatures& features_;
  FeatureProducts products_;
  std::vector<double> block_;
};

/// The same scores of one group of more members than samples, by all threads:
///   sum_l <f_j, f_l>^2 = f_j' (sum_l f_l f_l') f_j.
void medoid_scores_of_large(const UnitFeatures& features, std::span<const Index> members,
                            const RunContext& run, std::vector<double>& scores);

}  // namespace sfg::detail
