#include "results.hpp"

#include <pybind11/stl.h>

#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "convert.hpp"
#include "sfg/verdict.hpp"

namespace sfg::python {

namespace {

constexpr double kNotTried = std::numeric_limits<double>::quiet_NaN();

py::dict graph_of(FeatureGraph&& graph) {
  py::dict result;
  result["status"] = array_of_each<std::uint8_t>(
      graph.status, [](PursuitStatus status) { return static_cast<std::uint8_t>(status); });
  result["starts"] = array_of(std::move(graph.starts));
  result["neighbours"] = array_of(std::move(graph.neighbours));
  result["weights"] = array_of(std::move(graph.weights));
  result["angle"] = array_of(std::move(graph.angle));
  result["failed"] = array_of(std::move(graph.failed));
  return result;
}

/// Steps of each kind of hierarchy.
py::dict steps_of(const ComponentHierarchy& hierarchy) {
  py::dict steps;
  steps["a"] = array_of_each<Index>(hierarchy.merges, [](const Merge& m) { return m.a; });
  steps["b"] = array_of_each<Index>(hierarchy.merges, [](const Merge& m) { return m.b; });
  steps["weight"] =
      array_of_each<double>(hierarchy.merges, [](const Merge& m) { return m.weight; });
  return steps;
}

py::dict steps_of(const CompactHierarchy& hierarchy) {
  using M = CompactMerge;
  const auto& merges = hierarchy.merges;
  py::dict steps;
  steps["a"] = array_of_each<Index>(merges, [](const M& m) { return m.a; });
  steps["b"] = array_of_each<Index>(merges, [](const M& m) { return m.b; });
  steps["cost"] = array_of_each<double>(merges, [](const M& m) { return m.cost; });
  steps["representative"] =
      array_of_each<Index>(merges, [](const M& m) { return m.representative; });
  return steps;
}

py::dict steps_of(const CoverSequence& cover) {
  py::dict steps;
  steps["picks"] = array_of_each<Index>(cover.picks, [](Index pick) { return pick; });
  return steps;
}

/// All levels: what is kept, and what is known about it.
py::dict levels_of(const Hierarchy& hierarchy) {
  using L = HierarchyLevel;
  auto all = levels(hierarchy);
  const auto* forest = std::get_if<ComponentHierarchy>(&hierarchy);
  // Before the first merge any threshold above the largest weight will do: that is no level.
  if (forest != nullptr) all.erase(all.begin());
  py::dict columns;
  columns["n_kept"] = array_of_each<Index>(all, [](const L& level) { return level.n_kept; });
  if (forest != nullptr) {
    const double low = forest->min_weight;
    const double span = forest->max_weight - low;
    columns["threshold"] =
        array_of_each<double>(all, [](const L& level) { return level.threshold.value(); });
    columns["theta"] = array_of_each<double>(all, [&](const L& level) {
      return span > 0 ? (level.threshold.value() - low) / span : 1.0;
    });
  } else {
    columns["mean_r2"] =
        array_of_each<double>(all, [](const L& level) { return level.mean_r2.value(); });
  }
  return columns;
}

py::dict hierarchy_of(const Hierarchy& hierarchy) {
  py::dict result;
  result["steps"] = std::visit([](const auto& one) { return steps_of(one); }, hierarchy);
  result["levels"] = levels_of(hierarchy);
  return result;
}

/// Combinations of all removed features, in compressed rows.
void add_combinations(const std::vector<RemovedFeature>& removed, py::dict& result) {
  std::vector<Offset> starts{0};
  std::vector<Index> features;
  std::vector<double> coefficients;
  for (const RemovedFeature& one : removed) {
    for (const Term& term : one.combination.terms) {
      features.push_back(term.feature);
      coefficients.push_back(term.coefficient);
    }
    starts.push_back(static_cast<Offset>(features.size()));
  }
  result["term_starts"] = array_of(std::move(starts));
  result["term_features"] = array_of(std::move(features));
  result["term_coefficients"] = array_of(std::move(coefficients));
  using R = RemovedFeature;
  result["intercept"] =
      array_of_each<double>(removed, [](const R& one) { return one.combination.intercept; });
  result["combination_r2"] =
      array_of_each<double>(removed, [](const R& one) { return one.combination.r2; });
}

py::dict removed_of(const std::vector<RemovedFeature>& removed) {
  using R = RemovedFeature;
  py::dict result;
  result["feature"] = array_of_each<Index>(removed, [](const R& one) { return one.feature; });
  result["representative"] =
      array_of_each<Index>(removed, [](const R& one) { return one.representative; });
  result["r2"] = array_of_each<double>(removed, [](const R& one) { return one.r2; });
  result["held_out_r2"] = array_of_each<double>(
      removed, [](const R& one) { return one.held_out_r2.value_or(kNotTried); });
  result["best_kept"] = array_of_each<Index>(removed, [](const R& one) { return one.best_kept; });
  result["best_kept_r2"] =
      array_of_each<double>(removed, [](const R& one) { return one.best_kept_r2; });
  py::list reasons;
  py::list kinds;
  for (const R& one : removed) {
    reasons.append(choice_name(one.reason));
    kinds.append(choice_name(one.certificate));
  }
  result["reason"] = reasons;
  result["certificate"] = kinds;
  add_combinations(removed, result);
  return result;
}

py::dict summary_of(const HeldOutSummary& summary) {
  py::dict result;
  result["n"] = summary.n_features;
  result["mean"] = summary.mean;
  result["median"] = summary.median;
  result["q10"] = summary.quantile_10;
  result["q95"] = summary.quantile_95;
  result["share_50"] = summary.share_50;
  result["share_80"] = summary.share_80;
  return result;
}

py::dict certificate_of(const Certificate& certificate) {
  py::dict result;
  result["possible"] = certificate.possible;
  result["all"] = certificate.all;
  result["removed"] = summary_of(certificate.removed);
  result["permuted"] = summary_of(certificate.permuted);
  return result;
}

py::object permutation_of(const PermutationCheck& check) {
  if (check.n_permuted == 0) return py::none();
  py::dict result;
  result["n_permuted"] = check.n_permuted;
  result["real_share"] = check.real_share;
  result["permuted_share"] = check.permuted_share;
  result["angle_says_little"] = check.angle_says_little();
  return result;
}

py::object shared_of(const SharedFeatures& shared) {
  if (!shared.looked_at) return py::none();
  py::dict result;
  result["predictability"] = array_of(std::vector<double>(shared.predictability.r2));
  result["is_unshared"] = array_of_each<std::uint8_t>(
      shared.is_unshared, [](char flag) { return static_cast<std::uint8_t>(flag); });
  result["dropped"] = shared.dropped;
  return result;
}

py::list equations_of(const std::vector<Equation>& equations) {
  py::list result;
  for (const Equation& one : equations) {
    std::vector<Index> features;
    std::vector<double> coefficients;
    for (const Term& term : one.combination.terms) {
      features.push_back(term.feature);
      coefficients.push_back(term.coefficient);
    }
    py::dict equation;
    equation["feature"] = one.feature;
    equation["features"] = array_of(std::move(features));
    equation["coefficients"] = array_of(std::move(coefficients));
    equation["intercept"] = one.combination.intercept;
    result.append(equation);
  }
  return result;
}

py::dict stand_ins_of(const std::vector<StandIn>& stand_ins) {
  using S = StandIn;
  py::dict result;
  result["kept"] = array_of_each<Index>(stand_ins, [](const S& one) { return one.kept; });
  result["feature"] = array_of_each<Index>(stand_ins, [](const S& one) { return one.feature; });
  result["r2"] = array_of_each<double>(stand_ins, [](const S& one) { return one.r2; });
  result["mean_r2"] = array_of_each<double>(stand_ins, [](const S& one) { return one.mean_r2; });
  result["mean_r2_instead"] =
      array_of_each<double>(stand_ins, [](const S& one) { return one.mean_r2_instead; });
  return result;
}

void add_reduction(Reduction&& reduction, py::dict& result) {
  result["weights"] = array_of(weights(reduction));
  result["group_of"] = array_of(std::move(reduction.groups.group_of));
  result["group_starts"] = array_of(std::move(reduction.groups.starts));
  result["group_members"] = array_of(std::move(reduction.groups.members));
  result["representatives"] = array_of(std::move(reduction.representatives));
  result["kept"] = array_of(std::move(reduction.kept));
  result["removed"] = removed_of(reduction.removed);
  result["stand_ins"] = stand_ins_of(reduction.stand_ins);
  result["mean_r2"] = reduction.mean_r2;
  result["r2_q10"] = reduction.quantile_10_r2;
  result["mean_best_r2"] = reduction.mean_best_r2;
  result["n_rescued"] = reduction.n_rescued;
  result["equations"] = equations_of(reduction.equations);
  result["certificate"] = certificate_of(reduction.certificate);
}

}  // namespace

py::dict model_dict(const Model& model) {
  py::dict result;
  add_reduction(Reduction(model.reduction), result);
  result["feature_names"] = model.feature_names;
  result["has_names"] = model.name_source == NameSource::file;
  result["description"] = model.description;
  result["transformation"] = choice_name(model.transform);
  result["missing"] = choice_name(model.missing);
  return result;
}

py::dict seconds_of(const StageSeconds& seconds) {
  py::dict result;
  for (const auto& [stage, value] : seconds) result[py::str(stage)] = value;
  return result;
}

py::dict levels_tried(const MethodResult& found) {
  const std::vector<TriedLevel>& tried = found.tried;
  py::dict result;
  using L = TriedLevel;
  result["n_kept"] = array_of_each<Index>(tried, [](const L& one) { return one.n_kept; });
  result["overlap"] = array_of_each<double>(tried, [](const L& one) { return one.overlap; });
  result["loss_ratio"] =
      array_of_each<double>(tried, [](const L& one) { return one.loss_ratio.value_or(kNotTried); });
  result["r2loo_mean"] =
      array_of_each<double>(tried, [](const L& one) { return one.r2loo_mean.value_or(kNotTried); });
  result["good"] = array_of_each<std::uint8_t>(
      tried, [](const L& one) { return static_cast<std::uint8_t>(one.is_good); });
  result["chosen"] = array_of_each<std::uint8_t>(
      tried, [&](const L& one) { return static_cast<std::uint8_t>(one.n_steps == found.n_steps); });
  return result;
}

py::dict result_of(MethodResult&& found, const MethodOptions& options) {
  py::dict result;
  result["verdict"] = verdict(options, found);
  result["transformation"] = choice_name(options.transform);
  result["description"] = found.graph.description;
  result["hierarchy"] = hierarchy_of(found.hierarchy);
  const bool has_graph = !picks_features(options.grouping);
  result["graph"] = has_graph ? py::object(graph_of(std::move(found.graph))) : py::none();
  result["threshold"] = found.threshold ? py::object(py::float_(*found.threshold)) : py::none();
  result["permutation_check"] = permutation_of(found.permutation);
  add_reduction(std::move(found.reduction), result);
  result["neighbour_overlap"] = found.neighbour_overlap;
  result["shared"] = shared_of(found.shared);
  result["levels"] = levels_tried(found);
  result["kept_though_avoided"] = array_of(std::move(found.kept_though_avoided));
  result["engine"] = choice_name(found.engine);
  result["kind"] = array_of_each<std::uint8_t>(
      found.kind, [](FeatureKind kind) { return static_cast<std::uint8_t>(kind); });
  result["seconds"] = seconds_of(found.seconds);
  return result;
}

}  // namespace sfg::python
