#include "select/cholesky.hpp"

#include <cmath>

namespace sfg::detail {

namespace {

/// A column is dependent if this share of its squared length or less is outside the span of the
/// others. Products of columns carry rounding errors of some 1e-16 of it: of a share of 1e-12 four
/// digits would be right.
constexpr double kDependentShare = 1e-12;

}  // namespace

void CholeskyFactor::solve_lower(std::span<double> x) const noexcept {
  for (std::size_t k = 0; k < columns_.size(); ++k) {
    const std::vector<double>& column = columns_[k];
    double value = x[k];
    for (std::size_t l = 0; l < k; ++l) value -= column[l] * x[l];
    x[k] = value / column[k];
  }
}

CholeskyFactor::Inserted CholeskyFactor::insert(std::span<const double> products) {
  std::vector<double> column(products.begin(), products.end());
  const double own = column.back();
  solve_lower(column);
  double pivot = own;
  for (std::size_t l = 0; l < size(); ++l) pivot -= column[l] * column[l];
  if (!(pivot > kDependentShare * own)) return Inserted::dependent;
  column.back() = std::sqrt(pivot);
  columns_.push_back(std::move(column));
  return Inserted::yes;
}

void CholeskyFactor::remove(std::size_t k) {
  columns_.erase(columns_.begin() + static_cast<std::ptrdiff_t>(k));
  // Every later column now has one entry below the diagonal: a rotation of rows l and l + 1 for
  // each of them takes it away.
  for (std::size_t l = k; l < size(); ++l) {
    std::vector<double>& first = columns_[l];
    const double length = std::hypot(first[l], first[l + 1]);
    const double cosine = first[l] / length;
    const double sine = first[l + 1] / length;
    first[l] = length;
    first.pop_back();
    for (std::size_t m = l + 1; m < size(); ++m) {
      double& upper = columns_[m][l];
      double& lower = columns_[m][l + 1];
      const double rotated = cosine * upper + sine * lower;
      lower = cosine * lower - sine * upper;
      upper = rotated;
    }
  }
}

void CholeskyFactor::solve(std::span<double> x) const noexcept {
  solve_lower(x);
  for (std::size_t k = size(); k-- > 0;) {
    const std::vector<double>& column = columns_[k];
    x[k] /= column[k];
    for (std::size_t l = 0; l < k; ++l) x[l] -= column[l] * x[k];
  }
}

}  // namespace sfg::detail
