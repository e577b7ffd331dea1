#include "groups/representatives.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "core/threads.hpp"
#include "groups/medoid_scores.hpp"
#include "sfg/error.hpp"

namespace sfg {

namespace {

/// Score of every feature from the edges that passed the filter.
std::vector<double> degree_scores(const FeatureGraph& graph, RepresentativeRule rule) {
  std::vector<double> scores(static_cast<std::size_t>(graph.n_features()), 0.0);
  for (Index i = 0; i < graph.n_features(); ++i) {
    if (graph.failed[i] != 0) continue;
    const auto neighbours = graph.neighbours_of(i);
    const auto weights = graph.weights_of(i);
    for (std::size_t k = 0; k < neighbours.size(); ++k) {
      if (weights[k] == 0) continue;
      const auto j = static_cast<std::size_t>(neighbours[k]);
      switch (rule) {
        case RepresentativeRule::out_degree:
          scores[i] += 1;
          break;
        case RepresentativeRule::weighted_in_degree:
          scores[j] += std::fabs(weights[k]);
          break;
        default:
          scores[j] += 1;
      }
    }
  }
  return scores;
}

/// The medoid's scores, group by group: large ones by all threads, of the others the largest first.
void add_medoid_scores(const Groups& groups, const UnitFeatures& features, const RunContext& run,
                       std::vector<double>& scores) {
  const detail::SingleThreadedBlas single_threaded;
  std::vector<detail::MedoidScores> workspace(static_cast<std::size_t>(detail::worker_count(run)),
                                              detail::MedoidScores(features));
  std::vector<Index> small;
  for (Index g = 0; g < groups.n_groups(); ++g) {
    const auto members = groups.members_of(g);
    if (workspace.front().is_large(members.size() / 2, members.size() / 2)) {
      detail::medoid_scores_of_large(features, members, run, scores);
    } else {
      small.push_back(g);
    }
  }
  std::ranges::stable_sort(small, std::greater{},
                           [&](Index group) { return groups.members_of(group).size(); });
  detail::parallel_for_workers(run, "medoids", static_cast<std::int64_t>(small.size()),
                               [&](std::int64_t item, int worker) {
                                 workspace[worker].whole(groups.members_of(small[item]), scores);
                               });
}

/// Listed features score above all others, earlier ones higher.
void raise_listed(const std::vector<Index>& priority, std::vector<double>& scores) {
  const double above_all = *std::ranges::max_element(scores) + 1;
  for (std::size_t k = priority.size(); k-- > 0;) {
    scores[priority[k]] = above_all + static_cast<double>(priority.size() - k);
  }
}

}  // namespace

std::vector<double> detail::fixed_scores(const FeatureGraph& graph,
                                         const RepresentativeOptions& options) {
  std::vector<double> scores = degree_scores(graph, options.rule);
  if (options.rule == RepresentativeRule::priority) raise_listed(options.priority, scores);
  return scores;
}

std::vector<Index> choose_representatives(const Groups& groups, const FeatureGraph& graph,
                                          const UnitFeatures* features,
                                          const RepresentativeOptions& options,
                                          const RunContext& run) {
  const bool by_medoid = options.rule == RepresentativeRule::medoid;
  if (by_medoid && features == nullptr) {
    throw Error(ErrorCode::invalid_option,
                "the medoid rule needs the data: a graph file is not enough, give the data file");
  }
  std::vector<double> scores = detail::fixed_scores(graph, options);
  if (by_medoid) add_medoid_scores(groups, *features, run, scores);
  std::vector<char> keep(scores.size(), 0);
  for (const Index feature : options.keep) keep[feature] = 1;

  const double tie = by_medoid ? detail::kMedoidTie : 0.0;
  std::vector<Index> representatives;
  for (Index g = 0; g < groups.n_groups(); ++g) {
    const auto members = groups.members_of(g);
    const auto must_be_kept = [&](Index member) { return keep[member] != 0; };
    const bool some_kept = std::ranges::any_of(members, must_be_kept);
    const auto eligible = [&](Index member) { return !some_kept || must_be_kept(member); };
    double best = -std::numeric_limits<double>::infinity();
    for (const Index member : members) {
      if (eligible(member)) best = std::max(best, scores[member]);
    }
    representatives.push_back(*std::ranges::find_if(
        members, [&](Index member) { return eligible(member) && scores[member] >= best - tie; }));
  }
  return representatives;
}

}  // namespace sfg
