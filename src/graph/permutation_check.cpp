#include <algorithm>

#include "core/random.hpp"
#include "normalise/permuted.hpp"
#include "sfg/graph.hpp"

namespace sfg {

namespace {

double share_passed(const FeatureGraph& graph) {
  if (graph.n_features() == 0) return 0;
  return static_cast<double>(std::ranges::count(graph.failed, std::uint8_t{0})) /
         static_cast<double>(graph.n_features());
}

}  // namespace

PermutationCheck check_angle_filter(const FeatureGraph& graph, const UnitFeatures& features,
                                    const PursuitOptions& pursuit, const GraphOptions& options,
                                    Index n_permuted, const RunContext& run) {
  PermutationCheck result;
  detail::Random random(run.seed);
  const auto chosen = detail::random_choice(
      regular_features(features), static_cast<std::size_t>(std::max<Index>(0, n_permuted)), random);
  if (chosen.empty()) return result;
  const UnitFeatures permuted = detail::permuted(features, chosen, random);
  result.n_permuted = static_cast<Index>(chosen.size());
  result.real_share = share_passed(graph);
  FeatureGraph permuted_graph = build_graph(pursue(permuted, features, pursuit, run), options);
  result.permuted_share = share_passed(permuted_graph);
  result.angle = std::move(permuted_graph.angle);
  return result;
}

}  // namespace sfg
