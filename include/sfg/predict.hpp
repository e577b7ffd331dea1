#pragma once

#include <span>
#include <vector>

#include "sfg/normalise.hpp"
#include "sfg/run_context.hpp"

// How well features predict each other on samples that were not used to find out how. Ridge
// regression with a free intercept leaves one sample out after the other in closed form: no folds,
// no refitting, no d x d matrix. With Z the predictors (centred, of unit length, n x m),
// B = (Z Z' + lambda I)^-1 and b = B t for a target t, the residual of the left-out sample k is
//   b_k / (B_kk - 1/(n lambda))                              for a target outside Z,
//   b_k / ((1 - t'b)(B_kk - 1/(n lambda)) + b_k^2)           for a column of Z, itself left out,
// and R^2 = 1 - sum of squared residuals / sum (t_k n/(n-1))^2, the residuals of the mean.
namespace sfg {

/// Longer tables are looked at through a random choice of so many samples (RunContext::seed).
inline constexpr Index kMostSamplesToPredict = 1000;

/// Permuted features that say what chance reaches.
inline constexpr Index kPermutedToPredict = 200;

/// How much of every feature the rest of the table knows.
struct Predictability {
  std::vector<double> r2;  ///< by feature, from all others; 0 for a feature that does not vary
  double ridge = 0;        ///< lambda: one for all, the best by the total of r2 clipped to [-1, 1]
  Index n_samples = 0;     ///< that were looked at
};

/// R^2 of each feature from all the others, leave one sample out. O(n^2 d + n^3) time, n^2 memory.
/// The same for any number of threads. Throws over_memory, interrupted.
[[nodiscard]] Predictability predictability(const UnitFeatures& centred,
                                            const RunContext& run = {});

/// What chance reaches: R^2 of some features (at most kPermutedToPredict of them, by
/// RunContext::seed) with their samples in random order, each in its own, from all features as they
/// are, with the ridge that was found for these. Empty where predictability() tells nothing.
[[nodiscard]] std::vector<double> predictability_by_chance(const UnitFeatures& centred,
                                                           const Predictability& known,
                                                           const RunContext& run = {});

/// R^2 of features from others, leave one sample out. None of the targets may be a predictor. The
/// ridge is the best for these targets together. 0 for targets that do not vary.
[[nodiscard]] std::vector<double> leave_one_out_r2(const UnitFeatures& centred,
                                                   std::span<const Index> predictors,
                                                   std::span<const Index> targets,
                                                   const RunContext& run = {});

/// The same features over at most so many samples: a random choice by the seed, centred and scaled
/// anew; a view of all of them if there are no more. The view must not outlive the features.
[[nodiscard]] UnitFeatures at_most_samples(const UnitFeatures& centred, Index most,
                                           const RunContext& run = {});

/// The feature by feature table of `sfg predict`: feature, r2.
[[nodiscard]] std::string predictability_to_tsv(const Predictability& result,
                                                const std::vector<std::string>& feature_names);

}  // namespace sfg
