#include "sfg/json.hpp"
#include "sfg/text.hpp"

namespace sfg {

using nlohmann::ordered_json;

namespace {

ordered_json reached_number(const CompareRow& row, std::optional<double> value) {
  return row.reached && value ? ordered_json(*value) : ordered_json();
}

ordered_json rows_json(const std::vector<CompareResult>& results) {
  ordered_json rows = ordered_json::array();
  for (const CompareResult& result : results) {
    for (const CompareRow& row : result.rows) {
      rows.push_back({{"input", result.source},
                      {"competitor", choice_name(row.competitor)},
                      {"share", row.share},
                      {"n_kept", row.n_kept},
                      {"reached", row.reached},
                      {"r2cv_mean", reached_number(row, row.r2cv_mean)},
                      {"r2cv_q10", reached_number(row, row.r2cv_q10)},
                      {"mean_r2", reached_number(row, row.mean_r2)},
                      {"neighbour_overlap", reached_number(row, row.neighbour_overlap)},
                      {"nmi", reached_number(row, row.nmi)},
                      {"nmi_sd", reached_number(row, row.nmi_sd)},
                      {"acc", reached_number(row, row.acc)},
                      {"acc_sd", reached_number(row, row.acc_sd)}});
    }
  }
  return rows;
}

ordered_json differences_json(const std::vector<PairedDifference>& differences) {
  ordered_json list = ordered_json::array();
  for (const PairedDifference& one : differences) {
    list.push_back({{"first", choice_name(one.first)},
                    {"second", choice_name(one.second)},
                    {"measure", one.measure},
                    {"mean", one.mean},
                    {"standard_error", one.error},
                    {"n_pairs", one.n_pairs},
                    {"n_higher", one.n_higher},
                    {"n_lower", one.n_lower}});
  }
  return list;
}

ordered_json all_features_json(const std::vector<CompareResult>& results) {
  ordered_json all = ordered_json::array();
  for (const CompareResult& result : results) {
    all.push_back({{"input", result.source},
                   {"n_samples", result.n_samples},
                   {"n_features", result.n_features},
                   {"nmi", json_or_null(result.nmi_all)},
                   {"acc", json_or_null(result.acc_all)}});
  }
  return all;
}

}  // namespace

ordered_json comparison_json(const std::vector<CompareResult>& results,
                             const std::vector<PairedDifference>& differences) {
  return {{"all_features", all_features_json(results)},
          {"rows", rows_json(results)},
          {"differences", differences_json(differences)}};
}

std::string rows_to_tsv(const ordered_json& rows) {
  std::string text;
  for (const auto& [key, value] : rows.front().items()) text += (text.empty() ? "" : "\t") + key;
  text += "\n";
  for (const ordered_json& row : rows) {
    std::string line;
    for (const auto& [key, value] : row.items()) {
      if (key != "input") line += "\t";
      if (value.is_string()) {
        line += escaped(value.get<std::string>());
      } else if (!value.is_null()) {
        line += value.dump();
      }
    }
    text += line + "\n";
  }
  return text;
}

}  // namespace sfg
