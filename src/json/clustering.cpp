#include "sfg/json.hpp"
#include "sfg/statistics.hpp"

namespace sfg {

using nlohmann::ordered_json;

namespace {

/// A figure over the seeds; null without known classes.
ordered_json over_seeds(const std::vector<double>& values,
                        double (*figure)(const std::vector<double>&)) {
  return values.empty() ? ordered_json() : ordered_json(figure(values));
}

}  // namespace

ordered_json clustering_json(const ClusteringRecord& record) {
  const KMeansResult& first = record.clusters.front();
  const SpectralEmbedding& embedding = record.embedding;
  return {{"n_samples", first.labels.size()},
          {"k", record.options.spectral.n_clusters},
          {"n_clusters", first.n_clusters},
          {"preset", json_or_null(record.preset)},
          {"affinity", choice_name(record.options.spectral.affinity.kind)},
          {"scale", choice_name(record.options.scale)},
          {"sigma", embedding.sigma},
          {"eigen_status", choice_name(embedding.status)},
          {"eigen_solver",
           embedding.solver == EigenSolver::automatic ? "none" : choice_name(embedding.solver)},
          {"eigen_residual", embedding.residual},
          {"eigenvalues", embedding.eigenvalues},
          {"components", embedding.n_components},
          {"isolated", embedding.n_isolated},
          {"empty", embedding.n_empty},
          {"seeds", record.clusters.size()},
          {"replicates", record.options.spectral.kmeans.n_init},
          {"kmeans_converged", first.converged},
          {"objective", first.objective},
          {"nmi", over_seeds(record.nmi, mean)},
          {"nmi_std", over_seeds(record.nmi, standard_deviation)},
          {"acc", over_seeds(record.acc, mean)},
          {"acc_std", over_seeds(record.acc, standard_deviation)},
          {"labels", first.labels}};
}

ordered_json score_json(const LabelScores& scores) {
  return {{"n_samples", scores.n_samples},
          {"n_unlabelled", scores.n_unlabelled},
          {"n_classes_a", scores.n_classes_a},
          {"n_classes_b", scores.n_classes_b},
          {"nmi", scores.nmi},
          {"acc", scores.acc}};
}

}  // namespace sfg
