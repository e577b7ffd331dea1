#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sfg/checkpoint.hpp"
#include "sfg/compact.hpp"
#include "sfg/cover.hpp"
#include "sfg/dataset.hpp"
#include "sfg/graph.hpp"
#include "sfg/groups.hpp"
#include "sfg/level.hpp"
#include "sfg/model.hpp"
#include "sfg/normalise.hpp"
#include "sfg/pursuit.hpp"
#include "sfg/reduce.hpp"
#include "sfg/run_context.hpp"

namespace sfg {

/// What happens to features without any direction (all zero; with centring also constant ones).
/// They are groups of one, which the paper keeps.
enum class EmptyFeatures { keep, drop };

/// How features are divided into groups.
enum class GroupingMethod {
  compact,  ///< Ward's agglomeration along the graph's edges, of centred features
  cover,    ///< around the features from which the others can be recovered; needs no graph
  lcs,      ///< the paper's: connected components of the graph at a threshold theta
};

/// "compact", "cover", "lcs" and back; grouping_from_name throws invalid_option.
[[nodiscard]] std::string grouping_name(GroupingMethod method);
[[nodiscard]] GroupingMethod grouping_from_name(const std::string& name);

/// Where the edges of the graph come from.
enum class EdgeSource {
  pursuit,  ///< the atoms of sparse representations: the paper's graph
  nearest,  ///< the features with the largest |r|; for compact groups
};

/// Everything that can be chosen about the whole method.
struct MethodOptions {
  GroupingMethod grouping = GroupingMethod::compact;
  /// Not given: centred features for compact and cover, the paper's uncentred ones for lcs.
  std::optional<Centering> centering;
  EdgeSource edges = EdgeSource::pursuit;
  PursuitOptions pursuit;
  NearestOptions nearest;
  /// The filter of failed representations; for lcs only, the others use every edge.
  GraphOptions graph;
  /// Features with permuted samples that are tried on that filter; 0: none.
  Index n_permuted = 100;
  /// How far compact and cover reduce.
  LevelOptions level;
  /// lcs: position of the weight threshold between the smallest and the largest weight, in (0, 1).
  double theta = 0.5;
  /// lcs: the weight threshold itself; theta has no meaning then.
  std::optional<double> threshold;
  /// Not given: medoid for compact, in-degree for lcs. Cover has no such choice.
  std::optional<RepresentativeRule> representative;
  std::vector<Index> priority;  ///< features in order of preference, for the rule `priority`
  std::vector<Index> keep;      ///< features that must be kept
  /// Not given: dropped by compact and cover, kept by lcs.
  std::optional<EmptyFeatures> empty_features;
  ReduceOptions reduce;
};

/// What holds where an option is not given.
[[nodiscard]] Centering centering_of(const MethodOptions& options);
[[nodiscard]] RepresentativeOptions representative_of(const MethodOptions& options);

struct MethodResult {
  FeatureGraph graph;            ///< empty for cover
  ThetaHierarchy hierarchy;      ///< lcs only
  double threshold = 0;          ///< lcs: the weight threshold that the groups were cut at
  CompactHierarchy compact;      ///< compact only
  CoverSequence cover;           ///< cover only
  PermutationCheck permutation;  ///< of the angle filter, where it is used
  Reduction reduction;
  double neighbour_overlap = 1;  ///< of the samples' 10 nearest by kept and by all features
  Engine engine = Engine::automatic;
  std::string screen = "none";     ///< as in Representations
  double candidates_per_step = 0;  ///< as in Representations
  std::vector<FeatureKind> kind;   ///< of every feature
  StageSeconds seconds;
};

/// One level of a sweep.
struct SweepLevel {
  double theta = 0;
  double threshold = 0;
  Index n_kept = 0;
  Index largest_group = 0;
  std::optional<double> mean_r2;  ///< of removed features with their representatives; needs data
};

/// The whole method: data in, kept features and reasons out. Throws degenerate_data for data on
/// which redundancy has no meaning (one feature, one sample, all constant). With a checkpoint the
/// pursuit goes on where an earlier one was cut off.
[[nodiscard]] MethodResult reduce(const Dataset& dataset, const MethodOptions& options,
                                  const RunContext& run = {},
                                  const PursuitCheckpoint& checkpoint = {});

/// The graph alone: normalise, pursuit, graph.
[[nodiscard]] MethodResult make_graph(const Dataset& dataset, const MethodOptions& options,
                                      const RunContext& run = {},
                                      const PursuitCheckpoint& checkpoint = {});

/// As above, using the matrix up: it is normalised in place, so that the data are held once.
[[nodiscard]] MethodResult make_graph(Dataset&& dataset, const MethodOptions& options,
                                      const RunContext& run = {},
                                      const PursuitCheckpoint& checkpoint = {});

/// What make_graph would need, from the sizes and a few sampled features. Uses the matrix up.
[[nodiscard]] PursuitEstimate estimate_graph(Dataset&& dataset, const MethodOptions& options,
                                             const RunContext& run = {});

/// Every theta from one graph. With the data also the mean r2 of each level.
[[nodiscard]] std::vector<SweepLevel> sweep(const FeatureGraph& graph,
                                            const std::vector<double>& thetas,
                                            const Dataset* dataset, const MethodOptions& options,
                                            const RunContext& run = {});

/// Throws invalid_option for a value out of its range. Every function above does so itself; this is
/// for callers that want to know before they read a large file.
void check(const MethodOptions& options);

/// How the graph and the groups are made, in one line for people.
[[nodiscard]] std::string describe(const MethodOptions& options);

}  // namespace sfg
