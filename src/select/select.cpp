#include "sfg/select.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "core/threads.hpp"
#include "select/information.hpp"
#include "select/selectors.hpp"
#include "sfg/error.hpp"
#include "sfg/text.hpp"

namespace sfg {

namespace {

/// The published experiments' numbers.
constexpr Index kPaperNeighbours = 5;
constexpr Index kPaperResponses = 5;
constexpr double kPaperRidge = 0.001;

[[noreturn]] void refuse(const std::string& reason) {
  throw Error(ErrorCode::invalid_option, reason);
}

/// The options with the method's own number of neighbours where none was given.
SelectOptions completed(SelectOptions options, Index n_samples) {
  const SelectMethod judge =
      options.method == SelectMethod::grm ? options.redundancy.base_method : options.method;
  const Index usual = judge == SelectMethod::spec ? 0 : kPaperNeighbours;
  options.n_neighbors = std::min(options.n_neighbors.value_or(usual), n_samples - 1);
  return options;
}

[[noreturn]] void refuse_without_labels(const SelectOptions& options) {
  throw Error(ErrorCode::invalid_option,
              fmt::format("{} judges features by the classes of the samples, and there are none",
                          choice_name(options.method)),
              "", {"labels", "name their column: {labels}"});
}

/// Throws degenerate_data unless there are so many samples.
void require_samples(std::size_t n_samples, std::size_t fewest, const char* which) {
  if (n_samples >= fewest) return;
  throw Error(
      ErrorCode::degenerate_data,
      fmt::format("{} {}are too few to select features by",
                  n_samples == 1 ? "1 sample" : fmt::format("{} samples", n_samples), which),
      "",
      {"features_in_rows",
       fmt::format("give at least {}, or add {{features_in_rows=true}} if the rows of the "
                   "file are features",
                   fewest)});
}

void check_features(const UnitFeatures& features) {
  constexpr std::size_t kFewestSamples = 3;
  require_samples(static_cast<std::size_t>(features.n_samples()), kFewestSamples, "");
  if (std::ranges::count(features.kind, FeatureKind::regular) == 0) {
    throw Error(
        ErrorCode::degenerate_data,
        "every feature is zero, so there is nothing to select; check that the file holds the "
        "data you mean");
  }
  if (!features.shift.empty()) {
    refuse("features for a selection must not be centred; normalise them without centring");
  }
}

void check_target(const UnitFeatures& features, const Target& target) {
  constexpr std::size_t kFewestLabelled = 5;
  constexpr Index kMostClasses = 65535;
  require_samples(target.samples.size(), kFewestLabelled, "with a label ");
  if (target.samples.back() >= features.n_samples()) refuse("labels for samples that do not exist");
  if (target.n_classes > kMostClasses) {
    throw Error(ErrorCode::degenerate_data,
                fmt::format("'{}' has {} classes: more than {} are names, not classes",
                            escaped(target.name), target.n_classes, kMostClasses));
  }
}

/// How the labels were taken.
std::string note_on(const Target& target, Index n_samples, const SelectOptions& options) {
  std::string text =
      target.kind == TargetKind::classes
          ? fmt::format("'{}' has {} classes", escaped(target.name), target.n_classes)
          : fmt::format("'{}' is a measurement, not classes", escaped(target.name));
  if (target.kind == TargetKind::numbers) {
    const bool by_f =
        options.method == SelectMethod::mrmr && options.information.mrmr_scheme >= MrmrScheme::fcd;
    const bool regresses = options.method == SelectMethod::mrsf ||
                           options.redundancy.base_method == SelectMethod::mrsf;
    if (by_f)
      text += ": relevance is the F of its regression";
    else if (regresses && !has_own_size(options.method))
      text += ": it is regressed on as it is";
    else
      text +=
          fmt::format(": it is put into {} bins of equal frequency", options.information.n_bins);
  }
  const auto n_unknown = static_cast<std::size_t>(n_samples) - target.samples.size();
  if (n_unknown > 0) text += fmt::format("; {} samples without a label are left out", n_unknown);
  return text;
}

SelectResult started(const UnitFeatures& features, const SelectOptions& options) {
  SelectResult result;
  result.method = options.method;
  if (detail::uses_sample_graph(options)) {
    result.n_neighbors = *completed(options, features.n_samples()).n_neighbors;
  }
  return result;
}

void select_by_method(const UnitFeatures& features, const Target* target,
                      const SelectOptions& options, const RunContext& run, SelectResult& result);

void select_by_grm(const UnitFeatures& features, const Target* target, const SelectOptions& options,
                   const RunContext& run, SelectResult& result) {
  SelectOptions base_options = options;
  base_options.method = options.redundancy.base_method;
  SelectResult base;
  select_by_method(features, target, base_options, run, base);
  result.status = base.status == SelectStatus::few_features ? SelectStatus::done : base.status;
  result.n_responses = base.n_responses;
  detail::select_by_grm(features, base, options, run, result);
}

void select_by_method(const UnitFeatures& features, const Target* target,
                      const SelectOptions& options, const RunContext& run, SelectResult& result) {
  switch (options.method) {
    case SelectMethod::mcfs:
      return detail::select_by_mcfs(features.matrix, options, run, result);
    case SelectMethod::laplacian:
      return detail::select_by_laplacian_score(features.matrix, options, run, result);
    case SelectMethod::spec:
      return detail::select_by_spec(features.matrix, options, run, result);
    case SelectMethod::fsasl:
      return detail::select_by_fsasl(features.matrix, options, run, result);
    case SelectMethod::mrmr:
      return detail::select_by_mrmr(features, *target, options, run, result);
    case SelectMethod::fcbf:
      return detail::select_by_fcbf(features.matrix, *target, options, run, result);
    case SelectMethod::fast:
      return detail::select_by_fast(features.matrix, *target, options, run, result);
    case SelectMethod::grm:
      return select_by_grm(features, target, options, run, result);
    case SelectMethod::mrsf: {
      const bool by_labels = options.redundancy.spectral_targets == SpectralTargets::labels;
      return detail::select_by_mrsf(features.matrix, by_labels ? target : nullptr, options, run,
                                    result);
    }
    case SelectMethod::sparsity:
      return detail::select_by_sparsity_score(features.matrix, options, run, result);
  }
  throw Error(ErrorCode::internal, "this selector has no function");
}

}  // namespace

SelectOptions paper_selection(std::vector<Index> sizes) {
  SelectOptions options;
  options.sizes = std::move(sizes);
  options.n_neighbors = kPaperNeighbours;
  options.n_responses = kPaperResponses;
  options.ridge = kPaperRidge;
  options.coefficient_scale = CoefficientScale::unit_length;
  options.tied_features = TiedFeatures::one_by_one;
  return options;
}

bool needs_labels(const SelectOptions& options) noexcept {
  const auto is_supervised = [](SelectMethod method) {
    return method == SelectMethod::mrmr || has_own_size(method);
  };
  switch (options.method) {
    case SelectMethod::grm:
      return is_supervised(options.redundancy.base_method) ||
             (options.redundancy.base_method == SelectMethod::mrsf &&
              options.redundancy.spectral_targets == SpectralTargets::labels);
    case SelectMethod::mrsf:
      return options.redundancy.spectral_targets == SpectralTargets::labels;
    default:
      return is_supervised(options.method);
  }
}

bool has_own_size(SelectMethod method) noexcept {
  return method == SelectMethod::fcbf || method == SelectMethod::fast;
}

void check(const SelectOptions& options) {
  if (options.sizes.empty() && !has_own_size(options.method)) {
    refuse("say how many features to select: at least one number");
  }
  check_fields(options);
}

SelectResult select_best(const UnitFeatures& features, const SelectOptions& options,
                         const RunContext& run) {
  check(options);
  if (needs_labels(options)) refuse_without_labels(options);
  check_features(features);
  SelectResult result = started(features, options);
  select_by_method(features, nullptr, completed(options, features.n_samples()),
                   detail::while_holding(features.matrix, run), result);
  return result;
}

SelectResult select_best(const UnitFeatures& features, const Target& target,
                         const SelectOptions& options, const RunContext& run) {
  if (!needs_labels(options)) return select_best(features, options, run);
  check(options);
  check_features(features);
  check_target(features, target);
  RunContext run_with_data = detail::while_holding(features.matrix, run);
  SelectResult result = started(features, options);
  result.labels_note = note_on(target, features.n_samples(), options);
  const SelectOptions complete = completed(options, static_cast<Index>(target.samples.size()));
  if (static_cast<Index>(target.samples.size()) == features.n_samples()) {
    select_by_method(features, &target, complete, run_with_data, result);
    return result;
  }
  const UnitFeatures known =
      normalise(select_samples(features.matrix, target.samples), {}, run_with_data);
  Target all_known = target;
  std::iota(all_known.samples.begin(), all_known.samples.end(), Index{0});
  run_with_data = detail::while_holding(known.matrix, run_with_data);
  select_by_method(known, &all_known, complete, run_with_data, result);
  return result;
}

namespace detail {

Affinity sample_graph(const Matrix& features, const SelectOptions& options, const RunContext& run) {
  AffinityOptions affinity_options;
  affinity_options.kind = *options.n_neighbors > 0 ? AffinityKind::heat_knn : AffinityKind::gauss;
  affinity_options.n_neighbors = *options.n_neighbors;
  return affinity(features, affinity_options, run);
}

Selection best_features(const std::vector<double>& scores, ScoreOrder order, Index n_selected) {
  std::vector<Index> features(scores.size());
  std::iota(features.begin(), features.end(), Index{0});
  const auto score = [&](Index feature) { return scores[feature]; };
  if (order == ScoreOrder::largest_first) {
    std::ranges::stable_sort(features, std::greater{}, score);
  } else {
    std::ranges::stable_sort(features, std::less{}, score);
  }
  features.resize(static_cast<std::size_t>(n_selected));
  Selection selection{n_selected, std::move(features), {}};
  for (const Index feature : selection.features) selection.scores.push_back(score(feature));
  return selection;
}

bool uses_sample_graph(const SelectOptions& options) noexcept {
  switch (options.method) {
    case SelectMethod::mcfs:
    case SelectMethod::laplacian:
    case SelectMethod::spec:
    case SelectMethod::fsasl:
      return true;
    case SelectMethod::mrsf:
      return options.redundancy.spectral_targets == SpectralTargets::similarity;
    case SelectMethod::grm: {
      SelectOptions base = options;
      base.method = options.redundancy.base_method;
      return base.method != SelectMethod::grm && uses_sample_graph(base);
    }
    default:
      return false;
  }
}

std::vector<Index> relevant_features(const std::vector<double>& relevance, double min_relevance,
                                     SelectResult& result) {
  std::vector<Index> relevant;
  for (std::size_t j = 0; j < relevance.size(); ++j) {
    const auto feature = static_cast<Index>(j);
    if (is_larger(relevance[j], min_relevance)) {
      relevant.push_back(feature);
    } else {
      result.removed.push_back({feature, -1, 0, relevance[j]});
    }
  }
  return relevant;
}

void select_first(const Selection& order, Index n_features, const SelectOptions& options,
                  SelectResult& result) {
  const auto n_ordered = static_cast<Index>(order.features.size());
  const std::vector<Index> sizes =
      options.sizes.empty() ? std::vector<Index>{n_ordered} : options.sizes;
  for (const Index size : sizes) {
    result.selections.emplace_back();
    if (size > n_features) continue;
    const Index count = std::min(size, n_ordered);
    if (count < size) result.status = SelectStatus::few_features;
    result.selections.back() = Selection{count,
                                         {order.features.begin(), order.features.begin() + count},
                                         {order.scores.begin(), order.scores.begin() + count}};
  }
}

void select_by_scores(const SelectOptions& options, SelectResult& result) {
  for (const Index size : options.sizes) {
    result.selections.emplace_back();
    if (static_cast<std::size_t>(size) > result.scores.size()) continue;
    result.selections.back() = best_features(result.scores, result.order, size);
  }
}

}  // namespace detail

}  // namespace sfg
