#include "predict/ridge_on_few.hpp"

#include <algorithm>

#include "core/lapack.hpp"

namespace sfg::detail {

RidgeOnFew::RidgeOnFew(const double* y, std::span<const double* const> columns,
                       std::span<const int> gaps, std::size_t n)
    : columns_(columns), n_observed_(n - gaps.size()), centres_(columns.size(), 0.0) {
  const std::size_t k = columns.size();
  rows_.reserve(n_observed_ * k);
  values_.reserve(n_observed_);
  std::size_t next = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (next < gaps.size() && static_cast<std::size_t>(gaps[next]) == i) {
      ++next;
      continue;
    }
    values_.push_back(y[i]);
    mean_ += y[i];
    for (std::size_t j = 0; j < k; ++j) {
      rows_.push_back(columns[j][i]);
      centres_[j] += columns[j][i];
    }
  }
  const double count = static_cast<double>(n_observed_);
  mean_ /= count;
  for (double& centre : centres_) centre /= count;
  products_.assign(k * k, 0.0);
  right_.assign(k, 0.0);
  for (std::size_t i = 0; i < n_observed_; ++i) {
    double* row = rows_.data() + i * k;
    values_[i] -= mean_;
    for (std::size_t j = 0; j < k; ++j) row[j] -= centres_[j];
    for (std::size_t j = 0; j < k; ++j) {
      right_[j] += row[j] * values_[i];
      for (std::size_t l = 0; l <= j; ++l) products_[j * k + l] += row[j] * row[l];
    }
  }
}

bool RidgeOnFew::solve(std::size_t count, double ridge) {
  const std::size_t k = columns_.size();
  triangle_.assign(count * count, 0.0);
  for (std::size_t j = 0; j < count; ++j) {
    for (std::size_t l = 0; l <= j; ++l) triangle_[l * count + j] = products_[j * k + l];
    triangle_[j * count + j] += ridge;
  }
  weights_.assign(right_.begin(), right_.begin() + static_cast<std::ptrdiff_t>(count));
  const int size = static_cast<int>(count);
  const int one = 1;
  int info = 0;
  dposv_("L", &size, &one, triangle_.data(), &size, weights_.data(), &size, &info);
  return info == 0;
}

double RidgeOnFew::left_out_r2() {
  const std::size_t k = columns_.size();
  const std::size_t count = weights_.size();
  const double n = static_cast<double>(n_observed_);
  std::vector<double> solved(count);
  double error = 0;
  double variation = 0;
  for (std::size_t i = 0; i < n_observed_; ++i) {
    const double* row = rows_.data() + i * k;
    double rest = values_[i];
    double leverage = 1 / n;
    // |L^-1 a|^2 = a' G^-1 a, forward substitution.
    for (std::size_t j = 0; j < count; ++j) {
      rest -= weights_[j] * row[j];
      double sum = row[j];
      for (std::size_t l = 0; l < j; ++l) sum -= triangle_[l * count + j] * solved[l];
      solved[j] = sum / triangle_[j * count + j];
      leverage += solved[j] * solved[j];
    }
    constexpr double kLargestLeverage = 1 - 1e-9;
    rest /= 1 - std::min(leverage, kLargestLeverage);
    error += rest * rest;
    const double own = values_[i] * n / (n - 1);
    variation += own * own;
  }
  return variation > 0 ? 1 - error / variation : 0.0;
}

double RidgeOnFew::at(std::size_t sample) const {
  double value = mean_;
  for (std::size_t j = 0; j < weights_.size(); ++j) {
    value += weights_[j] * (columns_[j][sample] - centres_[j]);
  }
  return value;
}

}  // namespace sfg::detail
