#pragma once

#include "sfg/gaps.hpp"
#include "sfg/matrix.hpp"
#include "sfg/run_context.hpp"

// What stands in cells without a value while the method works, so that its engines have a table and
// their bounds a true Gram matrix. Nothing of it is evidence, and nothing of it is written: what is
// said of features goes by their observed values (sfg/gaps.hpp).
namespace sfg {

/// How the cells were filled.
struct FillReport {
  Offset n_cells = 0;
  int n_rounds = 0;
  bool converged = true;   ///< the last round changed less than kFillTolerance
  Index n_neighbours = 0;  ///< features that each is filled from
  double ridge = 0;        ///< of the regression on them
  double left_out_r2 = 0;  ///< of observed cells, each left out of the regression; mean by feature
};

/// Rounds end when they change the filled cells by less than this, in deviations, root mean square;
/// or no less than the round before did, where features that lack the same samples lean on each
/// other. Cells are known to some tenths of a deviation.
inline constexpr double kFillTolerance = 0.01;
inline constexpr int kMostFillRounds = 20;

/// Puts a number into every gap of a table. First the mean of the feature; then, in rounds, what
/// ridge regression says of it from the features nearest to it (largest |r| in the table as it is
/// filled so far, found anew in the first two rounds): fitted to the samples in which it was
/// observed, and never beyond the range of its observed values. How many neighbours and which ridge
/// is chosen once for all features, by the total of the R^2 of observed cells that are left out of
/// the regression one by one (closed form). O(n d^2) time; memory of one more copy of the table.
/// The same for any number of threads. Throws over_memory, interrupted.
FillReport fill_gaps(Matrix& matrix, const Gaps& gaps, const RunContext& run = {});

}  // namespace sfg
