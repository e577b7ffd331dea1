#include "sfg/json.hpp"

namespace sfg {

using nlohmann::ordered_json;

namespace {

ordered_json agreement_json(const SetAgreement& agreement, Index n_items) {
  return {{"n", n_items},
          {"jaccard", agreement.jaccard},
          {"jaccard_apart", json_or_null(agreement.jaccard_apart)},
          {"index", json_or_null(agreement.index)},
          {"low", json_or_null(agreement.low)},
          {"high", json_or_null(agreement.high)}};
}

ordered_json feature_json(const FeatureStability& one, const std::vector<std::string>& names) {
  const bool has_group = one.representative >= 0;
  const auto if_grouped = [&](double value, bool known) {
    return known ? ordered_json(value) : ordered_json();
  };
  return {{"index", one.feature},
          {"feature", names[one.feature]},
          {"kept", one.is_kept},
          {"stable", one.is_stable},
          {"kept_share", one.kept_share},
          {"family_share", one.family_share},
          {"family_chance", one.family_chance},
          {"representative", has_group ? ordered_json(names[one.representative]) : ordered_json()},
          {"group_size", one.group_size},
          {"group_stability", if_grouped(one.group_stability, has_group)},
          {"pairs_together", if_grouped(one.pairs_together, one.group_size > 1)}};
}

}  // namespace

ordered_json stability_key(const StabilityOptions& options, const MethodOptions& method,
                           const RunContext& run) {
  return {{"resample", choice_name(options.resample)},
          {"same_number", options.same_number},
          {"seed", run.seed},
          {"grouping", choice_name(kind_of(method.grouping))},
          {"method", options_to_json(method)}};
}

ordered_json stability_json(const Dataset& dataset, const StabilityOptions& options,
                            const MethodOptions& method, const StabilityResult& result) {
  const std::vector<std::string>& names = dataset.feature_names;
  ordered_json features = ordered_json::array();
  for (const FeatureStability& one : result.features) {
    features.push_back(feature_json(one, names));
  }
  std::vector<std::string> stable;
  for (const Index feature : result.stable) stable.push_back(names[feature]);
  return {{"verdict", verdict(options, result)},
          {"n_samples", result.n_samples},
          {"n_features", n_features(dataset.matrix)},
          {"resample", choice_name(options.resample)},
          {"repeats", options.repeats},
          {"samples_seen", result.n_seen},
          {"same_number", options.same_number},
          {"grouping", choice_name(kind_of(method.grouping))},
          {"options", options_to_json(method)},
          {"n_kept", result.method.reduction.kept.size()},
          {"n_kept_by_repeat", result.n_kept},
          {"stable_share", options.stable.value_or(kUsualStable)},
          {"n_stable", result.stable.size()},
          {"stable", stable},
          {"agreement", agreement_json(result.kept, result.n_candidates)},
          {"family_agreement", agreement_json(result.families, result.n_families)},
          {"features", std::move(features)}};
}

}  // namespace sfg
