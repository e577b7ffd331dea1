#pragma once

#include <limits>
#include <vector>

#include "sfg/dataset.hpp"
#include "sfg/matrix.hpp"

namespace sfg {

/// What one look at all values of a table finds.
struct Survey {
  Offset missing = 0;   ///< cells that are NaN
  Offset infinite = 0;  ///< cells
  Index empty = 0;      ///< features that are all zero
  Index constant = 0;   ///< features with one other value throughout
  /// Of the finite cells; lowest > highest if there is none.
  double lowest = std::numeric_limits<double>::infinity();
  double highest = -std::numeric_limits<double>::infinity();

  [[nodiscard]] bool any_value() const noexcept { return lowest <= highest; }
};

/// Counts what is missing and what does not vary, before anything is done about it. O(stored
/// cells).
[[nodiscard]] Survey survey(const Matrix& matrix);

/// A number that seems to stand for "missing": -200, -9999, 999.
struct MissingCode {
  double value = 0;
  Index n_features = 0;  ///< in which it does
  Offset n_cells = 0;
};

/// Numbers that occur again and again at the end of a feature's range, whole, and apart from the
/// rest: the only negative ones, or farther away than the rest is wide. They count if several
/// features have the same, or if they are written with nines alone. Largest number of cells first.
/// O(stored cells); dense tables only, others have zeros for what is not there.
[[nodiscard]] std::vector<MissingCode> find_missing_codes(const Matrix& matrix);

/// Whether the rows look like features: named, many times more than columns, and the columns alike.
/// So do genes measured in few samples; houses with their areas and years do not.
[[nodiscard]] bool looks_turned(const Dataset& dataset);

/// What these two find, as notes with the options that help.
[[nodiscard]] std::vector<Note> notes_on_values(const Dataset& dataset);

}  // namespace sfg
