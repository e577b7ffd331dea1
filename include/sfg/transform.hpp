#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sfg/dataset.hpp"
#include "sfg/matrix.hpp"
#include "sfg/normalise.hpp"
#include "sfg/options.hpp"
#include "sfg/run_context.hpp"

// The scale on which features are compared. Correlations see straight lines only: exp(x) and x^3
// are other features than x, and a few values far out decide. On the scale of ranks every growing
// function of x is x itself: Pearson's correlation of ranks is Spearman's of the values.
namespace sfg {

/// What is done to the values of every feature before anything is compared.
enum class Transform {
  none,
  rank,    ///< 1 ... n, the mean rank for equal values
  log1p,   ///< log(1 + x)
  sqrt,    ///< square root
  winsor,  ///< what lies outside of two quantiles is moved there
};
template <>
inline constexpr auto kChoices<Transform> = std::array{
    Choice{Transform::none, "none", "values as they are"},
    Choice{Transform::rank, "rank", "ranks: every growing function of a feature is a copy of it"},
    Choice{Transform::log1p, "log1p", "log(1 + x), for values from 0"},
    Choice{Transform::sqrt, "sqrt", "square roots, for values from 0"},
    Choice{Transform::winsor, "winsor",
           "values beyond the 1 % and 99 % quantiles are moved there"}};

/// Not `transform`: estimators in Python have a method of that name.
inline constexpr FieldText kTransformText{
    "transformation",
    "Scale on which features are compared; combinations and equations are of it, "
    "written data are not"};

/// winsor: this share of the samples may lie below the lower quantile, and above the upper one.
inline constexpr double kWinsorShare = 0.01;

/// Transforms every feature in place, sparse data as sparse ones. What was taken off the values
/// beside that, one number per feature, or nothing: with Centering::mean the ranks of a sparse or
/// mostly zero table are counted from the rank of zero, so that zero stays zero. An all-zero
/// feature stays so. What is missing (NaN) stays so, and counts nowhere. Throws malformed_input for
/// negative values (log1p, sqrt) and infinite ones, invalid_option for ranks of a sparse table
/// without centring, where zero cannot stay zero.
std::vector<double> transform(Dataset& dataset, Transform how, Centering centering,
                              const RunContext& run = {});

/// Names as combinations of transformed features speak of them: "rank(a)".
[[nodiscard]] std::string on_scale(const std::string& name, Transform how);
[[nodiscard]] std::vector<std::string> on_scale(const std::vector<std::string>& names,
                                                Transform how);

}  // namespace sfg
