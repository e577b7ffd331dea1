#include "synth/genealogy.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace sfg::detail {

Genealogy::Genealogy(Index n_leaves, Random& random)
    : random_(random),
      n_leaves_(n_leaves),
      parent_(static_cast<std::size_t>(2 * n_leaves - 1), kNone),
      time_(parent_.size(), 0.0) {
  std::vector<Index> lineages(static_cast<std::size_t>(n_leaves));
  std::iota(lineages.begin(), lineages.end(), Index{0});
  double now = 0;
  for (Index joint = n_leaves; lineages.size() > 1; ++joint) {
    const auto k = static_cast<double>(lineages.size());
    now += exponential(k * (k - 1) / 2);
    time_[joint] = now;
    for (int child = 0; child < 2; ++child) {
      std::swap(lineages[random_.below(lineages.size())], lineages.back());
      parent_[lineages.back()] = joint;
      lineages.pop_back();
    }
    lineages.push_back(joint);
  }
}

double Genealogy::exponential(double rate) {
  return -std::log(1 - random_.uniform()) / rate;
}

double Genealogy::length() const {
  double sum = 0;
  for (Index node = 0; node < static_cast<Index>(parent_.size()); ++node) {
    if (has_branch(node)) sum += branch(node);
  }
  return sum;
}

/// The longer, the likelier.
Index Genealogy::any_branch() {
  double left = random_.uniform() * length();
  Index last = kNone;
  for (Index node = 0; node < static_cast<Index>(parent_.size()); ++node) {
    if (!has_branch(node)) continue;
    last = node;
    left -= branch(node);
    if (left < 0) break;
  }
  return last;
}

Index Genealogy::sibling_of(Index node) const {
  for (Index other = 0;; ++other) {
    if (other != node && parent_[other] == parent_[node]) return other;
  }
}

void Genealogy::recombine() {
  const Index node = any_branch();
  const double from = time_[node] + random_.uniform() * branch(node);
  const Index joint = parent_[node];
  const Index sibling = sibling_of(node);
  parent_[sibling] = parent_[joint];
  parent_[node] = kNone;
  coalesce(node, joint, from);
}

/// With k other lineages the rate is k. `joint` is the node that the cut has freed.
void Genealogy::coalesce(Index node, Index joint, double from) {
  double now = from;
  std::vector<Index> crossing;
  for (;;) {
    crossing.clear();
    double next = std::numeric_limits<double>::infinity();
    for (Index other = 0; other < static_cast<Index>(parent_.size()); ++other) {
      if (other == node || other == joint || time_[other] > now) continue;
      // Below the cut a subtree hangs that takes no part: its root is the node itself.
      const bool in_subtree = [&] {
        Index above = other;
        while (above != kNone && above != node) above = parent_[above];
        return above == node;
      }();
      const double end =
          has_branch(other) ? time_[parent_[other]] : std::numeric_limits<double>::infinity();
      if (in_subtree || end <= now) continue;
      crossing.push_back(other);
      next = std::min(next, end);
    }
    const double then = now + exponential(static_cast<double>(crossing.size()));
    if (then < next) {
      const Index other = crossing[random_.below(crossing.size())];
      time_[joint] = then;
      parent_[joint] = parent_[other];
      parent_[other] = joint;
      parent_[node] = joint;
      return;
    }
    now = next;
  }
}

std::vector<char> Genealogy::mutate() {
  const Index node = any_branch();
  std::vector<char> below(static_cast<std::size_t>(n_leaves_), 0);
  for (Index leaf = 0; leaf < n_leaves_; ++leaf) {
    Index above = leaf;
    while (above != kNone && above != node) above = parent_[above];
    below[leaf] = above == node ? 1 : 0;
  }
  return below;
}

}  // namespace sfg::detail
