#include "sfg/json.hpp"
#include "sfg/text.hpp"

namespace sfg {

using nlohmann::ordered_json;

namespace {

ordered_json row_json(const std::string& source, const CompareRow& row) {
  const auto figure = [&](std::optional<double> value) {
    return row.reached && value ? ordered_json(*value) : ordered_json();
  };
  return {{"input", source},
          {"competitor", choice_name(row.competitor)},
          {"share", row.share},
          {"n_kept", row.n_kept},
          {"reached", row.reached},
          {"rank", row.rank > 0 ? ordered_json(row.rank) : ordered_json()},
          {"score", figure(row.score)},
          {"accuracy", figure(row.accuracy)},
          {"accuracy_1nn", figure(row.accuracy_1nn)},
          {"accuracy_5nn", figure(row.accuracy_5nn)},
          {"accuracy_linear", figure(row.accuracy_linear)},
          {"nmi_mean", figure(row.nmi_mean)},
          {"nmi", figure(row.nmi)},
          {"nmi_std", figure(row.nmi_std)},
          {"acc", figure(row.acc)},
          {"acc_std", figure(row.acc_std)},
          {"nmi_kmeans", figure(row.nmi_kmeans)},
          {"acc_kmeans", figure(row.acc_kmeans)},
          {"neighbour_overlap", figure(row.neighbour_overlap)},
          {"mean_best_r2", figure(row.mean_best_r2)},
          {"redundancy", figure(row.redundancy)},
          {"r2cv_mean", figure(row.r2cv_mean)},
          {"r2cv_q10", figure(row.r2cv_q10)},
          {"reason", row.reason.empty() ? ordered_json() : ordered_json(row.reason)}};
}

ordered_json rows_json(const std::vector<CompareResult>& results) {
  ordered_json rows = ordered_json::array();
  for (const CompareResult& result : results) {
    for (const CompareRow& row : result.rows) rows.push_back(row_json(result.source, row));
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

ordered_json ranking_json(const std::vector<CompareResult>& results) {
  ordered_json list = ordered_json::array();
  for (const CompareMean& one : ranking(results)) {
    list.push_back({{"competitor", choice_name(one.competitor)},
                    {"score", one.score},
                    {"accuracy", json_or_null(one.accuracy)},
                    {"nmi_mean", json_or_null(one.nmi_mean)},
                    {"neighbour_overlap", one.neighbour_overlap},
                    {"r2cv_mean", one.r2cv_mean}});
  }
  return list;
}

ordered_json selection_json(const StageSeconds& seconds) {
  ordered_json document = ordered_json::object();
  for (const auto& [method, value] : seconds) document[method] = value;
  return document;
}

ordered_json all_features_json(const std::vector<CompareResult>& results) {
  ordered_json all = ordered_json::array();
  for (const CompareResult& result : results) {
    all.push_back({{"input", result.source},
                   {"n_samples", result.n_samples},
                   {"n_features", result.n_features},
                   {"n_regular", result.n_regular},
                   {"n_classes", result.n_classes},
                   {"n_classified", result.n_classified},
                   {"nmi", json_or_null(result.nmi_all)},
                   {"acc", json_or_null(result.acc_all)},
                   {"accuracy", json_or_null(result.rows.front().accuracy)},
                   {"noise", noise_of(result)},
                   {"selection_seconds", selection_json(result.selection_seconds)},
                   {"verdict", verdict({result})}});
  }
  return all;
}

}  // namespace

ordered_json comparison_json(const std::vector<CompareResult>& results,
                             const std::vector<PairedDifference>& differences) {
  return {{"verdict", verdict(results)},
          {"all_features", all_features_json(results)},
          {"rows", rows_json(results)},
          {"ranking", ranking_json(results)},
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
