#include "sfg/combination.hpp"

#include <fmt/format.h>

#include <cmath>
#include <functional>

#include "sfg/text.hpp"

namespace sfg {

namespace {

/// A term that moves the target by no more than this share of its spread is rounding: coefficients
/// of a least-squares fit carry about 1e-16 times the condition of its features.
constexpr double kTermRounding = 1e-9;
/// An intercept below this share of the numbers that it is a difference of is rounding.
constexpr double kInterceptRounding = 1e-12;
/// Numbers this close, relatively, are the same number with fewer digits.
constexpr double kDigitRounding = 1e-9;
/// Digits that tell all doubles apart.
constexpr int kAllDigits = 17;

using NumberText = std::function<std::string(double)>;

std::string six_digits(double value) {
  return fmt::format("{:.6g}", value);
}

/// As few digits as tell the number to within kDigitRounding.
std::string digits_that_matter(double value) {
  for (int digits = 1; digits < kAllDigits; ++digits) {
    std::string text = fmt::format("{:.{}g}", value, digits);
    const double read = parse_number(text).value_or(0);
    if (std::fabs(read - value) <= kDigitRounding * std::fabs(value)) return text;
  }
  return fmt::format("{:.{}g}", value, kAllDigits);
}

std::string text_of(const Combination& combination, const std::vector<std::string>& feature_names,
                    const NumberText& number) {
  std::string text;
  const auto append = [&](double value, const std::string& amount) {
    if (text.empty()) {
      text += value < 0 ? "-" : "";
    } else {
      text += value < 0 ? " - " : " + ";
    }
    text += amount;
  };
  for (const Term& term : combination.terms) {
    const std::string name = escaped(feature_names[term.feature]);
    const std::string factor = number(std::fabs(term.coefficient));
    append(term.coefficient, factor == "1" ? name : fmt::format("{}*{}", factor, name));
  }
  if (combination.intercept != 0 || text.empty()) {
    append(combination.intercept, number(std::fabs(combination.intercept)));
  }
  return text;
}

/// norm_a / norm_b, which may be outside the range of a double.
double norm_ratio(const UnitFeatures& centred, Index a, Index b) {
  return std::ldexp(centred.norm[a] / centred.norm[b],
                    centred.norm_exponent[a] - centred.norm_exponent[b]);
}

/// What rounding may have left of the intercept. Made small before it is added up: the sum of large
/// numbers may be none.
double intercept_rounding(const Combination& combination, const UnitFeatures& centred,
                          Index target) {
  double rounding = kInterceptRounding * std::fabs(centred.mean[target]);
  for (const Term& term : combination.terms) {
    rounding += kInterceptRounding * std::fabs(term.coefficient * centred.mean[term.feature]);
  }
  return rounding;
}

}  // namespace

/// f = (x - mean) / norm  =>  x_i = mean_i + sum_k w_k (norm_i / norm_k) (x_k - mean_k).
Combination in_data_units(const UnitFeatures& centred, Index target, std::span<const Index> atoms,
                          std::span<const double> weights) {
  Combination combination;
  combination.intercept = centred.mean[target];
  bool is_in_range = true;
  for (std::size_t k = 0; k < atoms.size(); ++k) {
    const double coefficient = weights[k] * norm_ratio(centred, target, atoms[k]);
    combination.terms.push_back({atoms[k], coefficient});
    combination.intercept -= coefficient * centred.mean[atoms[k]];
    is_in_range = is_in_range && std::isnormal(coefficient);
  }
  if (!is_in_range || !std::isfinite(combination.intercept)) return {{}, centred.mean[target], 0};
  return combination;
}

void drop_rounding(Combination& combination, const UnitFeatures& centred, Index target) {
  // The target's own mean stands for the terms that go: they leave their mean to the intercept.
  double dropped = 0;
  std::erase_if(combination.terms, [&](const Term& term) {
    const double weight = term.coefficient * norm_ratio(centred, term.feature, target);
    const bool is_rounding = std::fabs(weight) <= kTermRounding;
    if (is_rounding) dropped += term.coefficient * centred.mean[term.feature];
    return is_rounding;
  });
  combination.intercept += dropped;
  const double rounding = intercept_rounding(combination, centred, target);
  if (std::fabs(combination.intercept) <= rounding) combination.intercept = 0;
}

void round_coefficients(Combination& combination, const UnitFeatures& centred, Index target) {
  const auto shorter_of = [](double value, double tolerance) {
    const double shorter = parse_number(six_digits(value)).value_or(value);
    return std::fabs(shorter - value) <= tolerance ? shorter : value;
  };
  combination.intercept = centred.mean[target];
  for (Term& term : combination.terms) {
    const double size = std::fabs(term.coefficient);
    term.coefficient = shorter_of(term.coefficient, kDigitRounding * size);
    combination.intercept -= term.coefficient * centred.mean[term.feature];
  }
  combination.intercept =
      shorter_of(combination.intercept, intercept_rounding(combination, centred, target));
}

std::string combination_text(const Combination& combination,
                             const std::vector<std::string>& feature_names) {
  return text_of(combination, feature_names, six_digits);
}

std::string exact_text(const Combination& combination,
                       const std::vector<std::string>& feature_names) {
  return text_of(combination, feature_names, digits_that_matter);
}

}  // namespace sfg
