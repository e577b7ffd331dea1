#include "report/cell_scorer.hpp"

#include <algorithm>

#include "sfg/error.hpp"
#include "sfg/score.hpp"
#include "sfg/statistics.hpp"

namespace sfg::detail {

CellScorer::CellScorer(const Dataset& dataset, const ExperimentOptions& options, Index n_classes,
                       const RunContext& run)
    : dataset_(dataset),
      options_(options),
      spectral_(clustering_of(options)),
      select_(options.select),
      features_(normalise(dataset.matrix, {}, run)) {
  spectral_.n_clusters = n_classes;
  select_.sizes = options.sizes;
  if (options.responses == ResponseCount::classes) select_.n_responses = n_classes;
  if (needs_labels(select_)) target_ = read_target(*dataset.labels, n_samples(dataset.matrix));
  if (!options.text) return;
  features_.matrix = {};
  // Data that are no counts are an error; score() must not take it for features without clusters.
  static_cast<void>(tfidf(dataset.matrix, run));
}

Matrix CellScorer::samples_by(const std::vector<Index>& features, const RunContext& run) const {
  // Weights of words depend on the other words of a document, those of unit columns do not.
  if (options_.text) return tfidf(select_features(dataset_.matrix, features), run);
  return select_features(features_.matrix, features);
}

ExperimentCell CellScorer::score(const std::vector<Index>& features, const RunContext& run) const {
  ExperimentCell cell;
  SpectralEmbedding embedding;
  try {
    embedding = spectral_embedding(samples_by(features, run), spectral_, run);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::degenerate_data) throw;
    return cell;
  }
  std::vector<double> nmi;
  std::vector<double> acc;
  const std::span<const std::string> classes(dataset_.labels->values);
  for (const KMeansResult& clusters : cluster(embedding, spectral_, options_.n_seeds, run)) {
    const LabelScores scores = score_labels(classes, clusters.labels);
    nmi.push_back(scores.nmi);
    acc.push_back(scores.acc);
  }
  cell.scores = {mean(nmi), standard_deviation(nmi), mean(acc), standard_deviation(acc)};
  cell.status = embedding.status;
  cell.n_empty = embedding.n_empty;
  return cell;
}

std::vector<std::vector<Index>> CellScorer::select(const std::vector<Index>& kept,
                                                   const RunContext& run) const {
  std::vector<std::vector<Index>> chosen(select_.sizes.size());
  UnitFeatures candidates;
  candidates.matrix = samples_by(kept, run);
  for (const Index feature : kept) {
    candidates.kind.push_back(features_.kind[feature]);
  }
  SelectResult result;
  try {
    result = target_ ? select_best(candidates, *target_, select_, run)
                     : select_best(candidates, select_, run);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::degenerate_data) throw;
    return chosen;
  }
  for (std::size_t k = 0; k < chosen.size(); ++k) {
    if (!result.selections[k] || result.selections[k]->n_selected < select_.sizes[k]) continue;
    for (const Index place : result.selections[k]->features) {
      chosen[k].push_back(kept[place]);
    }
    std::ranges::sort(chosen[k]);
  }
  return chosen;
}

}  // namespace sfg::detail
