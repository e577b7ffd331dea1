#pragma once

#include <optional>
#include <vector>

#include "sfg/matrix.hpp"

namespace sfg {

/// How many levels the automatic choice judges.
enum class Judged {
  until_good,  ///< no more than it needs to choose one
  every_one,   ///< all levels of its grid, to show what the others would be like
};

/// A level that the automatic choice has looked at.
struct TriedLevel {
  Index n_steps = 0;   ///< merges (compact) or picks (cover)
  Index n_kept = 0;    ///< features that stay; MethodResult counts those outside of groups too
  double overlap = 1;  ///< of the samples' nearest neighbours by the features in groups
  /// What the kept features leave unexplained of the removed ones, over what the whole table
  /// leaves: mean (1 - R^2 from the kept) / mean (1 - h). Not given: the overlap has ruled it out,
  /// or a coarser level was good already, or the data do not allow to judge.
  std::optional<double> loss_ratio;
  /// Of removed features from all kept ones together, leave one sample out.
  std::optional<double> r2loo_mean;
  bool is_good = false;  ///< it meets both conditions
};

/// A level of a hierarchy, and how it was found.
struct ChosenLevel {
  Index n_steps = 0;
  std::vector<TriedLevel> tried;  ///< automatic choice only; from fine to coarse
};

}  // namespace sfg
