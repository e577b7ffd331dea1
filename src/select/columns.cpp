#include "select/columns.hpp"

#include <algorithm>
#include <cmath>

#include "core/kernels.hpp"
#include "core/threads.hpp"
#include "select/tolerances.hpp"

namespace sfg::detail {

Index Columns::n_samples() const noexcept {
  return dense_ != nullptr ? dense_->n_samples() : sparse_->n_samples;
}

Index Columns::n_features() const noexcept {
  return dense_ != nullptr ? dense_->n_features() : sparse_->n_features;
}

double Columns::product(Index feature, const double* v) const noexcept {
  if (dense_ != nullptr) {
    return dot(dense_->column(feature).data(), v, static_cast<std::size_t>(dense_->n_samples()));
  }
  const auto rows = sparse_->column_rows(feature);
  const auto values = sparse_->column_values(feature);
  double sum = 0;
  for (std::size_t k = 0; k < rows.size(); ++k) sum += values[k] * v[rows[k]];
  return sum;
}

std::span<const double> Columns::stored(Index feature) const noexcept {
  return dense_ != nullptr ? dense_->column(feature) : sparse_->column_values(feature);
}

double Columns::squared_length(Index feature) const noexcept {
  const auto values = stored(feature);
  return dot(values.data(), values.data(), values.size());
}

double Columns::longest() const noexcept {
  double longest = 0;
  for (Index j = 0; j < n_features(); ++j) longest = std::max(longest, squared_length(j));
  return std::sqrt(longest);
}

double Columns::sum(Index feature) const noexcept {
  double sum = 0;
  for (const double value : stored(feature)) sum += value;
  return sum;
}

double Columns::squares_about(Index feature, double centre) const noexcept {
  const auto values = stored(feature);
  double sum = 0;
  for (const double value : values) sum += (value - centre) * (value - centre);
  return sum +
         (static_cast<double>(n_samples()) - static_cast<double>(values.size())) * centre * centre;
}

std::vector<Spread> spreads_of(const Columns& columns, const RunContext& run) {
  std::vector<Spread> spreads(static_cast<std::size_t>(columns.n_features()));
  parallel_for(run, {}, columns.n_features(), [&](std::int64_t item) {
    const auto feature = static_cast<Index>(item);
    const double mean = columns.sum(feature) / columns.n_samples();
    const double squares = columns.squares_about(feature, mean);
    const bool varies = squares > kConstantShare * columns.squared_length(feature);
    spreads[item] = {mean, varies ? std::sqrt(squares) : 0.0};
  });
  return spreads;
}

void Columns::add_multiple(double factor, Index feature, double* v) const noexcept {
  if (dense_ != nullptr) {
    detail::add_multiple(factor, dense_->column(feature).data(), v,
                         static_cast<std::size_t>(dense_->n_samples()));
    return;
  }
  const auto rows = sparse_->column_rows(feature);
  const auto values = sparse_->column_values(feature);
  for (std::size_t k = 0; k < rows.size(); ++k) v[rows[k]] += factor * values[k];
}

void Columns::copy(Index feature, std::span<double> v) const noexcept {
  std::ranges::fill(v, 0.0);
  add_multiple(1, feature, v.data());
}

void multiply(const Columns& columns, std::span<const double* const> vectors,
              std::span<double* const> products, const RunContext& run) {
  // Columns that one worker takes at a time: enough work to be worth handing out.
  constexpr Index kBlock = 128;
  const Index d = columns.n_features();
  parallel_for(run, {}, (d + kBlock - 1) / kBlock, [&](std::int64_t block) {
    const auto begin = static_cast<Index>(block) * kBlock;
    for (Index j = begin; j < std::min(d, begin + kBlock); ++j) {
      for (std::size_t k = 0; k < vectors.size(); ++k) {
        products[k][j] = columns.product(j, vectors[k]);
      }
    }
  });
}

}  // namespace sfg::detail
