#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sfg/matrix.hpp"
#include "sfg/normalise.hpp"
#include "sfg/run_context.hpp"

// How well known classes can be told from features: three plain classifiers, cross-validated. They
// judge features, they are not for use on new data.
namespace sfg {

struct ClassifyOptions {
  int n_folds = 5;            ///< parts of the samples, each held out once; at least 2
  Index most_samples = 2000;  ///< more are not asked: a random choice of each class
};

/// Which samples are classified, what they are, and with which part of them they are held out.
struct ClassFolds {
  std::vector<Index> samples;      ///< ascending
  std::vector<Index> classes;      ///< of each of them: a place in `names`
  std::vector<int> folds;          ///< of each of them: 0 .. n_folds - 1
  std::vector<std::string> names;  ///< of the classes, ascending
  int n_folds = 0;                 ///< at most one for each sample
  Index n_unlabelled = 0;          ///< samples left out: is_missing_label()
  Index n_single = 0;              ///< samples left out: the only ones of their class
};

/// Stratified folds: the members of each class, in random order (RunContext::seed), go to the folds
/// in turn, one class after the other. So no two folds differ by more than one sample, and a class
/// with few members still has one in the training samples. Samples without a label take no part,
/// nor do classes of one. Nothing if fewer than two classes are left. Throws invalid_option.
[[nodiscard]] std::optional<ClassFolds> class_folds(std::span<const std::string> labels,
                                                    const ClassifyOptions& options,
                                                    const RunContext& run = {});

/// The class that each classifier gives to each sample, from the samples of other folds.
struct Classification {
  std::vector<Index> nearest_1;  ///< that of the nearest sample
  std::vector<Index> nearest_5;  ///< that of most of the five nearest ones
  std::vector<Index> linear;
};

/// Samples as points in the space of the chosen features, Euclidean distance. Features are taken as
/// they are: centred ones of unit length are z-scores up to one common factor, which changes no
/// answer; they were scaled by all samples, without a look at the classes.
///   nearest: equal distances: lowest sample; as many votes: first class.
///   linear: one-vs-rest ridge (regularised least squares) with a free intercept: targets 1 and -1,
///     the class with the largest prediction. The ridge is one of 1e-4, 1e-3, ..., 100 times the
///     mean squared length of the samples: the one with the smallest squared error of all classes,
///     leaving one training sample out. In closed form, nothing is iterated: by the products of the
///     samples if there are at least as many features, by those of the features otherwise.
/// O(m^2 d + m^3) for m samples, m^2 numbers of memory. The same answer for any number of threads.
[[nodiscard]] Classification classify(const UnitFeatures& features, std::span<const Index> chosen,
                                      const ClassFolds& folds, const RunContext& run = {});

/// Shares of samples that got their own class.
struct ClassifyScores {
  double nearest_1 = 0;
  double nearest_5 = 0;
  double linear = 0;
  [[nodiscard]] double mean() const noexcept { return (nearest_1 + nearest_5 + linear) / 3; }
};
[[nodiscard]] ClassifyScores score(const Classification& found, const ClassFolds& folds);

}  // namespace sfg
