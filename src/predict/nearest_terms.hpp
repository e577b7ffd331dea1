#pragma once

#include <cstddef>
#include <vector>

namespace sfg::detail {

/// The few nearest of one target, as products of their columns: five or so, so that plain loops
/// beat a call of LAPACK. With G = a'(c * a), h = a'(c * t), columns D and the error e of the plain
/// prediction, every weight kappa costs a Cholesky of G + I/kappa and no pass over samples.
class NearestTerms {
 public:
  void start(std::size_t count);

  // Lower triangles: k <= j.
  double& gram(std::size_t j, std::size_t k) noexcept { return gram_[j * count_ + k]; }
  double& overlap(std::size_t j, std::size_t k) noexcept { return overlap_[j * count_ + k]; }
  double& right(std::size_t j) noexcept { return right_[j]; }
  double& along_error(std::size_t j) noexcept { return along_error_[j]; }

  /// (G + ridge I) x = h. Not solvable: x = 0, the plain prediction.
  void solve(double ridge, std::vector<double>& x);
  /// x'h
  [[nodiscard]] double along_right(const std::vector<double>& x) const noexcept;
  /// x'G x
  [[nodiscard]] double square_of(const std::vector<double>& x) const noexcept;
  /// |e - D x|^2 - |e|^2, with D'D the overlap and D'e along the error.
  [[nodiscard]] double change_of_error(const std::vector<double>& x) const noexcept;

 private:
  /// x'M x of a lower triangle.
  [[nodiscard]] double quadratic(const std::vector<double>& lower,
                                 const std::vector<double>& x) const noexcept;

  std::size_t count_ = 0;
  std::vector<double> gram_, overlap_, factor_;
  std::vector<double> right_, along_error_;
};

}  // namespace sfg::detail
