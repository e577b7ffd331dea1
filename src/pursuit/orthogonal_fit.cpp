#include "pursuit/orthogonal_fit.hpp"

#include <algorithm>
#include <cmath>

#include "core/kernels.hpp"
#include "pursuit/tolerances.hpp"

namespace sfg::detail {

namespace {

std::size_t column_start(std::size_t column) {
  return column * (column + 1) / 2;
}

}  // namespace

double OrthogonalFit::inner(const SampleVector& a, const SampleVector& b) const noexcept {
  return dot(a.data() + 1, b.data() + 1, a.size() - 1) + n_shared_ * a[0] * b[0];
}

void OrthogonalFit::subtract(double factor, const SampleVector& direction,
                             SampleVector& from) const noexcept {
  add_multiple(-factor, direction.data(), from.data(), from.size());
}

void OrthogonalFit::start(const SampleVector& target, double n_shared) {
  residual_ = target;
  n_shared_ = n_shared;
  n_atoms_ = 0;
  factor_.clear();
  projections_.clear();
  residual_square_ = inner(residual_, residual_);
  previous_residual_square_ = residual_square_;
}

void OrthogonalFit::add_places(std::size_t n_new) {
  n_shared_ -= static_cast<double>(n_new);
  residual_.resize(residual_.size() + n_new, residual_[0]);
  for (std::size_t l = 0; l < n_atoms_; ++l) {
    basis_[l].resize(basis_[l].size() + n_new, basis_[l][0]);
  }
}

double OrthogonalFit::orthogonalise(SampleVector& vector, std::span<double> products) const {
  double before = std::sqrt(inner(vector, vector));
  double after = before;
  for (int pass = 0; pass < 2; ++pass) {
    for (std::size_t l = 0; l < n_atoms_; ++l) {
      const double product = inner(basis_[l], vector);
      subtract(product, basis_[l], vector);
      products[l] += product;
    }
    after = std::sqrt(inner(vector, vector));
    if (after >= kReorthogonaliseBelow * before) break;
    before = after;
  }
  return after;
}

OrthogonalFit::Added OrthogonalFit::add(SampleVector& atom) {
  const std::size_t column = column_start(n_atoms_);
  factor_.resize(column);
  factor_.resize(column + n_atoms_ + 1, 0.0);
  const double length = orthogonalise(atom, {factor_.data() + column, n_atoms_});
  if (length < kDependent) {
    factor_.resize(column);
    return Added::dependent;
  }
  factor_.back() = length;
  for (double& value : atom) value /= length;
  if (basis_.size() == n_atoms_) basis_.emplace_back();
  std::swap(basis_[n_atoms_], atom);
  const double projection = inner(basis_[n_atoms_], residual_);
  projections_.push_back(projection);
  subtract(projection, basis_[n_atoms_], residual_);
  ++n_atoms_;
  previous_residual_square_ = residual_square_;
  residual_square_ = inner(residual_, residual_);
  return Added::yes;
}

void OrthogonalFit::remove_last() {
  --n_atoms_;
  subtract(-projections_.back(), basis_[n_atoms_], residual_);
  projections_.pop_back();
  factor_.resize(column_start(n_atoms_));
  residual_square_ = previous_residual_square_;
}

double OrthogonalFit::length_outside(SampleVector& vector) const {
  products_.assign(n_atoms_, 0.0);
  return orthogonalise(vector, products_);
}

void OrthogonalFit::solve(std::vector<double>& x) const {
  for (std::size_t row = n_atoms_; row-- > 0;) {
    x[row] /= factor_[column_start(row) + row];
    for (std::size_t above = 0; above < row; ++above) {
      x[above] -= factor_[column_start(row) + above] * x[row];
    }
  }
}

void OrthogonalFit::coefficients(std::vector<double>& x) const {
  x.assign(projections_.begin(), projections_.end());
  solve(x);
}

void OrthogonalFit::last_direction_coefficients(std::vector<double>& x) const {
  x.assign(n_atoms_, 0.0);
  x.back() = 1;
  solve(x);
}

}  // namespace sfg::detail
