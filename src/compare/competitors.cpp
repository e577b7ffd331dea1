#include "compare/competitors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "core/random.hpp"
#include "core/threads.hpp"
#include "sfg/competitors.hpp"
#include "sfg/error.hpp"
#include "sfg/graph.hpp"
#include "sfg/grouping.hpp"
#include "sfg/pipeline.hpp"
#include "sfg/select.hpp"

namespace sfg::detail {

namespace {

/// One set, in order.
KeptSets one_set(std::vector<Index> kept) {
  std::ranges::sort(kept);
  return {{std::move(kept)}, {}};
}

/// The first ones of an order, for every count.
std::vector<KeptSets> first_of(const std::vector<Index>& order, const Contest& contest) {
  std::vector<KeptSets> all;
  for (const Index count : contest.counts) {
    all.push_back(one_set({order.begin(), order.begin() + count}));
  }
  return all;
}

std::vector<KeptSets> none_reached(const Contest& contest, const std::string& reason) {
  return {contest.counts.size(), KeptSets{{}, reason}};
}

/// What a grouping keeps at each of the counts.
std::vector<KeptSets> grouped_sets(const Contest& contest, const GroupingOptions& options) {
  const FeatureList keep;
  FeatureGraph graph;
  UnitFeatures uncentred;
  if (!is_centred(options)) {
    uncentred = normalise(contest.dataset.matrix, {Centering::none}, contest.run);
  }
  const UnitFeatures& features = is_centred(options) ? contest.centred : uncentred;
  if (const PursuitOptions* pursuit = pursuit_of(options)) {
    const auto* components = std::get_if<ComponentOptions>(&options);
    const GraphOptions filter =
        components != nullptr ? components->graph : GraphOptions{kNoAngleLimit};
    graph = build_graph(pursue(features, *pursuit, contest.run), filter);
  } else if (const auto* compact = std::get_if<CompactOptions>(&options)) {
    graph = nearest_graph(features, compact->nearest, contest.run);
  }
  const GroupingInput input{graph, features, contest.centred, options, keep, contest.run};
  const Hierarchy hierarchy = build_hierarchy(input, contest.counts.back());
  std::vector<KeptSets> all;
  for (const Index count : contest.counts) {
    auto kept = kept_at(hierarchy, count, input);
    all.push_back(kept ? one_set(std::move(*kept))
                       : KeptSets{{}, fmt::format("no level keeps exactly {} features", count)});
  }
  return all;
}

GroupingOptions cover_of(Index n_features) {
  CoverOptions options;
  options.level.n_features = n_features;
  return options;
}

GroupingOptions compact_on(EdgeSource edges) {
  CompactOptions options;
  options.edges = edges;
  return options;
}

/// Variance of the data as they are, up to a common factor: (norm of the centred feature)^2.
std::vector<Index> by_falling_variance(const Contest& contest) {
  std::vector<Index> order = contest.regular;
  std::ranges::stable_sort(order, std::greater{},
                           [&](Index feature) { return log_norm(contest.centred, feature); });
  return order;
}

std::vector<KeptSets> random_sets(const Contest& contest) {
  std::vector<KeptSets> all;
  for (const Index count : contest.counts) {
    // Not the numbers by which features are chosen to be certified.
    Random random(contest.run.seed + 1);
    KeptSets some;
    for (int k = 0; k < contest.n_random; ++k) {
      some.sets.push_back(random_choice(contest.regular, static_cast<std::size_t>(count), random));
    }
    all.push_back(std::move(some));
  }
  return all;
}

/// Whether a score tells a feature from those without any.
bool tells(const SelectResult& result, double score) {
  return result.order == ScoreOrder::largest_first ? score > 0 : std::isfinite(score);
}

/// Whether what counts is the order of the picks, or minus how much a feature is worth less than
/// those with a weight: zero and less are then scores like others.
bool is_order(SelectMethod method) {
  return method == SelectMethod::mrmr || method == SelectMethod::grm;
}

std::vector<Index> in_contest(const std::vector<Index>& places, const Contest& contest) {
  std::vector<Index> features;
  for (const Index place : places) features.push_back(contest.regular[place]);
  return features;
}

/// Among the features that vary; where several have no score at all, the selector does not say
/// which of these to keep.
std::vector<KeptSets> selected_sets(const Contest& contest, SelectMethod method) {
  SelectOptions options;
  options.method = method;
  options.sizes = contest.counts;
  const auto& labels = contest.dataset.labels;
  if (needs_labels(options) && !labels) return none_reached(contest, "it chooses by labels");
  const Matrix data = select_features(contest.dataset.matrix, contest.regular);
  const UnitFeatures features = normalise(data, {Centering::none}, contest.run);
  const SelectResult result =
      needs_labels(options)
          ? select_best(features, read_target(*labels, features.n_samples()), options, contest.run)
          : select_best(features, options, contest.run);
  std::vector<KeptSets> all;
  for (std::size_t k = 0; k < contest.counts.size(); ++k) {
    const auto& selection = result.selections[k];
    if (selection->n_selected < contest.counts[k]) {
      all.push_back({{}, fmt::format("it keeps {} features", selection->n_selected)});
      continue;
    }
    if (is_order(method)) {
      all.push_back(one_set(in_contest(selection->features, contest)));
      continue;
    }
    const auto n_told = std::ranges::count_if(selection->scores,
                                              [&](double score) { return tells(result, score); });
    if (n_told < selection->n_selected) {
      all.push_back({{}, fmt::format("it gives only {} features a score", n_told)});
      continue;
    }
    all.push_back(one_set(in_contest(selection->features, contest)));
  }
  return all;
}

std::vector<KeptSets> dropped_sets(const Contest& contest, PairCorrelations& pairs,
                                   const std::vector<Index>& order) {
  pairs.require(1, contest.run);
  std::vector<KeptSets> all;
  for (const Index count : contest.counts) {
    all.push_back(one_set(drop_correlated(pairs, order, count, contest.run)));
  }
  return all;
}

std::vector<KeptSets> medoid_sets(const Contest& contest, PairCorrelations& pairs) {
  pairs.require(1, contest.run);
  const auto order = facility_location_order(pairs, contest.counts.front(), contest.run);
  std::vector<KeptSets> all;
  for (const Index count : contest.counts) {
    all.push_back(
        one_set(improve_medoids(pairs, {order.begin(), order.begin() + count}, contest.run)));
  }
  return all;
}

std::vector<KeptSets> ward_sets(const Contest& contest, PairCorrelations& pairs) {
  constexpr int kPairsAndDistances = 2;
  pairs.require(kPairsAndDistances, contest.run);
  std::vector<KeptSets> all;
  for (auto& kept : ward_medoids(pairs, contest.counts, contest.run)) {
    all.push_back(one_set(std::move(kept)));
  }
  return all;
}

std::vector<KeptSets> sets_of(Competitor competitor, const Contest& contest,
                              PairCorrelations& pairs) {
  const Index most = contest.counts.front();
  switch (competitor) {
    case Competitor::all:
    case Competitor::default_answer:
      break;
    case Competitor::compact:
      return grouped_sets(contest, compact_on(EdgeSource::pursuit));
    case Competitor::knn_ward:
      return grouped_sets(contest, compact_on(EdgeSource::knn));
    case Competitor::cover:
      return grouped_sets(contest, cover_of(most));
    case Competitor::components:
      return grouped_sets(contest, ComponentOptions{});
    case Competitor::random:
      return random_sets(contest);
    case Competitor::pearson_index:
      return dropped_sets(contest, pairs, contest.regular);
    case Competitor::pearson_variance:
      return dropped_sets(contest, pairs, by_falling_variance(contest));
    case Competitor::variance:
      return first_of(by_falling_variance(contest), contest);
    case Competitor::column_subset:
      return first_of(column_subset_order(contest.centred, most, contest.run), contest);
    case Competitor::pivoted_qr:
      return first_of(pivoted_qr_order(contest.centred, most, contest.run), contest);
    case Competitor::facility_location:
      pairs.require(1, contest.run);
      return first_of(facility_location_order(pairs, most, contest.run), contest);
    case Competitor::k_medoids:
      return medoid_sets(contest, pairs);
    case Competitor::ward:
      return ward_sets(contest, pairs);
    case Competitor::mcfs:
      return selected_sets(contest, SelectMethod::mcfs);
    case Competitor::laplacian:
      return selected_sets(contest, SelectMethod::laplacian);
    case Competitor::spec:
      return selected_sets(contest, SelectMethod::spec);
    case Competitor::fsasl:
      return selected_sets(contest, SelectMethod::fsasl);
    case Competitor::mrsf:
      return selected_sets(contest, SelectMethod::mrsf);
    case Competitor::sparsity:
      return selected_sets(contest, SelectMethod::sparsity);
    case Competitor::grm:
      return selected_sets(contest, SelectMethod::grm);
    case Competitor::mrmr:
      return selected_sets(contest, SelectMethod::mrmr);
    case Competitor::fcbf:
      return selected_sets(contest, SelectMethod::fcbf);
    case Competitor::fast:
      return selected_sets(contest, SelectMethod::fast);
  }
  throw Error(ErrorCode::internal, "this competitor has a number of features of its own");
}

}  // namespace

std::vector<KeptSets> kept_sets(Competitor competitor, const Contest& contest,
                                PairCorrelations& pairs) {
  try {
    const RunContext run = pairs.while_held(contest.run);
    return sets_of(
        competitor,
        {contest.dataset, contest.centred, contest.regular, contest.counts, contest.n_random, run},
        pairs);
  } catch (const Error& error) {
    const bool is_of_the_method =
        error.code() == ErrorCode::over_memory || error.code() == ErrorCode::degenerate_data;
    if (!is_of_the_method) throw;
    return none_reached(contest, error.fault());
  }
}

KeptSets kept_by_default(const Dataset& dataset, const UnitFeatures& centred,
                         const RunContext& run) {
  try {
    std::vector<Index> kept = reduce(dataset, MethodOptions{}, run).reduction.kept;
    std::erase_if(kept,
                  [&](Index feature) { return centred.kind[feature] != FeatureKind::regular; });
    return kept.empty() ? KeptSets{{}, "it keeps no feature that varies"}
                        : one_set(std::move(kept));
  } catch (const Error& error) {
    if (error.code() != ErrorCode::over_memory) throw;
    return {{}, error.fault()};
  }
}

}  // namespace sfg::detail
