#include <algorithm>
#include <span>

#include "sfg/json.hpp"
#include "sfg/verdict.hpp"

namespace sfg {

using nlohmann::ordered_json;

namespace {

Index n_of_kind(const std::vector<FeatureKind>& kinds, FeatureKind kind) {
  return static_cast<Index>(std::ranges::count(kinds, kind));
}

/// In words, for groupings that are not cut by theta.
ordered_json level_json(const GroupingOptions& grouping) {
  if (const LevelOptions* level = level_of(grouping)) return describe(*level);
  if (const auto* pairwise = std::get_if<PairwiseOptions>(&grouping)) return describe(*pairwise);
  return {};
}

std::vector<std::string> names_of(std::span<const Index> features,
                                  const std::vector<std::string>& names) {
  std::vector<std::string> result;
  result.reserve(features.size());
  for (const Index feature : features) result.push_back(names[feature]);
  return result;
}

ordered_json groups_json(const Reduction& reduction, const std::vector<std::string>& names) {
  ordered_json groups = ordered_json::array();
  for (Index g = 0; g < reduction.groups.n_groups(); ++g) {
    const auto members = reduction.groups.members_of(g);
    groups.push_back({{"representative", reduction.representatives[g]},
                      {"representative_name", names[reduction.representatives[g]]},
                      {"members", std::vector<Index>(members.begin(), members.end())},
                      {"member_names", names_of(members, names)}});
  }
  return groups;
}

}  // namespace

ordered_json certificate_json(const Certificate& certificate) {
  const auto summary = [](const HeldOutSummary& one) {
    return ordered_json{{"n", one.n_features},     {"mean", one.mean},
                        {"median", one.median},    {"q10", one.quantile_10},
                        {"q95", one.quantile_95},  {"share_50", one.share_50},
                        {"share_80", one.share_80}};
  };
  return {{"possible", certificate.possible},        {"all", certificate.all},
          {"removed", summary(certificate.removed)}, {"permuted", summary(certificate.permuted)},
          {"features", certificate.features},        {"held_out_r2", certificate.r2}};
}

ordered_json permutation_json(const PermutationCheck& check) {
  if (check.n_permuted == 0) return {};
  return {{"n_permuted", check.n_permuted},
          {"real_share", check.real_share},
          {"permuted_share", check.permuted_share},
          {"angle_says_little", check.angle_says_little()}};
}

namespace {

ordered_json shared_json(const MethodResult& result) {
  const SharedFeatures& shared = result.shared;
  if (!shared.looked_at) return {};
  std::vector<Index> unshared;
  for (std::size_t i = 0; i < shared.is_unshared.size(); ++i) {
    if (shared.is_unshared[i] != 0) unshared.push_back(static_cast<Index>(i));
  }
  return {{"n_unshared", shared.n_unshared},
          {"dropped", shared.dropped},
          {"unshared", std::move(unshared)},
          {"chance_nearest_r2", shared.chance.nearest_r2},
          {"chance_explained", shared.chance.explained},
          {"predictability", shared.predictability.r2}};
}

ordered_json target_json(const std::optional<Target>& target) {
  if (!target) return {};
  return {{"name", target->name},
          {"kind", choice_name(target->kind)},
          {"n_known", target->samples.size()},
          {"n_classes", target->n_classes > 0 ? ordered_json(target->n_classes) : ordered_json()}};
}

ordered_json equations_json(const Reduction& reduction, const std::vector<std::string>& names,
                            Transform transform) {
  const auto terms = on_scale(names, transform);
  ordered_json equations = ordered_json::array();
  for (const Equation& one : reduction.equations) {
    equations.push_back({{"feature", one.feature},
                         {"name", names[one.feature]},
                         {"equation", exact_text(one.combination, terms)}});
  }
  return equations;
}

/// How cells without a value were filled inside the method; null without any.
ordered_json gaps_json(const std::optional<FillReport>& filled) {
  if (!filled) return {};
  return {{"n_cells", filled->n_cells},     {"n_rounds", filled->n_rounds},
          {"converged", filled->converged}, {"n_neighbours", filled->n_neighbours},
          {"ridge", filled->ridge},         {"left_out_r2", filled->left_out_r2}};
}

ordered_json kinds_json(const Reduction& reduction) {
  ordered_json kinds = ordered_json::object();
  for (const auto& choice : kChoices<CertificateKind>) {
    kinds[std::string(choice.name)] =
        std::ranges::count(reduction.removed, choice.value, &RemovedFeature::certificate);
  }
  return kinds;
}

}  // namespace

ordered_json tried_json(const std::vector<TriedLevel>& tried) {
  ordered_json levels = ordered_json::array();
  for (const TriedLevel& level : tried) {
    levels.push_back({{"n_steps", level.n_steps},
                      {"n_kept", level.n_kept},
                      {"overlap", level.overlap},
                      {"loss_ratio", json_or_null(level.loss_ratio)},
                      {"r2loo_mean", json_or_null(level.r2loo_mean)},
                      {"good", level.is_good}});
  }
  return levels;
}

ordered_json reduction_json(const Dataset& dataset, const MethodOptions& options,
                            const MethodResult& result) {
  const Reduction& reduction = result.reduction;
  const auto* components = std::get_if<ComponentOptions>(&options.grouping);
  const bool by_theta = components != nullptr && !components->weight_threshold;
  const Certificate& certificate = reduction.certificate;
  const auto certified = [&](double value) {
    return certificate.removed.n_features > 0 ? ordered_json(value) : ordered_json();
  };
  return {
      {"verdict", verdict(options, result)},
      {"n_samples", n_samples(dataset.matrix)},
      {"n_features", n_features(dataset.matrix)},
      {"n_kept", reduction.kept.size()},
      {"n_removed", reduction.removed.size()},
      {"n_rescued", reduction.n_rescued},
      {"n_given_up", reduction.n_given_up},
      {"n_groups", reduction.groups.n_groups()},
      {"largest_group", reduction.groups.largest()},
      {"grouping", choice_name(kind_of(options.grouping))},
      {"level", level_json(options.grouping)},
      {"theta", by_theta ? ordered_json(components->theta.value_or(kUsualTheta)) : ordered_json()},
      {"threshold", json_or_null(result.threshold)},
      {"representative", picks_features(options.grouping)
                             ? ordered_json()
                             : ordered_json(choice_name(representative_rule(options.grouping)))},
      {"target", target_json(result.target)},
      {"batch", dataset.batch ? ordered_json(dataset.batch->name) : ordered_json()},
      {"gaps", gaps_json(result.filled)},
      {"kept_though_avoided", names_of(result.kept_though_avoided, dataset.feature_names)},
      {"options", options_to_json(options)},
      {"mean_r2", reduction.mean_r2},
      {"r2_q10", reduction.quantile_10_r2},
      {"mean_best_r2", reduction.mean_best_r2},
      {"certified_80", certified(certificate.removed.share_80)},
      {"certified_50", certified(certificate.removed.share_50)},
      {"r2cv_mean", certified(certificate.removed.mean)},
      {"r2cv_q10", certified(certificate.removed.quantile_10)},
      {"r2cv_median", certified(certificate.removed.median)},
      {"neighbour_overlap", result.neighbour_overlap},
      {"certificate", certificate_json(certificate)},
      {"certificate_kinds", kinds_json(reduction)},
      {"shared", shared_json(result)},
      {"equations", equations_json(reduction, dataset.feature_names, options.transform)},
      {"levels", tried_json(result.tried)},
      {"permutation_check", permutation_json(result.permutation)},
      {"failed", figures_of(result.graph).n_failed},
      {"empty", n_of_kind(result.kind, FeatureKind::empty)},
      {"constant", n_of_kind(result.kind, FeatureKind::constant)},
      {"engine", pursuit_of(options.grouping) != nullptr ? ordered_json(choice_name(result.engine))
                                                         : ordered_json()},
      {"method", result.graph.description},
      {"kept", reduction.kept},
      {"kept_names", names_of(reduction.kept, dataset.feature_names)},
      {"weights", weights(reduction)},
      {"groups", groups_json(reduction, dataset.feature_names)}};
}

ordered_json truth_json(const TruthReport& report) {
  ordered_json outcomes = ordered_json::array();
  for (const PlantedOutcome& outcome : report.outcomes) {
    outcomes.push_back({{"kind", choice_name(outcome.kind)},
                        {"planted", outcome.planted},
                        {"kept", outcome.kept},
                        {"removed", outcome.removed},
                        {"lowest_r2", outcome.lowest_r2},
                        {"lost", outcome.lost}});
  }
  return {{"outcomes", std::move(outcomes)},
          {"families", report.families},
          {"families_with_one_kept", report.families_with_one_kept},
          {"families_without_a_kept_member", report.families_merged},
          {"combinations_with_all_parts", report.combinations_with_all_parts}};
}

}  // namespace sfg
