#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "groups/groups_of.hpp"
#include "sfg/components.hpp"
#include "sfg/error.hpp"

namespace sfg {

namespace {

/// A weight above the threshold by no more than this equals it: engines agree to 1e-12, and the
/// comparison is strict.
constexpr double kWeightTie = 1e-12;

bool is_above(double weight, double threshold) {
  return weight > threshold + kWeightTie;
}

/// Merges are sorted by falling weight: how many of them a threshold lets through.
std::size_t n_merges_above(const ComponentHierarchy& hierarchy, double threshold) {
  const auto end = std::ranges::partition_point(
      hierarchy.merges, [&](const Merge& merge) { return is_above(merge.weight, threshold); });
  return static_cast<std::size_t>(end - hierarchy.merges.begin());
}

}  // namespace

ComponentHierarchy build_component_hierarchy(const FeatureGraph& graph) {
  ComponentHierarchy hierarchy;
  hierarchy.n_features = graph.n_features();
  hierarchy.min_weight = std::numeric_limits<double>::infinity();
  std::vector<Merge> edges;
  for (Index i = 0; i < graph.n_features(); ++i) {
    if (graph.failed[i] != 0) continue;
    const auto neighbours = graph.neighbours_of(i);
    const auto weights = graph.weights_of(i);
    for (std::size_t k = 0; k < neighbours.size(); ++k) {
      const double weight = std::fabs(weights[k]);
      if (weight == 0) continue;
      hierarchy.min_weight = std::min(hierarchy.min_weight, weight);
      hierarchy.max_weight = std::max(hierarchy.max_weight, weight);
      edges.push_back({std::min(i, neighbours[k]), std::max(i, neighbours[k]), weight});
    }
  }
  if (edges.empty()) hierarchy.min_weight = 0;

  // Kruskal: heaviest first. Of the two edges i -> j and j -> i the heavier one comes first, which
  // is the maximum that the forest is defined by.
  std::ranges::sort(edges, [](const Merge& left, const Merge& right) {
    return std::tuple(-left.weight, left.a, left.b) < std::tuple(-right.weight, right.a, right.b);
  });
  detail::DisjointSets sets(hierarchy.n_features);
  for (const Merge& edge : edges) {
    if (sets.join(edge.a, edge.b)) hierarchy.merges.push_back(edge);
  }
  return hierarchy;
}

void check_theta(double theta) {
  if (!(theta > 0 && theta < 1)) {
    throw Error(ErrorCode::invalid_option,
                fmt::format("theta must be between 0 and 1, not {}", theta), "", {"theta", ""});
  }
}

double weight_threshold(const ComponentHierarchy& hierarchy, double theta) {
  check_theta(theta);
  const double range = hierarchy.max_weight - hierarchy.min_weight;
  // All weights equal (only exact copies, say): there is no place between them, and nothing is
  // heavier than the rest. Count from zero then, so that copies still form a group.
  if (range <= kWeightTie * hierarchy.max_weight) return theta * hierarchy.max_weight;
  return hierarchy.min_weight + theta * range;
}

Groups cut(const ComponentHierarchy& hierarchy, double threshold) {
  return cut_after(hierarchy, static_cast<Index>(n_merges_above(hierarchy, threshold)));
}

Groups cut_after(const ComponentHierarchy& hierarchy, Index n_merges) {
  detail::DisjointSets sets(hierarchy.n_features);
  for (std::size_t m = 0; m < static_cast<std::size_t>(n_merges); ++m) {
    sets.join(hierarchy.merges[m].a, hierarchy.merges[m].b);
  }
  return detail::groups_of(sets, hierarchy.n_features);
}

Index count_groups(const ComponentHierarchy& hierarchy, double threshold) {
  return hierarchy.n_features - static_cast<Index>(n_merges_above(hierarchy, threshold));
}

}  // namespace sfg
