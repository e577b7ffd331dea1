#pragma once

#include <span>
#include <vector>

#include "predict/products_of_columns.hpp"
#include "sfg/normalise.hpp"
#include "sfg/run_context.hpp"

namespace sfg::detail {

/// The ridges that are tried: every half order of magnitude from 1e-6 to 30, on columns of unit
/// length. Below, rounding takes over; above, nothing is predicted.
[[nodiscard]] const std::vector<double>& ridge_grid();

/// B = (Z Z' + lambda I)^-1 for every lambda at once, from one eigen-decomposition of the smaller
/// of Z Z' (n x n) and Z'Z (m x m):
///   B = U diag(inverse_l) U' + rest (I - U U'),  inverse_l = 1/(w_l + lambda), rest = 1/lambda.
/// U is n x rank. Targets are projected once, U't, and serve every lambda.
class RidgeFactor {
 public:
  RidgeFactor(const UnitFeatures& features, std::span<const Index> predictors,
              const RunContext& run);

  [[nodiscard]] std::size_t n_samples() const noexcept { return n_; }
  [[nodiscard]] std::size_t rank() const noexcept { return values_.size(); }

  /// projected (rank x count) = U' targets (n x count).
  void project(const double* targets, std::size_t count, double* projected) const;
  /// out (n x count) = B targets. `scaled` is room for rank x count.
  void apply(double ridge, const double* targets, const double* projected, std::size_t count,
             double* scaled, double* out) const;
  /// B itself, n x n: where one ridge serves more targets than there are samples, one product
  /// with it costs less than two with U.
  [[nodiscard]] std::vector<double> inverse(double ridge) const;
  /// B_kk - 1/(n lambda) by sample: what the free intercept leaves of the diagonal.
  [[nodiscard]] std::vector<double> diagonal(double ridge) const;

 private:
  void from_samples(const UnitFeatures& features, std::span<const Index> predictors,
                    const RunContext& run);
  void from_predictors(const UnitFeatures& features, std::span<const Index> predictors,
                       const RunContext& run);

  std::size_t n_;
  std::vector<double> vectors_;  ///< U, column by column
  std::vector<double> values_;   ///< w
  bool is_complete_ = false;     ///< U spans all samples: there is no rest
};

/// Columns of features side by side, n values each.
void gather(const UnitFeatures& features, std::span<const Index> chosen, double* out);

/// sum_j f_j f_j' over the features, n x n, both triangles; the same for any number of threads.
[[nodiscard]] std::vector<double> sample_products(const UnitFeatures& features,
                                                  std::span<const Index> chosen,
                                                  const RunContext& run);

}  // namespace sfg::detail
