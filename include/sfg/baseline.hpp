#pragma once

#include <vector>

#include "sfg/dataset.hpp"
#include "sfg/options.hpp"
#include "sfg/reduce.hpp"
#include "sfg/run_context.hpp"
#include "sfg/transform.hpp"

// What is normal where a model was made, so that new data can be told from it (sfg/drift.hpp).
namespace sfg {

/// How a relation between features holds.
enum class RelationKind {
  exact,      ///< in every sample, up to the last digit
  predicted,  ///< with a rest, whose size on held-out samples is known
};
template <>
inline constexpr auto kChoices<RelationKind> =
    std::array{Choice{RelationKind::exact, "exact", "it held to the last digit"},
               Choice{RelationKind::predicted, "predicted", "it held with a rest"}};

/// Combinations below this R^2 on held-out samples are not worth watching.
inline constexpr double kWatchedR2 = 0.8;

/// A removed feature whose combination (RemovedFeature::combination) new data should follow. All
/// numbers are of |feature - combination|, in units of the data (of their scale, if transformed).
struct Relation {
  Index feature = -1;
  RelationKind kind = RelationKind::exact;
  double scale = 0;     ///< usual size: root mean square (exact), 1.4826 times the median
  double limit = 0;     ///< rows hardly ever pass it
  double far = 0;       ///< a single row beyond this breaks it; exact: the limit, mostly
  double rounding = 0;  ///< what the digits that the data were written with allow (exact)
  double r2 = 1;        ///< of the combination on held-out samples; exact ones: in sample
};

/// A kept feature's values where the model was made.
struct FeatureRange {
  double mean = 0;
  double sd = 0;
  double min = 0;
  double max = 0;
};

struct Baseline {
  Index n_samples = 0;              ///< 0: the model knows nothing of it
  Index n_tested = 0;               ///< held-out samples behind each limit of a predicted relation
  Index n_beyond = 0;               ///< how many of them lie at or beyond it
  std::vector<Relation> relations;  ///< ascending by feature
  std::vector<FeatureRange> kept;   ///< one per kept feature
};

/// Combinations of ranks need all samples at once, and those of winsorised values their quantiles:
/// only the others can be checked row by row.
[[nodiscard]] bool is_row_wise(Transform how) noexcept;

/// Looks at the reduction's combinations again. Exact ones and copies: every sample, and the digits
/// of the data. Others: five folds; the terms are chosen anew without the fold and judged on it, so
/// that no sample speaks for itself. Long tables through kMostSamplesToPredict samples there. The
/// data are those that were reduced, before any transformation. Throws over_memory, interrupted.
[[nodiscard]] Baseline find_baseline(const Dataset& dataset, const Reduction& reduction,
                                     Transform how, int max_terms, const RunContext& run = {});

}  // namespace sfg
