#include "groups/merge_tree.hpp"

#include <algorithm>
#include <numeric>

namespace sfg::detail {

MergeTree::MergeTree(Index n_features, std::span<const CompactMerge> merges)
    : left_(merges.size()), right_(merges.size()) {
  const auto d = static_cast<std::size_t>(n_features);
  const std::size_t n_nodes = d + merges.size();
  size_.assign(n_nodes, 1);
  first_.assign(n_nodes, 0);
  order_.resize(d);
  std::vector<std::size_t> height(n_nodes, 0);
  std::vector<char> is_root(n_nodes, 1);
  // The node of the group whose lowest member is i.
  std::vector<Index> node_of(d);
  std::iota(node_of.begin(), node_of.end(), Index{0});
  for (std::size_t m = 0; m < merges.size(); ++m) {
    auto& lower = node_of[merges[m].a];
    left_[m] = lower;
    right_[m] = node_of[merges[m].b];
    const auto left = static_cast<std::size_t>(left_[m]);
    const auto right = static_cast<std::size_t>(right_[m]);
    const std::size_t node = d + m;
    size_[node] = size_[left] + size_[right];
    is_root[left] = 0;
    is_root[right] = 0;
    height[node] = 1 + std::max(height[left], height[right]);
    if (by_height_.size() < height[node]) by_height_.resize(height[node]);
    by_height_[height[node] - 1].push_back(m);
    lower = static_cast<Index>(node);
  }
  // Roots side by side; then, from the last merge to the first, each node hands its places on.
  Index next = 0;
  for (std::size_t node = 0; node < n_nodes; ++node) {
    if (is_root[node] == 0) continue;
    first_[node] = next;
    next += size_[node];
  }
  for (std::size_t m = merges.size(); m-- > 0;) {
    const auto left = static_cast<std::size_t>(left_[m]);
    first_[left] = first_[d + m];
    first_[right_[m]] = first_[d + m] + size_[left];
  }
  for (std::size_t i = 0; i < d; ++i) order_[first_[i]] = static_cast<Index>(i);
}

}  // namespace sfg::detail
