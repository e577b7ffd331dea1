#pragma once

#include <span>
#include <string>

#include "sfg/matrix.hpp"

namespace sfg {

/// How well two labelings of the same samples agree. What the labels are called does not matter,
/// only which samples share one; the numbers of classes and of clusters may differ.
struct LabelScores {
  /// Normalised mutual information, I(A; B) / max(H(A), H(B)), in [0, 1]. Equal partitions have 1,
  /// also where both put all samples into one class (0/0); if only one of them does, it is 0.
  double nmi = 0;
  /// Share of samples whose labels agree under the best one-to-one mapping of the labels of A to
  /// those of B; labels without a partner match nothing.
  double acc = 0;
  Index n_samples = 0;     ///< with a label on both sides: only these count
  Index n_unlabelled = 0;  ///< left out: their label is missing (is_missing_label)
  Index n_classes_a = 0;   ///< different labels of A
  Index n_classes_b = 0;   ///< different labels of B
};

/// Both scores; symmetric in A and B. O(n log n) plus an assignment problem of classes x clusters,
/// O(c^3) at worst. A missing label is no class: its sample is left out. Throws inconsistent_input
/// if the lengths differ, degenerate_data without any labelled sample.
[[nodiscard]] LabelScores score_labels(std::span<const std::string> a,
                                       std::span<const std::string> b);
[[nodiscard]] LabelScores score_labels(std::span<const Index> a, std::span<const Index> b);
/// Known classes against clusters that were found.
[[nodiscard]] LabelScores score_labels(std::span<const std::string> classes,
                                       std::span<const Index> clusters);

}  // namespace sfg
