#pragma once

#include <vector>

#include "sfg/embed.hpp"
#include "sfg/select.hpp"

// One function per method, behind select_best(). `options` are checked, and their neighbours set;
// the memory of the features is part of what `run` says is held.
namespace sfg::detail {

void select_by_mcfs(const Matrix& features, const SelectOptions& options, const RunContext& run,
                    SelectResult& result);
void select_by_laplacian_score(const Matrix& features, const SelectOptions& options,
                               const RunContext& run, SelectResult& result);
void select_by_spec(const Matrix& features, const SelectOptions& options, const RunContext& run,
                    SelectResult& result);
void select_by_fsasl(const Matrix& features, const SelectOptions& options, const RunContext& run,
                     SelectResult& result);

void select_by_mrmr(const UnitFeatures& features, const Target& target,
                    const SelectOptions& options, const RunContext& run, SelectResult& result);
void select_by_fcbf(const Matrix& features, const Target& target, const SelectOptions& options,
                    const RunContext& run, SelectResult& result);
void select_by_fast(const Matrix& features, const Target& target, const SelectOptions& options,
                    const RunContext& run, SelectResult& result);

/// Refines the scores of another method.
void select_by_grm(const UnitFeatures& features, const SelectResult& base,
                   const SelectOptions& options, const RunContext& run, SelectResult& result);
/// A target makes it the one for labels.
void select_by_mrsf(const Matrix& features, const Target* target, const SelectOptions& options,
                    const RunContext& run, SelectResult& result);
void select_by_sparsity_score(const Matrix& features, const SelectOptions& options,
                              const RunContext& run, SelectResult& result);

/// What MRSF regresses, centred: one column each.
[[nodiscard]] DenseMatrix similarity_targets(const Matrix& features, const SelectOptions& options,
                                             const RunContext& run, SelectStatus& status);
[[nodiscard]] DenseMatrix label_targets(const Target& target);

/// Whether the options' neighbours mean something to the method.
[[nodiscard]] bool uses_sample_graph(const SelectOptions& options) noexcept;
/// The graph of the samples: exp(-distance^2 / (2 mean distance^2)) between neighbours in either
/// direction, or between all samples.
[[nodiscard]] Affinity sample_graph(const Matrix& features, const SelectOptions& options,
                                    const RunContext& run);

/// Row sums of the weights.
[[nodiscard]] std::vector<double> degrees(const Matrix& weights);

/// What a feature is on the graph of the samples, with c its mean weighted by the degrees.
struct Smoothness {
  double variation = 0;  ///< (x - c)'L (x - c) = x'L x, L = D - W
  double spread = 0;     ///< (x - c)'D (x - c)
  double power = 0;      ///< x'D x
};

/// One per feature. O(d * entries of the weights).
[[nodiscard]] std::vector<Smoothness> smoothness(const Matrix& features, const Matrix& weights,
                                                 const RunContext& run);

/// The first `n_selected` features by score; equal scores: lowest index first.
[[nodiscard]] Selection best_features(const std::vector<double>& scores, ScoreOrder order,
                                      Index n_selected);
/// The features whose relevance is above the smallest allowed, ascending; the others are removed.
[[nodiscard]] std::vector<Index> relevant_features(const std::vector<double>& relevance,
                                                   double min_relevance, SelectResult& result);
/// Fills in the selections of all sizes (none asked for: one of all) with the first ones of an
/// order, which need not have all `n_features`: where it is too short, it is the selection.
void select_first(const Selection& order, Index n_features, const SelectOptions& options,
                  SelectResult& result);
/// Fills in the selections of all sizes from one list of scores.
void select_by_scores(const SelectOptions& options, SelectResult& result);

}  // namespace sfg::detail
