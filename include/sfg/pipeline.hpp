#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sfg/dataset.hpp"
#include "sfg/graph.hpp"
#include "sfg/groups.hpp"
#include "sfg/model.hpp"
#include "sfg/normalise.hpp"
#include "sfg/pursuit.hpp"
#include "sfg/reduce.hpp"
#include "sfg/run.hpp"

namespace sfg {

/// What happens to features without any direction (all zero; with centring also constant ones).
/// They are groups of one, which the paper keeps.
enum class EmptyFeatures { keep, drop };

/// Everything that can be chosen about the whole method.
struct MethodOptions {
  NormaliseOptions normalise;
  PursuitOptions pursuit;
  GraphOptions graph;
  /// Position of the weight threshold between the smallest and the largest weight, in (0, 1).
  double theta = 0.5;
  /// The weight threshold itself; theta has no meaning then.
  std::optional<double> threshold;
  RepresentativeOptions representative;
  EmptyFeatures empty_features = EmptyFeatures::keep;
  ReduceOptions reduce;
};

struct MethodResult {
  FeatureGraph graph;
  ThetaHierarchy hierarchy;
  double threshold = 0;  ///< the weight threshold that the groups were cut at
  Reduction reduction;
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
/// which redundancy has no meaning (one feature, one sample, all constant).
[[nodiscard]] MethodResult reduce(const Dataset& dataset, const MethodOptions& options,
                                  const Run& run = {});

/// The graph alone: normalise, pursuit, graph.
[[nodiscard]] MethodResult make_graph(const Dataset& dataset, const MethodOptions& options,
                                      const Run& run = {});

/// As above, using the matrix up: it is normalised in place, so that the data are held once.
[[nodiscard]] MethodResult make_graph(Dataset&& dataset, const MethodOptions& options,
                                      const Run& run = {});

/// What make_graph would need, from the sizes and a few sampled features. Uses the matrix up.
[[nodiscard]] PursuitEstimate estimate_graph(Dataset&& dataset, const MethodOptions& options,
                                             const Run& run = {});

/// Every theta from one graph. With the data also the mean r2 of each level.
[[nodiscard]] std::vector<SweepLevel> sweep(const FeatureGraph& graph,
                                            const std::vector<double>& thetas,
                                            const Dataset* dataset, const MethodOptions& options,
                                            const Run& run = {});

/// Throws invalid_option for a value out of its range. Every function above does so itself; this is
/// for callers that want to know before they read a large file.
void check(const MethodOptions& options);

/// How the graph and the groups are made, in one line for people.
[[nodiscard]] std::string describe(const MethodOptions& options);

}  // namespace sfg
