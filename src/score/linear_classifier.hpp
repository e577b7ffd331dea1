#pragma once

#include <span>
#include <vector>

#include "sfg/classify.hpp"
#include "sfg/run_context.hpp"

// One-vs-rest ridge regression with a free intercept, cross-validated, its ridge chosen inside the
// training samples by leaving one of them out (classify.hpp). Two ways to the same answer.
namespace sfg::detail {

/// The ridges that are tried, ascending, for samples of this mean squared length.
[[nodiscard]] std::vector<double> ridges_to_try(double mean_square);

/// The class with the largest prediction for each sample, from the products of the samples: m^3.
[[nodiscard]] std::vector<Index> linear_by_samples(const DenseMatrix& products,
                                                   const ClassFolds& folds, const RunContext& run);

/// The same from the values, samples x features: m d^2 + d^3 for each fold.
[[nodiscard]] std::vector<Index> linear_by_features(const DenseMatrix& values,
                                                    const ClassFolds& folds, const RunContext& run);

/// Targets 1 and -1, samples x classes.
[[nodiscard]] DenseMatrix class_targets(const ClassFolds& folds);
/// Places of the samples of a fold, and of all others.
struct FoldParts {
  std::vector<Index> held_out;
  std::vector<Index> training;
};
[[nodiscard]] FoldParts parts_of(const ClassFolds& folds, int fold);
/// The column with the largest entry of a row; ties: the first.
[[nodiscard]] Index largest_of_row(const DenseMatrix& predictions, Index row);

}  // namespace sfg::detail
