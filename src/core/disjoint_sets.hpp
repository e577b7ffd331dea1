#pragma once

#include <numeric>
#include <utility>
#include <vector>

#include "sfg/matrix.hpp"

namespace sfg::detail {

/// Union-find with path halving; the lower root stays, so that roots are lowest members.
class DisjointSets {
 public:
  explicit DisjointSets(Index n) : parent_(static_cast<std::size_t>(n)) {
    std::iota(parent_.begin(), parent_.end(), Index{0});
  }

  [[nodiscard]] Index root(Index i) noexcept {
    auto at = static_cast<std::size_t>(i);
    while (parent_[at] != static_cast<Index>(at)) {
      parent_[at] = parent_[parent_[at]];
      at = static_cast<std::size_t>(parent_[at]);
    }
    return static_cast<Index>(at);
  }

  /// False if they were together already.
  bool join(Index a, Index b) noexcept {
    a = root(a);
    b = root(b);
    if (a == b) return false;
    if (a > b) std::swap(a, b);
    parent_[b] = a;
    return true;
  }

 private:
  std::vector<Index> parent_;
};

}  // namespace sfg::detail
