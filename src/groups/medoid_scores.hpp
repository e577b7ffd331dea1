#pragma once

#include <memory>
#include <span>
#include <vector>

#include "normalise/products.hpp"

namespace sfg::detail {

/// score_j = sum over the members l of j's group of <f_j, f_l>^2, itself included. One object per
/// worker; BLAS must be single-threaded meanwhile.
class MedoidScores {
 public:
  /// `by_sample` are sparse features with samples as columns, if they are at hand: then a few
  /// features that join a large group are multiplied with those that share a sample with them.
  explicit MedoidScores(const UnitFeatures& features,
                        std::shared_ptr<const SparseMatrix> by_sample = nullptr)
      : features_(features), products_(features), by_sample_(std::move(by_sample)) {}

  /// Whether it is cheaper, for two groups that become one, to find all scores anew from the sum of
  /// outer products than the products of pairs.
  [[nodiscard]] bool is_large(std::size_t left, std::size_t right) const noexcept;
  /// Two groups whose members have their scores become one.
  void join(std::span<const Index> left, std::span<const Index> right, std::vector<double>& scores);
  /// The same with the products of `by_sample`, in the same order: the same bits.
  void join_by_sample(std::span<const Index> left, std::span<const Index> right,
                      std::vector<double>& scores);
  /// The scores of one group from the start.
  void whole(std::span<const Index> members, std::vector<double>& scores);

 private:
  [[nodiscard]] bool is_faster_by_sample(std::span<const Index> few,
                                         std::span<const Index> many) const;
  void multiply_by_sample(Index feature, std::span<const Index> many, bool many_are_left);

  const UnitFeatures& features_;
  FeatureProducts products_;
  std::vector<double> block_;
  std::shared_ptr<const SparseMatrix> by_sample_;
  std::vector<Index> place_;  ///< of each feature in the larger group; -1: not in it
  std::vector<double> row_;   ///< products of one feature with the larger group
  std::vector<double> sums_;
};

/// The same scores of one group of more members than samples, by all threads:
///   sum_l <f_j, f_l>^2 = f_j' (sum_l f_l f_l') f_j.
void medoid_scores_of_large(const UnitFeatures& features, std::span<const Index> members,
                            const RunContext& run, std::vector<double>& scores);

}  // namespace sfg::detail
