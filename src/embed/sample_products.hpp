#pragma once

#include <vector>

#include "sfg/matrix.hpp"
#include "sfg/run_context.hpp"

namespace sfg::detail {

/// Inner products between samples, strip by strip: dense data by matrix products, sparse data (and
/// dense data that are mostly zero) by their nonzero entries. A strip's digits do not depend on the
/// number of threads.
class SampleProducts {
 public:
  /// Keeps a reference to the data. Throws degenerate_data if there are no samples or a squared
  /// length is not finite.
  SampleProducts(const Matrix& data, const RunContext& run);

  [[nodiscard]] Index n_samples() const noexcept {
    return static_cast<Index>(squared_length_.size());
  }
  /// <x_i, x_i>
  [[nodiscard]] double squared_length(Index sample) const noexcept {
    return squared_length_[sample];
  }
  /// <x_i, x_j> for samples i in [begin, end) and j in [0, n_others): row i at
  /// out + (i - begin) * n_others.
  void strip(Index begin, Index end, Index n_others, double* out) const;

  /// |x_i - x_j|^2 out of their product; exactly 0 where only rounding is left.
  [[nodiscard]] double squared_distance(Index i, Index j, double product) const noexcept;

 private:
  void dense_strip(Index begin, Index end, Index n_others, double* out) const;
  void sparse_strip(Index begin, Index end, Index n_others, double* out) const;

  const DenseMatrix* dense_ = nullptr;
  SparseMatrix copy_;                       ///< of dense data that are mostly zero
  const SparseMatrix* features_ = nullptr;  ///< columns are features
  SparseMatrix samples_;                    ///< columns are samples
  std::vector<double> squared_length_;
};

/// Samples whose strips are worked on together.
inline constexpr Index kStripSamples = 64;
[[nodiscard]] constexpr Index n_strips(Index n_samples) noexcept {
  return (n_samples + kStripSamples - 1) / kStripSamples;
}

}  // namespace sfg::detail
