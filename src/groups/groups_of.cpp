#include "groups/groups_of.hpp"

#include <algorithm>
#include <numeric>

namespace sfg {

Groups detail::groups_by_label(const std::vector<Index>& labels) {
  Groups groups;
  groups.group_of.resize(labels.size());
  constexpr Index kUnnumbered = -1;
  std::vector<Index> numbers(labels.size(), kUnnumbered);
  std::vector<Offset> sizes;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    Index& number = numbers[labels[i]];
    if (number == kUnnumbered) {
      number = static_cast<Index>(sizes.size());
      sizes.push_back(0);
    }
    groups.group_of[i] = number;
    ++sizes[number];
  }
  groups.starts.resize(sizes.size() + 1);
  for (std::size_t g = 0; g < sizes.size(); ++g) groups.starts[g + 1] = groups.starts[g] + sizes[g];
  groups.members.resize(labels.size());
  std::vector<Offset> next(groups.starts.begin(), groups.starts.end() - 1);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    auto& place = next[groups.group_of[i]];
    groups.members[place++] = static_cast<Index>(i);
  }
  return groups;
}

Groups detail::groups_of(DisjointSets& sets, Index n_features) {
  std::vector<Index> roots(static_cast<std::size_t>(n_features));
  for (Index i = 0; i < n_features; ++i) roots[i] = sets.root(i);
  return groups_by_label(roots);
}

std::span<const Index> Groups::members_of(Index group) const noexcept {
  const auto g = static_cast<std::size_t>(group);
  return {members.data() + starts[g], static_cast<std::size_t>(starts[g + 1] - starts[g])};
}

Index Groups::largest() const noexcept {
  Offset largest = 0;
  for (std::size_t g = 1; g < starts.size(); ++g)
    largest = std::max(largest, starts[g] - starts[g - 1]);
  return static_cast<Index>(largest);
}

std::vector<Index> largest_groups(const Groups& groups, std::size_t most) {
  std::vector<Index> order(static_cast<std::size_t>(groups.n_groups()));
  std::iota(order.begin(), order.end(), Index{0});
  const auto shown = std::min(most, order.size());
  std::ranges::partial_sort(
      order, order.begin() + static_cast<std::ptrdiff_t>(shown), {},
      [&](Index group) { return std::pair(-std::ssize(groups.members_of(group)), group); });
  order.resize(shown);
  return order;
}

Index groups_of_two_or_more(const Groups& groups) {
  Index count = 0;
  for (Index g = 0; g < groups.n_groups(); ++g) count += groups.members_of(g).size() > 1 ? 1 : 0;
  return count;
}

}  // namespace sfg
