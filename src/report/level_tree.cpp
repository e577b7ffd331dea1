#include "report/level_tree.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "core/disjoint_sets.hpp"
#include "core/threads.hpp"
#include "groups/representatives.hpp"
#include "sfg/reduce.hpp"

namespace sfg::detail {

namespace {

/// The list of r2 has at most so many entries per feature: with balanced merges it has about
/// log2(d), and only long chains that change their representative again and again have more.
constexpr std::size_t kMostPerFeature = 48;
/// Pairs of features whose correlation is found by one item of work.
constexpr std::size_t kPairsPerItem = 1024;

struct Pair {
  std::uint32_t feature;
  std::uint32_t representative;
};

/// Groups as linked lists of members, in the order that LevelTree::r2 speaks of.
class MemberLists {
 public:
  explicit MemberLists(std::size_t n_features) : next_(n_features), last_(n_features) {
    for (std::size_t i = 0; i < n_features; ++i) {
      next_[i] = kEnd;
      last_[i] = static_cast<std::uint32_t>(i);
      representative_.push_back(static_cast<std::uint32_t>(i));
    }
  }

  /// Members of the group whose representative is not this one yet.
  void add_changed(std::uint32_t group, std::uint32_t representative,
                   std::vector<Pair>& pairs) const {
    if (representative_[group] == representative) return;
    for (std::uint32_t member = group; member != kEnd; member = next_[member]) {
      if (member != representative) pairs.push_back({member, representative});
    }
  }

  void join(std::uint32_t a, std::uint32_t b, std::uint32_t representative) {
    next_[last_[a]] = b;
    last_[a] = last_[b];
    representative_[a] = representative;
  }

 private:
  static constexpr std::uint32_t kEnd = ~std::uint32_t{0};
  std::vector<std::uint32_t> next_;
  std::vector<std::uint32_t> last_;            ///< by group
  std::vector<std::uint32_t> representative_;  ///< by group
};

/// Fills in r2 and n_measured.
void measure(const UnitFeatures& centred, const RunContext& run, LevelTree& tree) {
  const auto d = static_cast<std::size_t>(centred.n_features());
  MemberLists lists(d);
  std::vector<Pair> pairs;
  for (std::size_t m = 0; m < tree.a.size(); ++m) {
    const std::size_t before = pairs.size();
    lists.add_changed(tree.a[m], tree.representative[m], pairs);
    lists.add_changed(tree.b[m], tree.representative[m], pairs);
    if (pairs.size() > kMostPerFeature * d) {
      pairs.resize(before);
      break;
    }
    lists.join(tree.a[m], tree.b[m], tree.representative[m]);
    tree.n_measured = static_cast<std::uint32_t>(m + 1);
  }
  tree.r2.resize(pairs.size());
  const auto n_items =
      static_cast<std::int64_t>((pairs.size() + kPairsPerItem - 1) / kPairsPerItem);
  parallel_for(run, "report", n_items, [&](std::int64_t item) {
    const std::size_t first = static_cast<std::size_t>(item) * kPairsPerItem;
    for (std::size_t k = first; k < std::min(first + kPairsPerItem, pairs.size()); ++k) {
      const double r2 = squared_correlation(centred, static_cast<Index>(pairs[k].feature),
                                            static_cast<Index>(pairs[k].representative));
      tree.r2[k] = static_cast<std::uint16_t>(std::lround(r2 * kPageR2Steps));
    }
  });
}

LevelTree merges_of(const CompactHierarchy& hierarchy) {
  LevelTree tree;
  for (const CompactMerge& merge : hierarchy.merges) {
    tree.a.push_back(static_cast<std::uint32_t>(merge.a));
    tree.b.push_back(static_cast<std::uint32_t>(merge.b));
    tree.height.push_back(merge.cost);
    tree.representative.push_back(static_cast<std::uint32_t>(merge.representative));
  }
  return tree;
}

LevelTree merges_of(const ComponentHierarchy& hierarchy, const FeatureGraph& graph,
                    const RepresentativeOptions& options) {
  const std::vector<double> scores = fixed_scores(graph, options);
  std::vector<char> keep(scores.size(), 0);
  for (const Index feature : options.keep) keep[feature] = 1;
  // Scores are fixed, so that the best of a union is the better one of its two parts.
  const auto rank = [&](Index feature) {
    const auto i = static_cast<std::size_t>(feature);
    return std::tuple(keep[i], scores[i], -feature);
  };
  DisjointSets sets(hierarchy.n_features);
  std::vector<Index> best(scores.size());
  std::iota(best.begin(), best.end(), Index{0});

  LevelTree tree;
  for (const Merge& merge : hierarchy.merges) {
    const auto roots = std::minmax({sets.root(merge.a), sets.root(merge.b)});
    const auto a = static_cast<std::size_t>(roots.first);
    const auto b = static_cast<std::size_t>(roots.second);
    const Index representative = rank(best[a]) > rank(best[b]) ? best[a] : best[b];
    tree.a.push_back(static_cast<std::uint32_t>(a));
    tree.b.push_back(static_cast<std::uint32_t>(b));
    tree.height.push_back(merge.weight);
    tree.representative.push_back(static_cast<std::uint32_t>(representative));
    sets.join(merge.a, merge.b);
    best[a] = representative;
  }
  return tree;
}

}  // namespace

LevelTree level_tree(const Hierarchy& hierarchy, const FeatureGraph& graph,
                     const RepresentativeOptions& options, const UnitFeatures& centred,
                     const RunContext& run) {
  LevelTree tree;
  if (const auto* compact = std::get_if<CompactHierarchy>(&hierarchy)) tree = merges_of(*compact);
  if (const auto* components = std::get_if<ComponentHierarchy>(&hierarchy)) {
    tree = merges_of(*components, graph, options);
  }
  measure(centred, run, tree);
  return tree;
}

}  // namespace sfg::detail
