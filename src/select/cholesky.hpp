#pragma once

#include <span>
#include <vector>

namespace sfg::detail {

/// Factor of a symmetric positive definite matrix, G = R'R with R upper triangular, that grows and
/// shrinks by one row and column in O(k^2).
class CholeskyFactor {
 public:
  [[nodiscard]] std::size_t size() const noexcept { return columns_.size(); }

  enum class Inserted { yes, dependent };
  /// Adds a last row and column: its products with the others, then the one with itself. Nothing is
  /// added (`dependent`) if it lies in the span of the others.
  Inserted insert(std::span<const double> products);
  /// Takes row and column k out; the later ones move up.
  void remove(std::size_t k);
  /// x = G^-1 x
  void solve(std::span<double> x) const noexcept;

 private:
  /// x = R'^-1 x on the first entries of x.
  void solve_lower(std::span<double> x) const noexcept;

  std::vector<std::vector<double>> columns_;  ///< column k of R: k + 1 entries
};

}  // namespace sfg::detail
