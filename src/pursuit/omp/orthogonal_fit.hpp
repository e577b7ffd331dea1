#pragma once

#include <span>
#include <vector>

#include "sfg/matrix.hpp"

namespace sfg::detail {

/// A vector over the samples. Entry 0 is the value of all samples that have no place of their own
/// (sparse data: rows outside every vector so far); entries 1.. are the samples that have one.
/// Dense data give every sample its place and leave entry 0 at zero.
using SampleVector = std::vector<double>;

/// Least squares of one target on a growing set of atoms, by classical Gram-Schmidt, twice where
/// needed:
///   f = sum_l y_l u_l + q,  atoms = U R,  coefficients = R^-1 y.
/// The residual q is never refitted from scratch: each atom costs O(places * atoms).
class OrthogonalFit {
 public:
  /// Starts with the target as residual. `n_shared`: samples that share entry 0.
  void start(const SampleVector& target, double n_shared);

  /// Gives `n_new` more samples a place of their own.
  void add_places(std::size_t n_new);

  enum class Added { yes, dependent };
  /// Adds an atom (its vector is used up). Nothing changes if it depends on the atoms so far.
  [[nodiscard]] Added add(SampleVector& atom);

  /// Takes the last atom out again.
  void remove_last();

  [[nodiscard]] std::size_t n_atoms() const noexcept { return n_atoms_; }
  [[nodiscard]] const SampleVector& residual() const noexcept { return residual_; }
  /// |q|^2
  [[nodiscard]] double residual_square() const noexcept { return residual_square_; }
  /// u_l, the l-th orthonormal direction
  [[nodiscard]] const SampleVector& direction(std::size_t l) const noexcept { return basis_[l]; }
  /// y_l = <u_l, f>
  [[nodiscard]] double projection(std::size_t l) const noexcept { return projections_[l]; }
  /// Length of the part of a vector outside the span of the atoms (the vector is used up).
  [[nodiscard]] double length_outside(SampleVector& vector) const;

  /// Coefficients of the atoms: R x = y.
  void coefficients(std::vector<double>& x) const;
  /// Coefficients that make the last direction of the atoms: R x = e_last.
  void last_direction_coefficients(std::vector<double>& x) const;

 private:
  [[nodiscard]] double inner(const SampleVector& a, const SampleVector& b) const noexcept;
  void subtract(double factor, const SampleVector& direction, SampleVector& from) const noexcept;
  void project_out(SampleVector& vector, std::vector<double>& coefficients) const;
  double orthogonalise(SampleVector& vector, std::span<double> products) const;
  void solve(std::vector<double>& x) const;

  SampleVector residual_;
  std::vector<SampleVector> basis_;  ///< reused from target to target
  std::vector<double> factor_;       ///< R by columns: column t starts at t (t + 1) / 2
  std::vector<double> projections_;
  mutable std::vector<double> products_;  ///< scratch of length_outside()
  mutable std::vector<double> pass_;      ///< scratch of orthogonalise()
  std::size_t n_atoms_ = 0;
  double n_shared_ = 0;
  double residual_square_ = 0;
  double previous_residual_square_ = 0;
};

}  // namespace sfg::detail
