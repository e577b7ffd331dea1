#include "sfg/json.hpp"

namespace sfg {

using nlohmann::ordered_json;

ordered_json graph_json(const MethodResult& result) {
  const GraphFigures figures = figures_of(result.graph);
  return {{"n_features", result.graph.n_features()},
          {"n_edges", result.graph.n_edges()},
          {"mean_atoms", figures.mean_atoms},
          {"max_atoms", figures.max_atoms},
          {"failed", figures.n_failed},
          {"engine", choice_name(result.engine)},
          {"screen", result.screen},
          {"candidates_per_step", result.candidates_per_step},
          {"method", result.graph.description}};
}

ordered_json estimate_json(const PursuitEstimate& estimate, int threads) {
  const PursuitPlan& plan = estimate.plan;
  return {{"engine", choice_name(plan.engine)},
          {"kernel", plan.kernel},
          {"block", plan.block},
          {"threads", threads},
          {"bytes", plan.bytes()},
          {"data_bytes", plan.held_bytes},
          {"engine_bytes", plan.engine_bytes},
          {"block_bytes", plan.block_bytes},
          {"result_bytes", plan.result_bytes},
          {"multiply_adds", estimate.multiply_adds},
          {"mean_atoms", estimate.mean_atoms},
          {"candidates_per_step", estimate.candidates_per_step},
          {"seconds", estimate.seconds}};
}

ordered_json sweep_json(const FeatureGraph& graph, const MethodOptions& options,
                        const std::vector<SweepLevel>& levels) {
  ordered_json rows = ordered_json::array();
  for (const SweepLevel& level : levels) {
    rows.push_back({{"theta", level.theta},
                    {"threshold", level.threshold},
                    {"n_kept", level.n_kept},
                    {"largest_group", level.largest_group},
                    {"mean_r2", json_or_null(level.mean_r2)}});
  }
  return {{"n_features", graph.n_features()},
          {"grouping", choice_name(kind_of(options.grouping))},
          {"representative", choice_name(representative_of(options.grouping, options.keep).rule)},
          {"method", graph.description},
          {"levels", std::move(rows)}};
}

ordered_json level_sweep_json(const MethodOptions& options, const MethodResult& result) {
  ordered_json rows = tried_json(result.tried);
  for (std::size_t k = 0; k < result.tried.size(); ++k) {
    rows[k]["chosen"] = result.tried[k].n_steps == result.n_steps;
  }
  const RepresentativeRule rule = representative_of(options.grouping, options.keep).rule;
  return {{"n_features", result.kind.size()},
          {"grouping", choice_name(kind_of(options.grouping))},
          {"representative",
           picks_features(options.grouping) ? ordered_json() : ordered_json(choice_name(rule))},
          {"method", result.graph.description},
          {"n_unshared", result.shared.n_unshared},
          {"unshared_dropped", result.shared.dropped},
          {"n_exact", result.reduction.equations.size()},
          {"min_overlap", result.enough_overlap},
          {"max_loss_ratio", kUsualLossRatio},
          {"loss_slack", kUsualLossSlack},
          {"levels", std::move(rows)}};
}

}  // namespace sfg
