#pragma once

#include <string>
#include <vector>

#include "sfg/classify.hpp"
#include "sfg/compare.hpp"
#include "sfg/neighbours.hpp"
#include "sfg/normalise.hpp"

namespace sfg::detail {

/// What all competitors are measured by. Keeps references to what it is given.
class Judge {
 public:
  Judge(const Dataset& dataset, const UnitFeatures& centred, const std::vector<Index>& regular,
        const CompareOptions& options, const RunContext& run);

  /// Fills in every measure: the mean over kept sets of the same size.
  void measure(const std::vector<std::vector<Index>>& sets, CompareRow& row) const;

  [[nodiscard]] bool has_classes() const noexcept { return !divisions_.empty(); }
  /// The samples and classes that are judged by; with classes only.
  [[nodiscard]] const ClassFolds& classes() const noexcept { return divisions_.front(); }
  /// What was assumed about the labels; empty if there is nothing to say.
  [[nodiscard]] std::string labels_note() const;

 private:
  struct Scores;
  void measure_recovery(const std::vector<Index>& kept, double weight, CompareRow& row) const;
  void cluster_spectrally(const std::vector<Index>& kept, Scores& scores) const;
  /// K-means and classifiers, on the same points.
  void judge_points(const std::vector<Index>& kept, Scores& scores) const;

  const Dataset& dataset_;
  const UnitFeatures& centred_;
  const CompareOptions& options_;
  const RunContext& run_;
  SampleNeighbours neighbours_;
  std::vector<Index> tried_;         ///< features whose held-out R^2 is found
  std::vector<Index> labelled_;      ///< samples with a label
  std::vector<std::string> labels_;  ///< of these
  Index n_labels_ = 0;               ///< different ones
  /// One division into folds decides little on few samples: classifiers are judged by several.
  std::vector<ClassFolds> divisions_;
};

}  // namespace sfg::detail
