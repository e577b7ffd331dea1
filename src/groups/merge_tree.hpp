#pragma once

#include <span>
#include <vector>

#include "sfg/compact.hpp"

namespace sfg::detail {

/// The merges as a forest: nodes 0 .. d-1 are features, node d + m is the union of merge m.
/// Features are put in an order in which the members of every node stand side by side.
class MergeTree {
 public:
  MergeTree(Index n_features, std::span<const CompactMerge> merges);

  /// The two parts of merge m, as nodes.
  [[nodiscard]] Index left(std::size_t m) const noexcept { return left_[m]; }
  [[nodiscard]] Index right(std::size_t m) const noexcept { return right_[m]; }
  [[nodiscard]] std::span<const Index> members(Index node) const noexcept {
    const auto k = static_cast<std::size_t>(node);
    return {order_.data() + first_[k], static_cast<std::size_t>(size_[k])};
  }
  /// Merges by the height of their node: those of one list do not depend on each other, only on
  /// lists before.
  [[nodiscard]] const std::vector<std::vector<std::size_t>>& by_height() const noexcept {
    return by_height_;
  }

 private:
  std::vector<Index> left_;
  std::vector<Index> right_;
  std::vector<Index> order_;
  std::vector<Index> first_;  ///< place of a node's first member
  std::vector<Index> size_;
  std::vector<std::vector<std::size_t>> by_height_;
};

}  // namespace sfg::detail
