#include "sfg/select.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "core/threads.hpp"
#include "select/selectors.hpp"
#include "sfg/error.hpp"

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
  const Index usual = options.method == SelectMethod::spec ? 0 : kPaperNeighbours;
  options.n_neighbors = std::min(options.n_neighbors.value_or(usual), n_samples - 1);
  return options;
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

void check(const SelectOptions& options) {
  if (options.sizes.empty()) refuse("say how many features to select: at least one number");
  check_fields(options);
}

SelectResult select_best(const UnitFeatures& features, const SelectOptions& options,
                         const RunContext& run) {
  check(options);
  constexpr Index kFewestSamples = 3;
  if (features.n_samples() < kFewestSamples) {
    throw Error(
        ErrorCode::degenerate_data,
        fmt::format("{} samples are too few to select features by", features.n_samples()), "",
        {"features_in_rows",
         fmt::format("give at least {}, or add {{features_in_rows=true}} if the rows of the "
                     "file are features",
                     kFewestSamples)});
  }
  if (std::ranges::count(features.kind, FeatureKind::regular) == 0) {
    throw Error(
        ErrorCode::degenerate_data,
        "every feature is zero, so there is nothing to select; check that the file holds the "
        "data you mean");
  }
  if (!features.shift.empty()) {
    refuse("features for a selection must not be centred; normalise them without centring");
  }
  const SelectOptions complete = completed(options, features.n_samples());
  const RunContext run_with_data = detail::while_holding(features.matrix, run);
  SelectResult result;
  result.method = options.method;
  result.n_neighbors = *complete.n_neighbors;
  switch (options.method) {
    case SelectMethod::mcfs:
      detail::select_by_mcfs(features.matrix, complete, run_with_data, result);
      break;
    case SelectMethod::laplacian:
      detail::select_by_laplacian_score(features.matrix, complete, run_with_data, result);
      break;
    case SelectMethod::spec:
      detail::select_by_spec(features.matrix, complete, run_with_data, result);
      break;
    case SelectMethod::fsasl:
      detail::select_by_fsasl(features.matrix, complete, run_with_data, result);
      break;
  }
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

void select_by_scores(const SelectOptions& options, SelectResult& result) {
  for (const Index size : options.sizes) {
    result.selections.emplace_back();
    if (static_cast<std::size_t>(size) > result.scores.size()) continue;
    result.selections.back() = best_features(result.scores, result.order, size);
  }
}

}  // namespace detail

}  // namespace sfg
