#pragma once

#include <span>
#include <vector>

#include "sfg/normalise.hpp"

namespace sfg::detail {

/// Inner products of many features with many others: by BLAS, or by scattering sparse ones. One
/// object per worker; BLAS must be single-threaded while it works (SingleThreadedBlas).
class FeatureProducts {
 public:
  explicit FeatureProducts(const UnitFeatures& features) : features_(features) {}

  /// out[j * left.size() + i] = <f_left[i], f_right[j]>
  void operator()(std::span<const Index> left, std::span<const Index> right, double* out);

 private:
  void sparse_products(const SparseMatrix& sparse, std::span<const Index> left,
                       std::span<const Index> right, double* out);

  const UnitFeatures& features_;
  std::vector<double> left_columns_;
  std::vector<double> right_columns_;
  std::vector<double> scattered_;
};

/// Products of a run of neighbouring features with eight vectors over the samples, interleaved:
///   out[j * 8 + v] = sum_i f_(first + j)[i] vectors[i * 8 + v],
/// or with the first four of them only (n_vectors: 8 or 4).
void multiply(const UnitFeatures& features, Index first, Index count, const double* vectors,
              std::size_t n_vectors, double* out);

/// f_feature, all samples.
void expand(const UnitFeatures& features, Index feature, double* out);

/// sum_j f_j f_j' over the features given, n x n, both triangles.
[[nodiscard]] std::vector<double> outer_products(const UnitFeatures& features,
                                                 std::span<const Index> chosen);

/// out[k] = f' H f for each feature given and a symmetric n x n matrix H, both triangles filled.
void quadratic_forms(const UnitFeatures& features, std::span<const Index> chosen, const double* h,
                     double* out);

}  // namespace sfg::detail
