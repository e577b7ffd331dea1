#pragma once

#include <vector>

#include "sfg/dataset.hpp"
#include "sfg/experiment.hpp"

namespace sfg::detail {

/// Everything that the cells of one data set have in common. May be used from several threads.
class CellScorer {
 public:
  /// Refers to the data and to the options.
  CellScorer(const Dataset& dataset, const ExperimentOptions& options, Index n_classes,
             const RunContext& run);

  /// Spectral clustering by these features (ascending) for every seed. Features that allow none
  /// (all of them zero) give a cell without scores.
  [[nodiscard]] ExperimentCell score(const std::vector<Index>& features,
                                     const RunContext& run) const;

  /// What is selected among the kept features, for every size, ascending and in their original
  /// numbers; nothing where there are fewer features than that, or none can be judged.
  [[nodiscard]] std::vector<std::vector<Index>> select(const std::vector<Index>& kept,
                                                       const RunContext& run) const;

  /// Bytes that the data take here.
  [[nodiscard]] std::size_t bytes() const noexcept { return memory_of(features_.matrix); }

 private:
  /// The samples by some of the features, weighted as the options say.
  [[nodiscard]] Matrix samples_by(const std::vector<Index>& features, const RunContext& run) const;

  const Dataset& dataset_;
  const ExperimentOptions& options_;
  SpectralOptions spectral_;
  SelectOptions select_;
  std::optional<Target> target_;  ///< for selectors that choose by labels
  UnitFeatures features_;         ///< of unit length; with tf-idf only their kinds are looked at
};

}  // namespace sfg::detail
