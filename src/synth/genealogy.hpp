#pragma once

#include <vector>

#include "core/random.hpp"
#include "sfg/matrix.hpp"

namespace sfg::detail {

/// The genealogy of a few haplotypes at one place of a chromosome: a binary tree with times, whose
/// leaves are the haplotypes. Kingman's coalescent; along the chromosome the sequentially Markov
/// one.
class Genealogy {
 public:
  Genealogy(Index n_leaves, Random& random);

  /// Sum of the lengths of all branches.
  [[nodiscard]] double length() const;
  /// A branch is cut somewhere and its lineage coalesces anew with one of the others.
  void recombine();
  /// By leaf: whether it is below a mutation, which may be anywhere on the tree.
  [[nodiscard]] std::vector<char> mutate();

 private:
  static constexpr Index kNone = -1;

  [[nodiscard]] bool has_branch(Index node) const { return parent_[node] != kNone; }
  [[nodiscard]] double branch(Index node) const { return time_[parent_[node]] - time_[node]; }
  [[nodiscard]] Index any_branch();
  [[nodiscard]] Index sibling_of(Index node) const;
  [[nodiscard]] double exponential(double rate);
  void coalesce(Index node, Index joint, double from);

  Random& random_;
  Index n_leaves_;
  std::vector<Index> parent_;
  std::vector<double> time_;
};

}  // namespace sfg::detail
