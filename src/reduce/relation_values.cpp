#include "reduce/relation_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <string_view>

namespace sfg::detail {

namespace {

/// More digits than this nobody writes: the number is a double that was computed.
constexpr int kMostWrittenDigits = 12;
/// Half a unit in the last place of single precision.
constexpr double kSinglePrecision = 0x1p-24;

struct WrittenDigits {
  int significant = 0;
  int decimals = 0;  ///< below 0: 1200 has -2
};

/// Of the shortest text that reads back as this number.
WrittenDigits digits_of(double value) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), std::fabs(value),
                                 std::chars_format::scientific)
                       .ptr;
  const std::string_view written(text.data(), static_cast<std::size_t>(end - text.data()));
  const auto mark = written.find('e');
  int exponent = 0;
  const char* first = written.data() + mark + 1;
  std::from_chars(*first == '+' ? first + 1 : first, end, exponent);
  const int significant = mark == 1 ? 1 : static_cast<int>(mark) - 1;
  return {significant, significant - 1 - exponent};
}

}  // namespace

std::vector<double> values_of(const Matrix& matrix, Index feature) {
  if (const auto* dense = std::get_if<DenseMatrix>(&matrix)) {
    const auto column = dense->column(feature);
    return {column.begin(), column.end()};
  }
  const auto& sparse = std::get<SparseMatrix>(matrix);
  std::vector<double> values(static_cast<std::size_t>(sparse.n_samples));
  const auto rows = sparse.column_rows(feature);
  const auto stored = sparse.column_values(feature);
  for (std::size_t k = 0; k < rows.size(); ++k) values[rows[k]] = stored[k];
  return values;
}

double on_row_scale(double value, Transform how) {
  if (how == Transform::none) return value;
  if (!(value >= 0)) return std::numeric_limits<double>::quiet_NaN();
  return how == Transform::log1p ? std::log1p(value) : std::sqrt(value);
}

Digits::Digits(std::span<const double> values) {
  WrittenDigits most{1, 0};
  bool is_single = true;
  for (const double value : values) {
    if (!std::isfinite(value) || value == 0) continue;
    is_single = is_single && std::fabs(value) <= std::numeric_limits<float>::max() &&
                static_cast<double>(static_cast<float>(value)) == value;
    const WrittenDigits written = digits_of(value);
    most.significant = std::max(most.significant, written.significant);
    most.decimals = std::max(most.decimals, written.decimals);
  }
  if (most.significant > kMostWrittenDigits) {
    relative_ = is_single ? kSinglePrecision : 0;
    return;
  }
  step_ = 0.5 * std::pow(10.0, -most.decimals);
  significant_ = most.significant;
}

double Digits::rounding(double value) const {
  if (significant_ == 0) return relative_ * std::fabs(value);
  if (value == 0) return step_;
  // Six digits are millionths of 1.23456 but whole numbers of 123456.
  const double magnitude = std::floor(std::log10(std::fabs(value)));
  return std::max(step_, 0.5 * std::pow(10.0, magnitude + 1 - significant_));
}

Residuals residuals_of(const Combination& combination, const Matrix& matrix,
                       std::span<const Index> columns, std::span<const Digits> digits,
                       Transform how) {
  const auto n = static_cast<std::size_t>(n_samples(matrix));
  Residuals result{std::vector<double>(n, -combination.intercept),
                   std::vector<double>(n, std::fabs(combination.intercept)),
                   std::vector<double>(digits.empty() ? 0 : n)};
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const double factor = c == 0 ? 1 : -combination.terms[c - 1].coefficient;
    const auto values = values_of(matrix, columns[c]);
    for (std::size_t i = 0; i < n; ++i) {
      const double value = on_row_scale(values[i], how);
      result.value[i] += factor * value;
      result.size[i] = std::max(result.size[i], std::fabs(factor * value));
      if (digits.empty()) continue;
      const double step = digits[c].rounding(values[i]);
      result.rounding[i] += std::fabs(factor * (on_row_scale(std::fabs(values[i]) + step, how) -
                                                on_row_scale(std::fabs(values[i]), how)));
    }
  }
  for (double& value : result.value) {
    if (!std::isfinite(value)) value = std::numeric_limits<double>::quiet_NaN();
  }
  return result;
}

}  // namespace sfg::detail
