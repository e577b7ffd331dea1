#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sfg/certificate.hpp"
#include "sfg/check.hpp"
#include "sfg/cluster.hpp"
#include "sfg/compare.hpp"
#include "sfg/drift.hpp"
#include "sfg/experiment.hpp"
#include "sfg/model.hpp"
#include "sfg/options.hpp"
#include "sfg/pipeline.hpp"
#include "sfg/published.hpp"
#include "sfg/score.hpp"
#include "sfg/select.hpp"
#include "sfg/stability.hpp"
#include "sfg/survey.hpp"
#include "sfg/synth.hpp"

// Results as JSON objects, with the fields that the command line's documents have. Indices count
// from 0; null stands for what there is not. The one public header that needs nlohmann-json, and
// therefore no part of sfg.hpp.
namespace sfg {

/// Options as a JSON object, field by field in the order of their list.
class JsonVisitor {
 public:
  template <typename Value>
  void operator()(const FieldText& text, const Value& value) {
    object_[std::string(text.name)] = json_of(value);
  }

  [[nodiscard]] nlohmann::ordered_json take() { return std::move(object_); }

 private:
  template <typename Value>
  static nlohmann::ordered_json json_of(const Value& value) {
    if constexpr (detail::is_optional<Value>) {
      return value ? json_of(*value) : nlohmann::ordered_json();
    } else if constexpr (Chosen<Value>) {
      return choice_name(value);
    } else if constexpr (std::same_as<Value, FeatureList>) {
      return static_cast<const std::vector<Index>&>(value);
    } else if constexpr (std::same_as<Value, FeatureNumbers>) {
      return static_cast<const std::vector<double>&>(value);
    } else if constexpr (std::same_as<Value, FeaturePositions>) {
      return value.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(value.size());
    } else if constexpr (detail::is_vector<Value>) {
      nlohmann::ordered_json items = nlohmann::ordered_json::array();
      for (const auto& item : value) items.push_back(json_of(item));
      return items;
    } else {
      return value;
    }
  }

  nlohmann::ordered_json object_ = nlohmann::ordered_json::object();
};

template <typename Options>
[[nodiscard]] nlohmann::ordered_json options_to_json(const Options& options) {
  JsonVisitor visitor;
  visit_fields(options, visitor);
  return visitor.take();
}

/// The value, or null.
template <typename Value>
[[nodiscard]] nlohmann::ordered_json json_or_null(const std::optional<Value>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json();
}

/// What is in a table.
[[nodiscard]] nlohmann::ordered_json check_json(const TableCheck& check);
[[nodiscard]] nlohmann::ordered_json survey_json(const Dataset& dataset, const Survey& survey);

// --- the method ----------------------------------------------------------------------------------

/// What is kept, in which groups, and what was lost. The data give their sizes.
[[nodiscard]] nlohmann::ordered_json reduction_json(const Dataset& dataset,
                                                    const MethodOptions& options,
                                                    const MethodResult& result);
[[nodiscard]] nlohmann::ordered_json certificate_json(const Certificate& certificate);
/// The levels that the automatic choice has looked at, from fine to coarse.
[[nodiscard]] nlohmann::ordered_json tried_json(const std::vector<TriedLevel>& tried);
/// Null if nothing was permuted.
[[nodiscard]] nlohmann::ordered_json permutation_json(const PermutationCheck& check);
[[nodiscard]] nlohmann::ordered_json truth_json(const TruthReport& report);
/// Why a feature was kept or removed.
[[nodiscard]] nlohmann::ordered_json explanation_json(
    const Explanation& explanation, const std::vector<std::string>& feature_names);

/// Which relations of the model new data break.
[[nodiscard]] nlohmann::ordered_json drift_json(const Model& model, const DriftReport& report);

/// The size of a graph and how it was found; its edges are in the npz file.
[[nodiscard]] nlohmann::ordered_json graph_json(const MethodResult& result);
/// What making a graph would take.
[[nodiscard]] nlohmann::ordered_json estimate_json(const PursuitEstimate& estimate, int threads);
/// The levels of a sweep.
[[nodiscard]] nlohmann::ordered_json sweep_json(const FeatureGraph& graph,
                                                const MethodOptions& options,
                                                const std::vector<SweepLevel>& levels);
/// The same of sweep_levels().
[[nodiscard]] nlohmann::ordered_json level_sweep_json(const MethodOptions& options,
                                                      const MethodResult& result);

// --- what is done with the kept features ---------------------------------------------------------

/// `n_candidates`: features that were selected among.
[[nodiscard]] nlohmann::ordered_json selection_json(const Dataset& dataset,
                                                    const SelectOptions& options,
                                                    const SelectResult& result, Index n_candidates);

/// A clustering of samples with what went into it.
struct ClusteringRecord {
  std::optional<std::string> preset;
  ClusterOptions options;
  SpectralEmbedding embedding;
  std::vector<KMeansResult> clusters;  ///< by seed; at least one
  std::vector<double> nmi;             ///< by seed, or none without known classes
  std::vector<double> acc;
};
[[nodiscard]] nlohmann::ordered_json clustering_json(const ClusteringRecord& record);
[[nodiscard]] nlohmann::ordered_json score_json(const LabelScores& scores);

/// Competitors on one or several data sets: verdict, all_features, rows, differences.
[[nodiscard]] nlohmann::ordered_json comparison_json(
    const std::vector<CompareResult>& results, const std::vector<PairedDifference>& differences);
/// Rows of equal fields as a table with tabs and a heading; empty cells for null.
[[nodiscard]] std::string rows_to_tsv(const nlohmann::ordered_json& rows);

/// Everything about a repeat of stability() that changes it, however many there are.
[[nodiscard]] nlohmann::ordered_json stability_key(const StabilityOptions& options,
                                                   const MethodOptions& method,
                                                   const RunContext& run);
/// How much the answer depends on the samples.
[[nodiscard]] nlohmann::ordered_json stability_json(const Dataset& dataset,
                                                    const StabilityOptions& options,
                                                    const MethodOptions& method,
                                                    const StabilityResult& result);

// --- the paper's experiment ----------------------------------------------------------------------

/// Everything about an experiment that changes its figures.
[[nodiscard]] nlohmann::ordered_json options_json(const ExperimentOptions& options,
                                                  const RunContext& run);
/// One object per data set and grouping: rows are n_selected (null: all that is kept), columns
/// theta ("none": all features); null where there is no score.
[[nodiscard]] nlohmann::ordered_json tables_json(const std::vector<ExperimentResult>& results);
/// One object per data set: sizes, classes, angles.
[[nodiscard]] nlohmann::ordered_json datasets_json(const std::vector<ExperimentResult>& results);
[[nodiscard]] nlohmann::ordered_json comparisons_json(
    const std::vector<PublishedComparison>& comparisons);

}  // namespace sfg
