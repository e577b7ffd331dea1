// Song, Ni, Wang: A fast clustering-based feature subset selection algorithm for high-dimensional
// data (2013).
#include <algorithm>
#include <limits>

#include "core/disjoint_sets.hpp"
#include "core/threads.hpp"
#include "select/information.hpp"
#include "select/selectors.hpp"

namespace sfg::detail {

namespace {

/// An edge of the tree, between places in the list of relevant features.
struct TreeEdge {
  Index parent;
  Index child;
  double weight;
};

/// A minimum spanning tree of the complete graph with weights SU, by Prim: O(d^2) measures, O(d)
/// memory. From the first feature; equal weights: the lowest place comes first, at the earliest
/// parent.
std::vector<TreeEdge> spanning_tree(const Information& information,
                                    const std::vector<Index>& features, const RunContext& run) {
  constexpr auto kWhat = Information::Measure::symmetric_uncertainty;
  std::vector<TreeEdge> tree;
  std::vector<Index> open;        // places outside the tree, ascending
  std::vector<Index> open_names;  // their features
  std::vector<double> distance;   // of each of them to the tree
  std::vector<Index> parent;
  for (std::size_t k = 1; k < features.size(); ++k) {
    open.push_back(static_cast<Index>(k));
    open_names.push_back(features[k]);
  }
  distance.assign(open.size(), std::numeric_limits<double>::infinity());
  parent.assign(open.size(), 0);
  std::vector<double> to_last(open.size());
  Index last = 0;
  const auto n_edges = static_cast<double>(open.size());
  while (!open.empty()) {
    check_stop(run);
    to_last.resize(open.size());
    information.measure(kWhat, information.codes().variable(features[last]), open_names, to_last,
                        run);
    for (std::size_t k = 0; k < open.size(); ++k) {
      if (!is_larger(distance[k], to_last[k])) continue;
      distance[k] = to_last[k];
      parent[k] = last;
    }
    const double least = std::ranges::min(distance);
    const auto is_least = [&](double one) { return !is_larger(one, least); };
    const auto nearest = std::ranges::find_if(distance, is_least) - distance.begin();
    last = open[nearest];
    tree.push_back({parent[nearest], last, distance[nearest]});
    open.erase(open.begin() + nearest);
    open_names.erase(open_names.begin() + nearest);
    distance.erase(distance.begin() + nearest);
    parent.erase(parent.begin() + nearest);
    if (run.progress) run.progress("select", static_cast<double>(tree.size()), n_edges);
  }
  return tree;
}

/// An edge goes whose weight is below the relevance of both its ends.
DisjointSets clusters_of(const std::vector<TreeEdge>& tree, const std::vector<Index>& features,
                         const std::vector<double>& relevance) {
  DisjointSets sets(static_cast<Index>(features.size()));
  for (const TreeEdge& edge : tree) {
    const bool is_cut = is_larger(relevance[features[edge.parent]], edge.weight) &&
                        is_larger(relevance[features[edge.child]], edge.weight);
    if (!is_cut) sets.join(edge.parent, edge.child);
  }
  return sets;
}

}  // namespace

/// Of each cluster the most relevant feature stays; equal ones: the lowest index.
void select_by_fast(const Matrix& features, const Target& target, const SelectOptions& options,
                    const RunContext& run, SelectResult& result) {
  const InformationOptions& how = options.information;
  const Information information(features, how.n_bins, run);
  const std::vector<double> relevance =
      relevances(information, coded_target(target, how.n_bins), run);
  const std::vector<Index> relevant = relevant_features(relevance, how.min_relevance, result);
  result.order = ScoreOrder::largest_first;
  result.scores = relevance;
  DisjointSets sets = clusters_of(spanning_tree(information, relevant, run), relevant, relevance);
  std::vector<std::vector<Index>> clusters(relevant.size());
  for (std::size_t k = 0; k < relevant.size(); ++k) {
    clusters[sets.root(static_cast<Index>(k))].push_back(relevant[k]);
  }
  Selection stays;
  std::vector<double> own;
  for (std::vector<Index>& members : clusters) {
    if (members.empty()) continue;
    own.resize(members.size());
    std::ranges::transform(members, own.begin(), [&](Index j) { return relevance[j]; });
    const auto best = members.begin() + static_cast<std::ptrdiff_t>(first_of_largest(own));
    const Index chosen = *best;
    members.erase(best);
    stays.features.push_back(chosen);
    std::vector<double> between(members.size());
    information.measure(Information::Measure::symmetric_uncertainty,
                        information.codes().variable(chosen), members, between, run);
    for (std::size_t k = 0; k < members.size(); ++k) {
      result.removed.push_back({members[k], chosen, between[k], relevance[members[k]]});
    }
  }
  std::ranges::sort(result.removed, {}, &Superseded::feature);
  std::ranges::sort(stays.features);
  std::ranges::stable_sort(stays.features, std::greater{},
                           [&](Index feature) { return relevance[feature]; });
  for (const Index feature : stays.features) stays.scores.push_back(relevance[feature]);
  select_first(stays, n_features(features), options, result);
}

}  // namespace sfg::detail
