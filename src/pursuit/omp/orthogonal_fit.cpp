#include "pursuit/omp/orthogonal_fit.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/kernels.hpp"
#include "pursuit/omp/tolerances.hpp"

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

/// coefficients_l = <u_l, vector>, then vector -= sum_l coefficients_l u_l; four directions at once
/// where there are as many.
void OrthogonalFit::project_out(SampleVector& vector, std::vector<double>& coefficients) const {
  coefficients.resize(n_atoms_);
  const std::size_t n_by_four = n_atoms_ / 4 * 4;
  const auto four_from = [&](std::size_t l) {
    return std::array{basis_[l].data(), basis_[l + 1].data(), basis_[l + 2].data(),
                      basis_[l + 3].data()};
  };
  for (std::size_t l = 0; l < n_by_four; l += 4) {
    auto columns = four_from(l);
    for (const double*& column : columns) ++column;
    dot_four(columns.data(), vector.data() + 1, vector.size() - 1, coefficients.data() + l);
    for (std::size_t k = l; k < l + 4; ++k) coefficients[k] += n_shared_ * basis_[k][0] * vector[0];
  }
  for (std::size_t l = n_by_four; l < n_atoms_; ++l) coefficients[l] = inner(basis_[l], vector);
  for (std::size_t l = 0; l < n_by_four; l += 4) {
    const double factors[4] = {-coefficients[l], -coefficients[l + 1], -coefficients[l + 2],
                               -coefficients[l + 3]};
    add_four_multiples(factors, four_from(l).data(), vector.data(), vector.size());
  }
  for (std::size_t l = n_by_four; l < n_atoms_; ++l) subtract(coefficients[l], basis_[l], vector);
}

double OrthogonalFit::orthogonalise(SampleVector& vector, std::span<double> products) const {
  double before = std::sqrt(inner(vector, vector));
  double after = before;
  for (int pass = 0; pass < 2; ++pass) {
    project_out(vector, pass_);
    for (std::size_t l = 0; l < n_atoms_; ++l) products[l] += pass_[l];
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
  const double inverse = 1 / length;
  for (double& value : atom) value *= inverse;
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
