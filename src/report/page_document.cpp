// What the page is told about a run. web/src/data.ts has the same structure as types.
#include "report/page_document.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sfg/verdict.hpp"

namespace sfg::detail {

namespace {

using nlohmann::ordered_json;

template <typename To, typename From>
std::vector<To> converted(const std::vector<From>& values) {
  std::vector<To> result;
  result.reserve(values.size());
  for (const From value : values) result.push_back(static_cast<To>(value));
  return result;
}

ordered_json add_indices(const std::vector<Index>& indices, PageData& data) {
  return data.add(converted<std::uint32_t>(indices));
}

ordered_json graph_document(const FeatureGraph& graph, PageData& data) {
  return {{"starts", data.add(converted<std::uint32_t>(graph.starts))},
          {"neighbours", add_indices(graph.neighbours, data)},
          {"weights", data.add(converted<float>(graph.weights))},
          {"angle", data.add(converted<float>(graph.angle))},
          {"failed", data.add(std::span<const std::uint8_t>(graph.failed))}};
}

ordered_json tree_document(const LevelTree& tree, PageData& data) {
  return {{"a", data.add(std::span<const std::uint32_t>(tree.a))},
          {"b", data.add(std::span<const std::uint32_t>(tree.b))},
          {"representative", data.add(std::span<const std::uint32_t>(tree.representative))},
          {"r2", data.add(std::span<const std::uint16_t>(tree.r2))},
          {"nMeasured", tree.n_measured}};
}

ordered_json picks_document(const PickLists& lists, PageData& data) {
  return {{"picks", data.add(std::span<const std::uint32_t>(lists.picks))},
          {"starts", data.add(std::span<const std::uint32_t>(lists.starts))},
          {"places", data.add(std::span<const std::uint32_t>(lists.places))},
          {"r2", data.add(std::span<const std::uint16_t>(lists.r2))}};
}

template <typename Choice>
ordered_json names_of_choices() {
  ordered_json names = ordered_json::array();
  for (const auto& choice : kChoices<Choice>) names.push_back(choice.name);
  return names;
}

/// The place of a choice among its names.
template <typename Choice>
std::uint8_t place_of(Choice value) {
  const auto& all = kChoices<Choice>;
  const auto found = std::ranges::find_if(all, [&](const auto& one) { return one.value == value; });
  return static_cast<std::uint8_t>(found - all.begin());
}

/// Each removed feature with its certificate and the combination that explains it.
ordered_json removed_document(const std::vector<RemovedFeature>& removed, PageData& data) {
  std::vector<std::uint32_t> features;
  std::vector<float> held_out;
  std::vector<std::uint32_t> starts{0};
  std::vector<std::uint32_t> terms;
  std::vector<float> coefficients;
  std::vector<float> intercepts;
  std::vector<float> r2;
  std::vector<float> substitute_r2;
  std::vector<std::uint8_t> reason;
  std::vector<std::uint8_t> kind;
  for (const RemovedFeature& one : removed) {
    substitute_r2.push_back(static_cast<float>(one.r2));
    reason.push_back(place_of(one.reason));
    kind.push_back(place_of(one.certificate));
    features.push_back(static_cast<std::uint32_t>(one.feature));
    held_out.push_back(
        static_cast<float>(one.held_out_r2.value_or(std::numeric_limits<double>::quiet_NaN())));
    for (const Term& term : one.combination.terms) {
      terms.push_back(static_cast<std::uint32_t>(term.feature));
      coefficients.push_back(static_cast<float>(term.coefficient));
    }
    starts.push_back(static_cast<std::uint32_t>(terms.size()));
    intercepts.push_back(static_cast<float>(one.combination.intercept));
    r2.push_back(static_cast<float>(one.combination.r2));
  }
  return {{"features", data.add(std::span<const std::uint32_t>(features))},
          {"heldOut", data.add(std::span<const float>(held_out))},
          {"starts", data.add(std::span<const std::uint32_t>(starts))},
          {"terms", data.add(std::span<const std::uint32_t>(terms))},
          {"coefficients", data.add(std::span<const float>(coefficients))},
          {"intercepts", data.add(std::span<const float>(intercepts))},
          {"r2", data.add(std::span<const float>(r2))},
          {"substituteR2", data.add(std::span<const float>(substitute_r2))},
          {"reason", data.add(std::span<const std::uint8_t>(reason))},
          {"reasons", names_of_choices<RemovalReason>()},
          {"kind", data.add(std::span<const std::uint8_t>(kind))},
          {"kinds", names_of_choices<CertificateKind>()}};
}

ordered_json summary_document(const HeldOutSummary& summary) {
  return {{"n", summary.n_features},           {"mean", summary.mean},
          {"quantile10", summary.quantile_10}, {"quantile95", summary.quantile_95},
          {"share50", summary.share_50},       {"share80", summary.share_80}};
}

ordered_json certificate_document(const Certificate& certificate, PageData& data) {
  if (!certificate.possible || certificate.features.empty()) return nullptr;
  return {{"all", certificate.all},
          {"removed", summary_document(certificate.removed)},
          {"permuted", summary_document(certificate.permuted)},
          {"permutedR2", data.add(converted<float>(certificate.permuted_r2))}};
}

/// Who stands for each feature; itself where it is kept or left out.
std::vector<Index> owners(const Reduction& reduction) {
  std::vector<Index> owner(reduction.groups.group_of.size());
  for (std::size_t i = 0; i < owner.size(); ++i) {
    owner[i] = reduction.representatives[reduction.groups.group_of[i]];
  }
  return owner;
}

/// The levels that the automatic choice has judged, from fine to coarse, and its limits.
ordered_json judged_document(const MethodResult& result) {
  ordered_json levels = ordered_json::array();
  const auto or_null = [](const std::optional<double>& value) {
    return value ? ordered_json(*value) : ordered_json();
  };
  for (const TriedLevel& level : result.tried) {
    levels.push_back({{"nSteps", level.n_steps},
                      {"nKept", level.n_kept},
                      {"overlap", level.overlap},
                      {"lossRatio", or_null(level.loss_ratio)},
                      {"meanR2", or_null(level.r2loo_mean)},
                      {"good", level.is_good}});
  }
  return {{"levels", std::move(levels)},
          {"minOverlap", result.enough_overlap},
          {"maxLossRatio", kUsualLossRatio}};
}

/// How many features became what, as the verdict counts them.
ordered_json counts_document(const MethodResult& result) {
  const ReductionCounts counts = count_reduction(result);
  return {{"kept", counts.kept},
          {"redundant", counts.redundant},
          {"exact", counts.exact},
          {"unsharedDropped", counts.unshared_dropped},
          {"unsharedKept", counts.unshared_kept},
          {"noVariation", counts.no_variation}};
}

/// Exact sums, with what they give for the samples that are shown.
ordered_json equations_document(const PageView& view, PageData& data) {
  std::vector<std::uint32_t> features;
  std::vector<std::uint32_t> starts{0};
  std::vector<std::uint32_t> terms;
  std::vector<double> coefficients;
  std::vector<double> intercepts;
  std::vector<std::uint8_t> codes;
  for (const Equation& equation : view.result.reduction.equations) {
    features.push_back(static_cast<std::uint32_t>(equation.feature));
    for (const Term& term : equation.combination.terms) {
      terms.push_back(static_cast<std::uint32_t>(term.feature));
      coefficients.push_back(term.coefficient);
    }
    starts.push_back(static_cast<std::uint32_t>(terms.size()));
    intercepts.push_back(equation.combination.intercept);
    const std::vector<std::uint8_t> own = codes_of(equation, view.centred, view.values);
    codes.insert(codes.end(), own.begin(), own.end());
  }
  return {{"features", data.add(std::span<const std::uint32_t>(features))},
          {"starts", data.add(std::span<const std::uint32_t>(starts))},
          {"terms", data.add(std::span<const std::uint32_t>(terms))},
          {"coefficients", data.add(std::span<const double>(coefficients))},
          {"intercepts", data.add(std::span<const double>(intercepts))},
          {"codes", data.add(std::span<const std::uint8_t>(codes))}};
}

/// Who could be kept instead of each kept feature that stands for others.
ordered_json stand_ins_document(const std::vector<StandIn>& stand_ins, PageData& data) {
  std::vector<std::uint32_t> kept;
  std::vector<std::uint32_t> features;
  std::vector<float> r2;
  std::vector<float> mean_r2;
  std::vector<float> mean_r2_instead;
  for (const StandIn& one : stand_ins) {
    if (one.feature < 0) continue;
    kept.push_back(static_cast<std::uint32_t>(one.kept));
    features.push_back(static_cast<std::uint32_t>(one.feature));
    r2.push_back(static_cast<float>(one.r2));
    mean_r2.push_back(static_cast<float>(one.mean_r2));
    mean_r2_instead.push_back(static_cast<float>(one.mean_r2_instead));
  }
  return {{"kept", data.add(std::span<const std::uint32_t>(kept))},
          {"features", data.add(std::span<const std::uint32_t>(features))},
          {"r2", data.add(std::span<const float>(r2))},
          {"meanR2", data.add(std::span<const float>(mean_r2))},
          {"meanR2Instead", data.add(std::span<const float>(mean_r2_instead))}};
}

/// Features that share nothing with the others, removed or not.
std::vector<Index> unshared_features(const SharedFeatures& shared) {
  std::vector<Index> features;
  for (std::size_t i = 0; i < shared.is_unshared.size(); ++i) {
    if (shared.is_unshared[i] != 0) features.push_back(static_cast<Index>(i));
  }
  return features;
}

std::vector<Index> left_out(const Reduction& reduction) {
  std::vector<Index> features;
  for (const RemovedFeature& removed : reduction.removed) {
    if (removed.representative < 0) features.push_back(removed.feature);
  }
  return features;
}

ordered_json run_document(const PageView& view, PageData& data) {
  const Reduction& reduction = view.result.reduction;
  const MethodOptions& options = view.options;
  const auto* components = std::get_if<ComponentOptions>(&options.grouping);
  const bool by_theta = components != nullptr && !components->weight_threshold;
  ordered_json seconds = ordered_json::array();
  for (const auto& [stage, value] : view.result.seconds) seconds.push_back({stage, value});
  return {
      {"nSteps", view.result.n_steps},
      {"theta", by_theta ? ordered_json(components->theta.value_or(kUsualTheta)) : ordered_json()},
      {"nKept", reduction.kept.size()},
      {"meanR2", reduction.mean_r2},
      {"nRescued", reduction.n_rescued},
      {"owner", add_indices(owners(reduction), data)},
      {"removed", removed_document(reduction.removed, data)},
      {"certificate", certificate_document(reduction.certificate, data)},
      {"neighbourOverlap", view.result.neighbour_overlap},
      {"seconds", std::move(seconds)}};
}

ordered_json cell_document(const ExperimentCell& cell) {
  if (!cell.scores) return nullptr;
  return {{"nmi", cell.scores->nmi},
          {"nmiStd", cell.scores->nmi_std},
          {"acc", cell.scores->acc},
          {"accStd", cell.scores->acc_std}};
}

}  // namespace

ordered_json view_document(const PageView& view, PageData& data) {
  const MethodResult& result = view.result;
  ordered_json document{
      {"grouping", choice_name(kind_of(view.options.grouping))},
      {"method", describe(view.options)},
      {"rule", choice_name(representative_of(view.options.grouping, view.options.keep).rule)},
      {"graph", graph_document(result.graph, data)},
      {"leftOut", add_indices(left_out(result.reduction), data)},
      {"protected", add_indices(view.options.keep, data)},
      {"run", run_document(view, data)},
      {"verdict", verdict(view.options, result)},
      {"counts", counts_document(result)},
      {"unshared", add_indices(unshared_features(result.shared), data)},
      {"equations", equations_document(view, data)},
      {"standIns", stand_ins_document(result.reduction.stand_ins, data)},
      {"judged", judged_document(result)}};
  if (const auto* tree = std::get_if<LevelTree>(&view.levels)) {
    document["tree"] = tree_document(*tree, data);
  }
  if (const auto* lists = std::get_if<PickLists>(&view.levels)) {
    document["picks"] = picks_document(*lists, data);
  }
  if (const auto* forest = std::get_if<ComponentHierarchy>(&result.hierarchy)) {
    document["tree"]["height"] =
        data.add(std::span<const double>(std::get<LevelTree>(view.levels).height));
    document["weightRange"] = {forest->min_weight, forest->max_weight};
    document["maxAngle"] = std::get<ComponentOptions>(view.options.grouping).graph.max_angle;
    document["permuted"] = data.add(converted<float>(result.permutation.angle));
  }
  return document;
}

ordered_json values_document(const PageValues& values, const std::optional<Labels>& labels,
                             PageData& data) {
  ordered_json document{{"nPoints", values.samples.size()},
                        {"low", data.add(std::span<const float>(values.low))},
                        {"high", data.add(std::span<const float>(values.high))},
                        {"codes", data.add(std::span<const std::uint8_t>(values.codes))}};
  if (!labels) return document;
  const PageClasses classes = page_classes(*labels, values.samples);
  if (classes.names.empty()) return document;
  document["classes"] = {{"name", labels->name},
                         {"names", classes.names},
                         {"codes", data.add(std::span<const std::uint8_t>(classes.codes))}};
  return document;
}

ordered_json image_document(const ImageShape& shape, const std::vector<double>& means,
                            PageData& data) {
  constexpr double kWhite = 255;
  const auto [low, high] = std::ranges::minmax(means);
  std::vector<std::uint8_t> grey;
  for (const double mean : means) {
    // Halved first: the range itself may be too large for a double.
    const double share = high > low ? (mean / 2 - low / 2) / (high / 2 - low / 2) : 0.0;
    grey.push_back(static_cast<std::uint8_t>(std::lround(share * kWhite)));
  }
  return {{"height", shape.height},
          {"width", shape.width},
          {"order", choice_name(shape.order)},
          {"mean", data.add(std::span<const std::uint8_t>(grey))}};
}

ordered_json scores_document(const ExperimentResult& result, const ExperimentOptions& options) {
  ordered_json tables = ordered_json::array();
  for (const ExperimentTable& table : result.tables) {
    ordered_json columns = ordered_json::array();
    for (const ExperimentColumn& column : table.columns) {
      ordered_json selections = ordered_json::array();
      for (const ExperimentCell& cell : column.selected) selections.push_back(cell_document(cell));
      columns.push_back({{"theta", column.theta ? ordered_json(*column.theta) : ordered_json()},
                         {"nKept", column.n_kept},
                         {"spectral", cell_document(column.spectral)},
                         {"selections", std::move(selections)}});
    }
    tables.push_back({{"grouping", choice_name(table.grouping)}, {"columns", std::move(columns)}});
  }
  return {{"sizes", options.sizes}, {"nSeeds", options.n_seeds}, {"tables", std::move(tables)}};
}

}  // namespace sfg::detail
