#include "sfg/json.hpp"

namespace sfg {

using nlohmann::ordered_json;

ordered_json drift_json(const Model& model, const DriftReport& report) {
  const auto name = [&](Index feature) { return model.feature_names[feature]; };
  ordered_json broken = ordered_json::array();
  for (const BrokenRelation& one : report.broken) {
    ordered_json rows = ordered_json::array();
    for (const Index row : one.first_rows) rows.push_back(row_name(report, row));
    broken.push_back({{"feature", name(one.feature)},
                      {"index", one.feature},
                      {"relation", relation_text(model, one.feature)},
                      {"kind", choice_name(one.kind)},
                      {"n_rows", one.n_rows},
                      {"n_broken", one.n_broken},
                      {"first_rows", std::move(rows)},
                      {"worst_row", row_name(report, one.worst_row)},
                      {"largest", one.largest},
                      {"limit", one.limit}});
  }
  ordered_json shifted = ordered_json::array();
  for (const ShiftedFeature& one : report.shifted) {
    shifted.push_back({{"feature", name(one.feature)},
                       {"index", one.feature},
                       {"n_rows", one.n_rows},
                       {"n_outside", one.n_outside},
                       {"mean", one.mean},
                       {"shift", one.shift}});
  }
  ordered_json suspects = ordered_json::array();
  for (const Suspect& one : report.suspects) {
    ordered_json features = ordered_json::array();
    for (const Index feature : one.features) features.push_back(name(feature));
    suspects.push_back({{"features", std::move(features)}, {"n_broken", one.n_broken}});
  }
  return {{"n_rows", report.n_rows},
          {"n_relations", report.n_relations},
          {"n_checked", report.n_checked},
          {"unchecked", report.unchecked.empty() ? ordered_json() : ordered_json(report.unchecked)},
          {"broken", std::move(broken)},
          {"shifted", std::move(shifted)},
          {"suspects", std::move(suspects)}};
}

}  // namespace sfg
