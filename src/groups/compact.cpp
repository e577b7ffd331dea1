// Compact groups: Ward's merges along edges, then who stands for each union.
#include "sfg/compact.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/memory.hpp"
#include "core/threads.hpp"
#include "groups/families.hpp"
#include "groups/groups_of.hpp"
#include "groups/merge_tree.hpp"
#include "groups/representatives.hpp"
#include "groups/ward.hpp"

namespace sfg {

namespace {

std::vector<char> regular_flags(const UnitFeatures& features, const UnitFeatures& centred) {
  std::vector<char> regular(centred.kind.size());
  for (std::size_t i = 0; i < regular.size(); ++i) {
    regular[i] =
        features.kind[i] == FeatureKind::regular && centred.kind[i] == FeatureKind::regular ? 1 : 0;
  }
  return regular;
}

/// The features, the means of unions or, later, sparse features by sample, and the edges.
void require_room(const FeatureGraph& graph, const UnitFeatures& features, const RunContext& run) {
  constexpr double kBytesPerEdge = 80;
  constexpr double kBytesPerFeature = 200;
  const auto held = static_cast<double>(memory_of(features.matrix));
  const bool dense = std::holds_alternative<DenseMatrix>(features.matrix);
  const double bytes = held + (dense ? held / 2 : held) +
                       kBytesPerEdge * static_cast<double>(graph.n_edges()) +
                       kBytesPerFeature * features.n_features();
  detail::require_memory(bytes, run,
                         fmt::format("grouping {} features compactly", features.n_features()),
                         "raise {memory_limit}, or use the paper's groups ({grouping=components})");
}

}  // namespace

CompactHierarchy build_compact_hierarchy(const FeatureGraph& graph, const UnitFeatures& features,
                                         const UnitFeatures& centred, const WardOptions& options,
                                         const RunContext& run) {
  require_room(graph, features, run);
  const std::vector<char> regular = regular_flags(features, centred);
  CompactHierarchy hierarchy;
  hierarchy.n_features = graph.n_features();
  hierarchy.n_regular = static_cast<Index>(std::ranges::count(regular, 1));
  auto ward =
      detail::ward_merges(graph, features, regular, options.fewest_groups, options.window, run);
  hierarchy.merges = std::move(ward.merges);
  hierarchy.n_edge_merges = ward.n_edge_merges;
  detail::represent_merges(graph, centred, options.representative, run, hierarchy);
  if (options.family_r2) {
    detail::put_families_first(graph, centred, *options.family_r2, run, hierarchy);
  }
  return hierarchy;
}

Groups cut(const CompactHierarchy& hierarchy, Index n_merges) {
  detail::DisjointSets sets(hierarchy.n_features);
  for (std::size_t m = 0; m < static_cast<std::size_t>(n_merges); ++m) {
    sets.join(hierarchy.merges[m].a, hierarchy.merges[m].b);
  }
  return detail::groups_of(sets, hierarchy.n_features);
}

std::vector<Index> representatives(const CompactHierarchy& hierarchy, const Groups& groups,
                                   Index n_merges) {
  std::vector<Index> chosen;
  for (Index g = 0; g < groups.n_groups(); ++g) chosen.push_back(groups.members_of(g).front());
  // The last merge of a group says who stands for it.
  for (std::size_t m = 0; m < static_cast<std::size_t>(n_merges); ++m) {
    const Index group = groups.group_of[hierarchy.merges[m].a];
    chosen[group] = hierarchy.merges[m].representative;
  }
  return chosen;
}

std::vector<CompactLevel> levels(const CompactHierarchy& hierarchy) {
  struct Part {
    Index n_removed = 0;
    double explained = 0;
  };
  std::vector<Part> parts(static_cast<std::size_t>(hierarchy.n_features));
  Index n_removed = 0;
  double explained = 0;
  std::vector<CompactLevel> levels{{0, hierarchy.n_regular, 1.0}};
  for (const CompactMerge& merge : hierarchy.merges) {
    Part& lower = parts[merge.a];
    const Part& higher = parts[merge.b];
    n_removed += merge.n_removed - lower.n_removed - higher.n_removed;
    explained += merge.explained - lower.explained - higher.explained;
    lower = {merge.n_removed, merge.explained};
    levels.push_back({levels.back().n_merges + 1, hierarchy.n_regular - n_removed,
                      n_removed > 0 ? explained / n_removed : 1.0});
  }
  return levels;
}

}  // namespace sfg
