#include "pursuit/omp/sample_space.hpp"

#include <algorithm>

#include "core/kernels.hpp"

namespace sfg::detail {

namespace {

void copy_column(std::span<const double> column, SampleVector& vector) {
  vector.resize(column.size() + 1);
  vector[0] = 0;
  std::ranges::copy(column, vector.begin() + 1);
}

}  // namespace

void prefetch_column(std::span<const double> column) noexcept {
  // The processor goes on by itself from the first few lines.
  constexpr std::size_t kMostLines = 16;
  constexpr std::size_t kLine = 64 / sizeof(double);
  const std::size_t end = std::min(column.size(), kMostLines * kLine);
  for (std::size_t i = 0; i < end; i += kLine) __builtin_prefetch(column.data() + i);
}

DenseSpace::DenseSpace(const UnitFeatures& dictionary, const UnitFeatures& targets)
    : dictionary_(std::get<DenseMatrix>(dictionary.matrix)),
      targets_(std::get<DenseMatrix>(targets.matrix)) {}

double DenseSpace::start(Index target, SampleVector& vector) {
  copy_column(targets_.column(target), vector);
  return 0;
}

void DenseSpace::expand(Index atom, OrthogonalFit&, SampleVector& vector) {
  copy_column(dictionary_.column(atom), vector);
}

double DenseSpace::product(Index atom, const SampleVector& q) const {
  return dot(dictionary_.column(atom).data(), q.data() + 1, q.size() - 1);
}

void DenseSpace::prefetch(Index atom) const noexcept {
  prefetch_column(dictionary_.column(atom));
}

double FetchedSpace::start(Index target, SampleVector& vector) {
  copy_column(columns_->column(target), vector);
  return 0;
}

void FetchedSpace::expand(Index atom, OrthogonalFit&, SampleVector& vector) {
  copy_column(columns_->column(atom), vector);
}

double FetchedSpace::product(Index atom, const SampleVector& q) const {
  return dot(columns_->column(atom).data(), q.data() + 1, q.size() - 1);
}

SparseSpace::SparseSpace(const UnitFeatures& dictionary, const UnitFeatures& targets)
    : dictionary_(dictionary),
      targets_(targets),
      place_(static_cast<std::size_t>(dictionary.n_samples()), 0) {}

std::size_t SparseSpace::add_places(std::span<const Index> rows) {
  const std::size_t before = rows_.size();
  for (const Index row : rows) {
    Index& place = place_[row];
    if (place != 0) continue;
    rows_.push_back(row);
    place = static_cast<Index>(rows_.size());
  }
  return rows_.size() - before;
}

void SparseSpace::fill(const UnitFeatures& from, Index feature, SampleVector& vector) const {
  const auto& sparse = std::get<SparseMatrix>(from.matrix);
  const double shift = from.shift.empty() ? 0.0 : from.shift[feature];
  vector.assign(rows_.size() + 1, -shift);
  const auto rows = sparse.column_rows(feature);
  const auto values = sparse.column_values(feature);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    vector[place_[rows[k]]] += values[k];
  }
}

double SparseSpace::start(Index target, SampleVector& vector) {
  for (const Index row : rows_) place_[row] = 0;
  rows_.clear();
  add_places(std::get<SparseMatrix>(targets_.matrix).column_rows(target));
  fill(targets_, target, vector);
  return static_cast<double>(place_.size()) - static_cast<double>(rows_.size());
}

void SparseSpace::expand(Index atom, OrthogonalFit& fit, SampleVector& vector) {
  const std::size_t n_new =
      add_places(std::get<SparseMatrix>(dictionary_.matrix).column_rows(atom));
  fit.add_places(n_new);
  fill(dictionary_, atom, vector);
}

double SparseSpace::product(Index atom, const SampleVector& q) const {
  // <x - s, q> = <x, q>: the shift s adds nothing, as a centred residual sums to zero.
  const auto& sparse = std::get<SparseMatrix>(dictionary_.matrix);
  const auto rows = sparse.column_rows(atom);
  const auto values = sparse.column_values(atom);
  double result = 0;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    result += values[k] * q[place_[rows[k]]];
  }
  return result;
}

}  // namespace sfg::detail
