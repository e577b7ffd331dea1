#include <algorithm>
#include <numeric>

#include "core/random.hpp"
#include "sfg/graph.hpp"

namespace sfg {

namespace {

/// Every column's values in a random order of the samples.
void permute_samples(UnitFeatures& features, detail::Random& random) {
  std::vector<Index> place(static_cast<std::size_t>(features.n_samples()));
  std::iota(place.begin(), place.end(), Index{0});
  for (Index f = 0; f < features.n_features(); ++f) {
    if (auto* dense = std::get_if<DenseMatrix>(&features.matrix)) {
      auto column = dense->column(f);
      detail::shuffle(column, random);
      continue;
    }
    auto& sparse = std::get<SparseMatrix>(features.matrix);
    detail::shuffle(place, random);
    const auto first = static_cast<std::size_t>(sparse.starts[f]);
    const std::size_t count = sparse.column_rows(f).size();
    std::vector<std::pair<Index, double>> entries(count);
    for (std::size_t k = 0; k < count; ++k) {
      entries[k] = {place[sparse.rows[first + k]], sparse.values[first + k]};
    }
    std::ranges::sort(entries);
    for (std::size_t k = 0; k < count; ++k) {
      sparse.rows[first + k] = entries[k].first;
      sparse.values[first + k] = entries[k].second;
    }
  }
}

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
  UnitFeatures permuted = select_features(features, chosen);
  permute_samples(permuted, random);
  result.n_permuted = static_cast<Index>(chosen.size());
  result.real_share = share_passed(graph);
  FeatureGraph permuted_graph = build_graph(pursue(permuted, features, pursuit, run), options);
  result.permuted_share = share_passed(permuted_graph);
  result.angle = std::move(permuted_graph.angle);
  return result;
}

}  // namespace sfg
