// Products from the matrix of all inner products of the features.
#include <cblas.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/kernels.hpp"
#include "core/threads.hpp"
#include "pursuit/scorer.hpp"
#include "pursuit/tolerances.hpp"

namespace sfg::detail {

namespace {

/// Columns of the Gram matrix that one call of BLAS makes: fixed, so that the sums do not depend on
/// the number of threads.
constexpr Index kTile = 256;

/// Room for the parts of the rounding analysis that are of lower order.
constexpr double kBoundMargin = 8;

class GramScorer final : public Scorer {
 public:
  GramScorer(const UnitFeatures& features, const Run& run)
      : n_samples_(features.n_samples()),
        d_(static_cast<std::size_t>(features.n_features())),
        gram_(new double[d_ * d_]) {
    fill(std::get<DenseMatrix>(features.matrix), run);
  }

  void products(std::span<const Query> queries, int, double* products) override {
    for (const Query& query : queries) {
      std::fill_n(products, d_, 0.0);
      if (query.target_weight != 0) {
        add_multiple(query.target_weight, column(query.target), products, d_);
      }
      for (std::size_t l = 0; l < query.atoms.size(); ++l) {
        add_multiple(query.weights[l], column(query.atoms[l]), products, d_);
      }
      products += d_;
    }
  }

  /// Each entry of G is off by at most n u, a sum of t of them by (n + t) u sum |a_l|; the
  /// coefficients a_l themselves carry an error of the same order.
  [[nodiscard]] double error_bound(const Query& query) const override {
    double weight = std::fabs(query.target_weight);
    for (const double a : query.weights) weight += std::fabs(a);
    return kBoundMargin * (n_samples_ + static_cast<double>(query.atoms.size()) + kBoundMargin) *
           kUnitRoundoff * weight;
  }

 private:
  [[nodiscard]] const double* column(Index feature) const noexcept {
    return gram_.get() + static_cast<std::size_t>(feature) * d_;
  }

  /// Tiles on and above the diagonal by BLAS, each then mirrored.
  void fill(const DenseMatrix& features, const Run& run) {
    const SingleThreadedBlas single_threaded;
    const Index d = features.n_features();
    const Index n_tiles = (d + kTile - 1) / kTile;
    const std::int64_t n_pairs = static_cast<std::int64_t>(n_tiles) * (n_tiles + 1) / 2;
    parallel_for(run, "products", n_pairs, [&](std::int64_t pair) {
      // Pair number -> (row tile <= column tile), column by column.
      auto column_tile =
          static_cast<Index>((std::sqrt(8.0 * static_cast<double>(pair) + 1) - 1) / 2);
      while (static_cast<std::int64_t>(column_tile + 1) * (column_tile + 2) / 2 <= pair)
        ++column_tile;
      while (static_cast<std::int64_t>(column_tile) * (column_tile + 1) / 2 > pair) --column_tile;
      const auto row_tile =
          static_cast<Index>(pair - static_cast<std::int64_t>(column_tile) * (column_tile + 1) / 2);
      fill_tile(features, row_tile * kTile, column_tile * kTile);
    });
  }

  void fill_tile(const DenseMatrix& features, Index row, Index column) {
    const Index n_rows = std::min(kTile, features.n_features() - row);
    const Index n_columns = std::min(kTile, features.n_features() - column);
    double* tile = gram_.get() + static_cast<std::size_t>(column) * d_ + row;
    cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, n_rows, n_columns, features.n_samples(),
                1.0, features.column(row).data(), features.n_samples(),
                features.column(column).data(), features.n_samples(), 0.0, tile,
                static_cast<blasint>(d_));
    if (row == column) return;
    for (Index j = 0; j < n_columns; ++j) {
      for (Index i = 0; i < n_rows; ++i) {
        gram_[static_cast<std::size_t>(row + i) * d_ + static_cast<std::size_t>(column + j)] =
            tile[static_cast<std::size_t>(j) * d_ + static_cast<std::size_t>(i)];
      }
    }
  }

  double n_samples_;
  std::size_t d_;
  std::unique_ptr<double[]> gram_;
};

}  // namespace

std::unique_ptr<Scorer> make_gram_scorer(const UnitFeatures& features, const Run& run) {
  return std::make_unique<GramScorer>(features, run);
}

}  // namespace sfg::detail
