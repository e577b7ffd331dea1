#include "sfg/json.hpp"

namespace sfg {

using nlohmann::ordered_json;

namespace {

ordered_json selections_json(const SelectOptions& options, const SelectResult& result) {
  ordered_json rows = ordered_json::array();
  for (std::size_t k = 0; k < result.selections.size(); ++k) {
    const auto& selection = result.selections[k];
    ordered_json row{{"n", options.sizes.empty() ? selection->n_selected : options.sizes[k]},
                     {"features", nullptr},
                     {"scores", nullptr}};
    if (selection) {
      row["features"] = selection->features;
      row["scores"] = selection->scores;
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

ordered_json removed_json(const SelectResult& result) {
  ordered_json rows = ordered_json::array();
  for (const Superseded& one : result.removed) {
    rows.push_back({{"feature", one.feature},
                    {"by", one.by < 0 ? ordered_json() : ordered_json(one.by)},
                    {"between", one.by < 0 ? ordered_json() : ordered_json(one.between)},
                    {"relevance", one.relevance}});
  }
  return rows;
}

}  // namespace

ordered_json selection_json(const Dataset& dataset, const SelectOptions& options,
                            const SelectResult& result, Index n_candidates) {
  const bool largest_first = result.order == ScoreOrder::largest_first;
  ordered_json document{
      {"n_samples", n_samples(dataset.matrix)},
      {"n_features", n_features(dataset.matrix)},
      {"n_candidates", n_candidates},
      {"method", choice_name(result.method)},
      {"n_neighbors", result.n_neighbors},
      {"n_responses", result.n_responses > 0 ? ordered_json(result.n_responses) : ordered_json()},
      {"status", choice_name(result.status)},
      {"score_order", largest_first ? "largest-first" : "smallest-first"},
      {"selections", selections_json(options, result)},
      {"scores", result.scores}};
  if (result.method == SelectMethod::fsasl) document["objective"] = result.objective;
  if (!result.labels_note.empty()) document["labels_note"] = result.labels_note;
  if (has_own_size(result.method)) document["removed"] = removed_json(result);
  return document;
}

}  // namespace sfg
