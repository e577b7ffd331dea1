#include "select/sample_gram.hpp"

#include <cblas.h>

#include <algorithm>
#include <cmath>

#include "core/threads.hpp"
#include "select/columns.hpp"

namespace sfg::detail {

namespace {

/// Features that are weighted and multiplied at once.
constexpr Index kPanel = 512;
/// Columns of the result that one worker computes at a time.
constexpr Index kTile = 128;

/// Adds B B' on and above the diagonal, B the panel of samples x `width`.
void add_product(const DenseMatrix& panel, Index width, DenseMatrix& gram, const RunContext& run) {
  const Index n = gram.n_samples();
  parallel_for(run, {}, (n + kTile - 1) / kTile, [&](std::int64_t tile) {
    const auto begin = static_cast<Index>(tile) * kTile;
    const Index end = std::min(n, begin + kTile);
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, end, end - begin, width, 1.0, panel.data(),
                n, panel.data() + begin, n, 1.0, gram.column(begin).data(), n);
  });
}

}  // namespace

DenseMatrix sample_gram(const Matrix& features, std::span<const double> weights,
                        const RunContext& run) {
  const SingleThreadedBlas single_threaded;
  const Columns columns(features);
  const Index n = columns.n_samples();
  const Index d = columns.n_features();
  DenseMatrix gram(n, n);
  DenseMatrix panel(n, std::min(d, kPanel));
  for (Index begin = 0; begin < d; begin += kPanel) {
    const Index width = std::min(kPanel, d - begin);
    for (Index k = 0; k < width; ++k) {
      const auto column = panel.column(k);
      std::ranges::fill(column, 0.0);
      columns.add_multiple(std::sqrt(weights[begin + k]), begin + k, column.data());
    }
    add_product(panel, width, gram, run);
  }
  for (Index j = 0; j < n; ++j) {
    for (Index i = 0; i < j; ++i) gram(j, i) = gram(i, j);
  }
  return gram;
}

}  // namespace sfg::detail
