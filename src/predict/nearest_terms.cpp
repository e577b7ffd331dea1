#include "predict/nearest_terms.hpp"

#include <algorithm>
#include <cmath>

namespace sfg::detail {

void NearestTerms::start(std::size_t count) {
  count_ = count;
  for (auto* matrix : {&gram_, &overlap_, &factor_}) matrix->resize(count * count);
  for (auto* vector : {&right_, &along_error_}) vector->resize(count);
}

/// L L' = G + ridge I, then L y = h and L'x = y.
void NearestTerms::solve(double ridge, std::vector<double>& x) {
  x.assign(count_, 0.0);
  for (std::size_t j = 0; j < count_; ++j) {
    for (std::size_t k = 0; k <= j; ++k) {
      double value = gram_[j * count_ + k] + (j == k ? ridge : 0.0);
      for (std::size_t l = 0; l < k; ++l) {
        value -= factor_[j * count_ + l] * factor_[k * count_ + l];
      }
      if (j > k) {
        factor_[j * count_ + k] = value / factor_[k * count_ + k];
      } else if (value > 0) {
        factor_[j * count_ + j] = std::sqrt(value);
      } else {
        return;
      }
    }
  }
  std::copy_n(right_.begin(), count_, x.begin());
  for (std::size_t j = 0; j < count_; ++j) {
    for (std::size_t k = 0; k < j; ++k) x[j] -= factor_[j * count_ + k] * x[k];
    x[j] /= factor_[j * count_ + j];
  }
  for (std::size_t j = count_; j-- > 0;) {
    for (std::size_t k = j + 1; k < count_; ++k) x[j] -= factor_[k * count_ + j] * x[k];
    x[j] /= factor_[j * count_ + j];
  }
}

double NearestTerms::quadratic(const std::vector<double>& lower,
                               const std::vector<double>& x) const noexcept {
  double sum = 0;
  for (std::size_t j = 0; j < count_; ++j) {
    double row = lower[j * count_ + j] * x[j];
    for (std::size_t k = 0; k < j; ++k) row += 2 * lower[j * count_ + k] * x[k];
    sum += row * x[j];
  }
  return sum;
}

double NearestTerms::along_right(const std::vector<double>& x) const noexcept {
  double sum = 0;
  for (std::size_t j = 0; j < count_; ++j) sum += x[j] * right_[j];
  return sum;
}

double NearestTerms::square_of(const std::vector<double>& x) const noexcept {
  return quadratic(gram_, x);
}

double NearestTerms::change_of_error(const std::vector<double>& x) const noexcept {
  double along = 0;
  for (std::size_t j = 0; j < count_; ++j) along += x[j] * along_error_[j];
  return quadratic(overlap_, x) - 2 * along;
}

}  // namespace sfg::detail
