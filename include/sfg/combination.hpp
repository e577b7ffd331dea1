#pragma once

#include <span>
#include <string>
#include <vector>

#include "sfg/matrix.hpp"
#include "sfg/normalise.hpp"

namespace sfg {

/// coefficient * feature, in units of the data.
struct Term {
  Index feature;
  double coefficient;
};

/// x ~ intercept + sum of terms, fitted on the very samples that it is judged on: for reading, not
/// as a promise for new samples.
struct Combination {
  std::vector<Term> terms;  ///< most important first
  double intercept = 0;
  double r2 = 0;  ///< share of the variance that it explains, in sample
};

/// Coefficients of unit features, turned into units of the data; r2 is left to the caller. Where
/// the units are so far apart that a coefficient is no double (1e300 of one feature in 1e-300 of
/// the other), no combination can be written down: the mean alone is left, without terms.
[[nodiscard]] Combination in_data_units(const UnitFeatures& centred, Index target,
                                        std::span<const Index> atoms,
                                        std::span<const double> weights);

/// Takes out what rounding has left: terms that move the target by less than a billionth of its
/// spread, and an intercept that is what a difference of larger numbers left.
void drop_rounding(Combination& combination, const UnitFeatures& centred, Index target);

/// Coefficients of an exact combination that are a short number up to rounding become that number
/// (1, 0.25, 2.54), and the intercept follows.
void round_coefficients(Combination& combination, const UnitFeatures& centred, Index target);

/// "0.62*A + B - 1.2", numbers to six digits, a coefficient of 1 left out; "0" for an empty one.
[[nodiscard]] std::string combination_text(const Combination& combination,
                                           const std::vector<std::string>& feature_names);

/// The same with every digit that is not rounding: what is within a billionth of a shorter number
/// is that number. For equations, which hold to all digits.
[[nodiscard]] std::string exact_text(const Combination& combination,
                                     const std::vector<std::string>& feature_names);

}  // namespace sfg
