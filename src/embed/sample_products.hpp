#pragma once

#include <functional>
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

  /// Products of the samples [begin, end) with those in [first, last): row i at products +
  /// (i - begin) * leading.
  using Visitor = std::function<void(Index first, Index last, double* products, Index leading)>;
  /// Memory of one thread.
  struct Scratch {
    std::vector<double> products;
    std::vector<double> strip;   ///< its samples, one after the other
    std::vector<double> others;  ///< some of the others, interleaved
    std::vector<double> eight;   ///< products with these
  };
  /// The same for all others below `end`, kTileSamples of them at a time and in order, while the
  /// products are still in the cache. `scratch` may be used again for the next strip.
  void visit_tiles(Index begin, Index end, Scratch& scratch, const Visitor& visit) const;
  /// Numbers that a scratch grows to.
  [[nodiscard]] double scratch_size() const noexcept;

  /// |x_i|^2 of all samples.
  [[nodiscard]] const std::vector<double>& squared_lengths() const noexcept {
    return squared_length_;
  }

 private:
  [[nodiscard]] Index tile_width() const noexcept;
  void dense_tile(Index n_rows, Index first, Index last, Scratch& scratch) const;
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
/// Samples that a strip is multiplied with at once: fixed, since the digits may depend on it; a
/// multiple of a strip, and so few that the products stay in the cache.
inline constexpr Index kTileSamples = 512;
[[nodiscard]] constexpr Index n_strips(Index n_samples) noexcept {
  return (n_samples + kStripSamples - 1) / kStripSamples;
}

}  // namespace sfg::detail
