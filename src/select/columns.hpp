#pragma once

#include <span>
#include <vector>

#include "sfg/matrix.hpp"
#include "sfg/run_context.hpp"

namespace sfg::detail {

/// The columns of a matrix, dense or sparse alike, as a regression needs them. Refers to the
/// matrix.
class Columns {
 public:
  explicit Columns(const Matrix& matrix) noexcept
      : dense_(std::get_if<DenseMatrix>(&matrix)), sparse_(std::get_if<SparseMatrix>(&matrix)) {}

  [[nodiscard]] Index n_samples() const noexcept;
  [[nodiscard]] Index n_features() const noexcept;
  /// <x_j, v>, v over all samples.
  [[nodiscard]] double product(Index feature, const double* v) const noexcept;
  [[nodiscard]] double squared_length(Index feature) const noexcept;
  /// Length of the longest column.
  [[nodiscard]] double longest() const noexcept;
  /// Sum of the values.
  [[nodiscard]] double sum(Index feature) const noexcept;
  /// sum_i (x_ij - centre)^2
  [[nodiscard]] double squares_about(Index feature, double centre) const noexcept;
  /// v += factor * x_j
  void add_multiple(double factor, Index feature, double* v) const noexcept;
  /// v = x_j
  void copy(Index feature, std::span<double> v) const noexcept;

 private:
  [[nodiscard]] std::span<const double> stored(Index feature) const noexcept;

  const DenseMatrix* dense_;
  const SparseMatrix* sparse_;
};

/// What is left of a column without its mean.
struct Spread {
  double mean = 0;
  double length = 0;  ///< 0: the column is constant
};
[[nodiscard]] std::vector<Spread> spreads_of(const Columns& columns, const RunContext& run);

/// products[k][j] = <x_j, vectors[k]> for every feature j and all k: each column is fetched from
/// memory once for all vectors. The bits depend neither on the threads nor on the other vectors.
void multiply(const Columns& columns, std::span<const double* const> vectors,
              std::span<double* const> products, const RunContext& run);

}  // namespace sfg::detail
