#include <functional>

#include "sfg/json.hpp"

namespace sfg {

namespace {

using nlohmann::ordered_json;

ordered_json theta_json(std::optional<double> theta) {
  return theta ? ordered_json(*theta) : ordered_json("none");
}

/// A matrix of one figure of every cell.
ordered_json by_cell(const ExperimentTable& table,
                     const std::function<ordered_json(const ExperimentCell&)>& figure) {
  ordered_json rows = ordered_json::array();
  for (std::size_t row = 0; row <= table.sizes.size(); ++row) {
    ordered_json cells = ordered_json::array();
    for (const ExperimentColumn& column : table.columns) {
      cells.push_back(figure(cell_of(column, row)));
    }
    rows.push_back(std::move(cells));
  }
  return rows;
}

ordered_json scores_by_cell(const ExperimentTable& table, double ExperimentScores::*score) {
  return by_cell(table, [score](const ExperimentCell& cell) {
    return cell.scores ? ordered_json((*cell.scores).*score) : ordered_json();
  });
}

ordered_json table_json(const ExperimentResult& result, const ExperimentTable& table) {
  ordered_json thetas = ordered_json::array();
  ordered_json kept = ordered_json::array();
  for (const ExperimentColumn& column : table.columns) {
    thetas.push_back(theta_json(column.theta));
    kept.push_back(column.n_kept);
  }
  ordered_json sizes = ordered_json::array({nullptr});
  for (const Index size : table.sizes) sizes.push_back(size);
  ordered_json document{{"name", result.name},
                        {"grouping", choice_name(table.grouping)},
                        {"theta", std::move(thetas)},
                        {"kept", std::move(kept)},
                        {"n_selected", std::move(sizes)}};
  for (const ExperimentMeasure& measure : kExperimentMeasures) {
    document[measure.key] = scores_by_cell(table, measure.mean);
    document[std::string(measure.key) + "_std"] = scores_by_cell(table, measure.deviation);
  }
  document["converged"] = by_cell(table, [](const ExperimentCell& cell) {
    return cell.scores ? ordered_json(cell.status == EigenStatus::converged) : ordered_json();
  });
  document["empty_samples"] = by_cell(table, [](const ExperimentCell& cell) {
    return cell.scores ? ordered_json(cell.n_empty) : ordered_json();
  });
  return document;
}

ordered_json difference_json(const PublishedDifference& difference) {
  return {{"n_cells", difference.n_cells}, {"nmi", difference.nmi}, {"acc", difference.acc}};
}

}  // namespace

ordered_json options_json(const ExperimentOptions& options, const RunContext& run) {
  ordered_json selection = options_to_json(options.select);
  if (options.responses == ResponseCount::classes) selection["n_responses"] = "classes";
  ordered_json document = options_to_json(options);
  document.update({{"seed", run.seed},
                   {"components", options_to_json(options.components)},
                   {"compact", options_to_json(options.compact)},
                   {"selection", std::move(selection)},
                   {"clustering", options_to_json(clustering_of(options))}});
  return document;
}

ordered_json tables_json(const std::vector<ExperimentResult>& results) {
  ordered_json tables = ordered_json::array();
  for (const ExperimentResult& result : results) {
    for (const ExperimentTable& table : result.tables) tables.push_back(table_json(result, table));
  }
  return tables;
}

ordered_json datasets_json(const std::vector<ExperimentResult>& results) {
  ordered_json list = ordered_json::array();
  for (const ExperimentResult& result : results) {
    const PermutationCheck& check = result.permutation;
    list.push_back({{"name", result.name},
                    {"n_samples", result.n_samples},
                    {"n_features", result.n_features},
                    {"n_classes", result.n_classes},
                    {"max_angle", result.max_angle},
                    {"permutation_check",
                     {{"n_permuted", check.n_permuted},
                      {"real_share", check.real_share},
                      {"permuted_share", check.permuted_share}}},
                    {"angles", result.angles}});
  }
  return list;
}

ordered_json comparisons_json(const std::vector<PublishedComparison>& comparisons) {
  ordered_json list = ordered_json::array();
  for (const PublishedComparison& one : comparisons) {
    ordered_json cells = ordered_json::array();
    for (const PublishedCell& cell : one.cells) {
      cells.push_back({{"theta", theta_json(cell.theta)},
                       {"n_selected", cell.n_selected},
                       {"nmi", cell.ours_nmi},
                       {"published_nmi", cell.published_nmi},
                       {"acc", cell.ours_acc},
                       {"published_acc", cell.published_acc}});
    }
    list.push_back(
        {{"name", one.name},
         {"published_name", one.published_name},
         {"kept", one.ours_counts},
         {"published_kept", one.published_counts},
         {"mean_absolute_difference",
          {{"after_removal", difference_json(one.after_removal)},
           {"baseline", difference_json(one.baseline)}}},
         {"share_at_or_above_baseline",
          {{"ours", one.ours_share_at_baseline}, {"published", one.published_share_at_baseline}}},
         {"cells", std::move(cells)}});
  }
  return list;
}

}  // namespace sfg
