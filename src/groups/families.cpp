// Families of copies: merges that need no level.
#include "groups/families.hpp"

#include <algorithm>

#include "core/threads.hpp"
#include "groups/merge_tree.hpp"

namespace sfg::detail {

namespace {

class Families {
 public:
  Families(const FeatureGraph& graph, const UnitFeatures& centred, double family_r2,
           const CompactHierarchy& hierarchy)
      : graph_(graph),
        centred_(centred),
        family_r2_(family_r2),
        hierarchy_(hierarchy),
        tree_(hierarchy.n_features, hierarchy.merges),
        is_member_(static_cast<std::size_t>(hierarchy.n_features), 0),
        in_family_(hierarchy.merges.size(), 0) {}

  /// Edges between features that are as near to each other as members of a family.
  void find_near_edges(const RunContext& run) {
    near_.assign(static_cast<std::size_t>(graph_.n_edges()), 0);
    parallel_for(run, {}, graph_.n_features(), [&](std::int64_t item) {
      const auto i = static_cast<Index>(item);
      if (centred_.kind[i] != FeatureKind::regular) return;
      auto edge = static_cast<std::size_t>(graph_.starts[i]);
      for (const Index j : graph_.neighbours_of(i)) {
        const double r =
            centred_.kind[j] == FeatureKind::regular ? observed_correlation(centred_, i, j) : 0.0;
        near_[edge++] = r * r >= family_r2_ ? 1 : 0;
      }
    });
    for (Index i = 0; i < graph_.n_features(); ++i) {
      auto edge = static_cast<std::size_t>(graph_.starts[i]);
      for (const Index j : graph_.neighbours_of(i)) {
        if (near_[edge++] != 0) users_.emplace_back(j, i);
      }
    }
    std::ranges::sort(users_);
  }

  /// By merge: 1 within a family.
  [[nodiscard]] const std::vector<char>& find() {
    // From the last merge to the first: a union is looked at before its parts.
    for (auto m = static_cast<std::size_t>(hierarchy_.n_edge_merges); m-- > 0;) {
      if (in_family_[m] != 0) continue;
      const double lowest = hierarchy_.merges[m].lowest_r2;
      const bool is_family = lowest >= kCopyR2 || (lowest >= family_r2_ && is_closed(m));
      if (is_family) take(m);
    }
    return in_family_;
  }

 private:
  [[nodiscard]] std::span<const Index> members(std::size_t m) const {
    return tree_.members(hierarchy_.n_features + static_cast<Index>(m));
  }

  /// No near edge leads out of the union.
  [[nodiscard]] bool is_closed(std::size_t m) {
    const auto all = members(m);
    for (const Index member : all) is_member_[member] = 1;
    const bool closed = std::ranges::none_of(all, [&](Index i) { return leads_out(i); });
    for (const Index member : all) is_member_[member] = 0;
    return closed;
  }

  [[nodiscard]] bool leads_out(Index i) const {
    auto edge = static_cast<std::size_t>(graph_.starts[i]);
    for (const Index j : graph_.neighbours_of(i)) {
      if (near_[edge++] != 0 && is_member_[j] == 0) return true;
    }
    for (auto user = std::ranges::lower_bound(users_, std::pair(i, Index{0}));
         user != users_.end() && user->first == i; ++user) {
      if (is_member_[user->second] == 0) return true;
    }
    return false;
  }

  void take(std::size_t m) {
    std::vector<std::size_t> open{m};
    while (!open.empty()) {
      const std::size_t one = open.back();
      open.pop_back();
      in_family_[one] = 1;
      for (const Index part : {tree_.left(one), tree_.right(one)}) {
        if (part >= hierarchy_.n_features) {
          open.push_back(static_cast<std::size_t>(part - hierarchy_.n_features));
        }
      }
    }
  }

  const FeatureGraph& graph_;
  const UnitFeatures& centred_;
  double family_r2_;
  const CompactHierarchy& hierarchy_;
  MergeTree tree_;
  std::vector<char> near_;                      ///< by edge
  std::vector<std::pair<Index, Index>> users_;  ///< feature, and who has a near edge to it
  std::vector<char> is_member_;                 ///< of the union that is looked at
  std::vector<char> in_family_;
};

}  // namespace

void put_families_first(const FeatureGraph& graph, const UnitFeatures& centred, double family_r2,
                        const RunContext& run, CompactHierarchy& hierarchy) {
  Families families(graph, centred, family_r2, hierarchy);
  families.find_near_edges(run);
  const std::vector<char>& in_family = families.find();
  std::vector<CompactMerge> ordered;
  ordered.reserve(hierarchy.merges.size());
  for (const char first : {1, 0}) {
    for (std::size_t m = 0; m < hierarchy.merges.size(); ++m) {
      if (in_family[m] == first) ordered.push_back(hierarchy.merges[m]);
    }
    if (first == 1) hierarchy.n_family_merges = static_cast<Index>(ordered.size());
  }
  hierarchy.merges = std::move(ordered);
}

}  // namespace sfg::detail
