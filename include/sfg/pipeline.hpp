#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sfg/batch.hpp"
#include "sfg/checkpoint.hpp"
#include "sfg/dataset.hpp"
#include "sfg/fill.hpp"
#include "sfg/graph.hpp"
#include "sfg/grouping.hpp"
#include "sfg/model.hpp"
#include "sfg/normalise.hpp"
#include "sfg/options.hpp"
#include "sfg/pursuit.hpp"
#include "sfg/reduce.hpp"
#include "sfg/run_context.hpp"
#include "sfg/shared.hpp"
#include "sfg/transform.hpp"

namespace sfg {

/// Everything that can be chosen about the whole method.
struct MethodOptions {
  GroupingOptions grouping = {};
  FeatureList keep = {};  ///< features that must be kept
  ReduceOptions reduce = {};
  Transform transform = Transform::none;
  BatchAdjustment batch_adjustment = BatchAdjustment::centre;  ///< where the data have batches
  /// Levels that the automatic choice judges. The answer is the same; no option of a user's.
  Judged judged = Judged::until_good;
};

/// The fields that all groupings have.
template <OptionsOf<MethodOptions> Options, typename Visitor>
void visit_common_fields(Options& options, Visitor&& visit) {
  visit({"keep", "Features that must be kept"}, options.keep);
  visit(kTransformText, options.transform);
  visit(kBatchAdjustmentText, options.batch_adjustment);
  visit_fields(options.reduce, visit);
}

template <OptionsOf<MethodOptions> Options, typename Visitor>
void visit_fields(Options& options, Visitor&& visit) {
  std::visit([&](auto& grouping) { visit_fields(grouping, visit); }, options.grouping);
  visit_common_fields(options, visit);
}

/// The fields of all groupings in one list: for each the groupings that have it, with their default
/// (FieldDescription::usual_of). The first is `grouping` itself.
[[nodiscard]] std::vector<FieldDescription> describe_method();

/// The method with what was given set. Throws invalid_option for a word that the chosen grouping
/// does not have, with the groupings that do, and for values out of their range.
[[nodiscard]] MethodOptions method_from_texts(const GivenTexts& given);

/// Throws invalid_option: an option of other groupings, with their names.
[[noreturn]] void refuse_foreign_option(const std::string& name, GroupingKind grouping);

/// Every convention of the paper's published tables.
[[nodiscard]] MethodOptions paper_method();

struct MethodResult {
  FeatureGraph graph;  ///< empty for cover and pairwise
  Hierarchy hierarchy;
  Index n_steps = 0;                ///< the level of the hierarchy that was chosen
  std::optional<double> threshold;  ///< components: the weight that the graph was cut at
  PermutationCheck permutation;     ///< of the angle filter, where it is used
  SharedFeatures shared;  ///< which features the rest of the table knows, where it was asked
  std::vector<TriedLevel> tried;  ///< by the automatic level, from fine to coarse
  double enough_overlap = 1;      ///< what it asked for: see enough_overlap()
  std::vector<Index> apart;       ///< features that vary but take no part in groups, ascending
  Reduction reduction;
  std::optional<Target> target;  ///< that chose the kept members, if one did
  /// Kept features that were to be avoided: no other member of their group could be kept.
  std::vector<Index> kept_though_avoided;
  /// Of the samples' 10 nearest by the kept features and by all (but unshared ones that were
  /// dropped).
  double neighbour_overlap = 1;
  Engine engine = Engine::automatic;
  std::string screen = "none";       ///< as in Representations
  double candidates_per_step = 0;    ///< as in Representations
  std::vector<FeatureKind> kind;     ///< of every feature
  std::optional<FillReport> filled;  ///< what was done about gaps, if there were any
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

/// The whole method: data in, kept features and reasons out. Cells that are missing (NaN) are gaps:
/// see sfg/gaps.hpp; what is said of features goes by the others. Throws degenerate_data for data
/// on which redundancy has no meaning (one feature, one sample, all constant). With a checkpoint
/// the pursuit goes on where an earlier one was cut off.
[[nodiscard]] MethodResult reduce(const Dataset& dataset, const MethodOptions& options,
                                  const RunContext& run = {},
                                  const PursuitCheckpoint& checkpoint = {});

/// The model of a reduction of these data, as they were after resolve_missing(); `missing` is what
/// that did to new data's gaps too (refuse: nothing). Looks at the relations again, for
/// check_drift().
[[nodiscard]] Model make_model(const Dataset& dataset, const MethodOptions& options,
                               const MethodResult& result, Missing missing,
                               const RunContext& run = {});

/// The graph alone: normalise, pursuit, graph.
[[nodiscard]] MethodResult make_graph(const Dataset& dataset, const MethodOptions& options,
                                      const RunContext& run = {},
                                      const PursuitCheckpoint& checkpoint = {});

/// As above, using the matrix up: it is normalised in place, so that the data are held once.
[[nodiscard]] MethodResult make_graph(Dataset&& dataset, const MethodOptions& options,
                                      const RunContext& run = {},
                                      const PursuitCheckpoint& checkpoint = {});

/// The features as the method compares them, centred: what predictability() is of.
[[nodiscard]] UnitFeatures comparable_features(const Dataset& dataset, const MethodOptions& options,
                                               const RunContext& run = {});

/// What make_graph would need, from the sizes and a few sampled features. Uses the matrix up.
[[nodiscard]] PursuitEstimate estimate_graph(Dataset&& dataset, const MethodOptions& options,
                                             const RunContext& run = {});

/// The paper's groups at every theta, from one graph; the grouping has to be ComponentOptions. With
/// the data also the mean r2 of each level.
[[nodiscard]] std::vector<SweepLevel> sweep(const FeatureGraph& graph,
                                            const std::vector<double>& thetas,
                                            const Dataset* dataset, const MethodOptions& options,
                                            const RunContext& run = {});

/// Every level of compact groups or cover as the automatic choice judges it (`tried`), with the one
/// that it chooses (`n_steps`); no reduction but its exact sums. Throws invalid_option for the
/// other groupings, and for options that say how far to reduce.
[[nodiscard]] MethodResult sweep_levels(const Dataset& dataset, const MethodOptions& options,
                                        const RunContext& run = {},
                                        const PursuitCheckpoint& checkpoint = {});

/// As sweep_levels() does, for callers that want to know before they read a large file.
void check_sweep(const MethodOptions& options);

/// Throws invalid_option for a value out of its range. Every function above does so itself; this is
/// for callers that want to know before they read a large file.
void check(const MethodOptions& options);

/// How the graph and the groups are made, in one line for people.
[[nodiscard]] std::string describe(const MethodOptions& options);

}  // namespace sfg
