// Products from the matrix of all inner products of the features, in float.
#include <cblas.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/kernels.hpp"
#include "core/threads.hpp"
#include "pursuit/engines/product_finder.hpp"
#include "pursuit/omp/tolerances.hpp"

namespace sfg::detail {

namespace {

/// Columns of the Gram matrix that one call of BLAS makes.
constexpr Index kTile = 256;
/// Part of the products that stays in the first-level cache while all atoms are added to it.
constexpr std::size_t kPart = 2048;
/// Room for the parts of the rounding analysis that are of lower order.
constexpr double kGramBoundMargin = 1.1;

class GramProducts {
 public:
  using Value = float;

  GramProducts(const UnitFeatures& features, const RunContext& run)
      : n_samples_(features.n_samples()),
        d_(static_cast<std::size_t>(features.n_features())),
        gram_(new float[d_ * d_]) {
    fill(std::get<DenseMatrix>(features.matrix), run);
  }

  /// <f_k, v> = sum_l a_l G_(k, j_l)
  void products(std::span<const ProductVector> vectors, int, float* products,
                double* error_bounds) const {
    for (const ProductVector& vector : vectors) {
      for (std::size_t begin = 0; begin < d_; begin += kPart) {
        add_up(vector, begin, std::min(kPart, d_ - begin), products + begin);
      }
      *error_bounds++ = error_bound(vector);
      products += d_;
    }
  }

  [[nodiscard]] static std::string kernel_name() { return {}; }

 private:
  [[nodiscard]] const float* column(Index feature) const noexcept {
    return gram_.get() + static_cast<std::size_t>(feature) * d_;
  }

  void add_up(const ProductVector& vector, std::size_t begin, std::size_t count,
              float* part) const {
    std::fill_n(part, count, 0.0F);
    if (vector.target_weight != 0) {
      add_multiple(static_cast<float>(vector.target_weight), column(vector.target) + begin, part,
                   count);
    }
    for (std::size_t l = 0; l < vector.atoms.size(); ++l) {
      add_multiple(static_cast<float>(vector.weights[l]), column(vector.atoms[l]) + begin, part,
                   count);
    }
  }

  /// An entry of G is off by at most (n + 2) u: two roundings to float, and one per term of the
  /// sum. A sum of t of them adds 2 t u, its weights 2 u; all times sum |a_l|, as no entry is
  /// above 1.
  [[nodiscard]] double error_bound(const ProductVector& vector) const {
    double weight = std::fabs(vector.target_weight);
    for (const double a : vector.weights) weight += std::fabs(a);
    const auto t = static_cast<double>(vector.atoms.size());
    return kGramBoundMargin * (n_samples_ + 2 * t + 6) * kFloatRoundoff * weight;
  }

  /// Tiles on and above the diagonal by BLAS, each then mirrored.
  void fill(const DenseMatrix& features, const RunContext& run) {
    const SingleThreadedBlas single_threaded;
    std::vector<Tiles> tiles(static_cast<std::size_t>(worker_count(run)));
    const std::int64_t n_tiles = (features.n_features() + kTile - 1) / kTile;
    const std::int64_t n_pairs = n_tiles * (n_tiles + 1) / 2;
    parallel_for_workers(run, "products", n_pairs, [&](std::int64_t pair, int worker) {
      // Pair number -> (row tile <= column tile), column by column.
      auto column =
          static_cast<std::int64_t>((std::sqrt(8.0 * static_cast<double>(pair) + 1) - 1) / 2);
      while ((column + 1) * (column + 2) / 2 <= pair) ++column;
      while (column * (column + 1) / 2 > pair) --column;
      const std::int64_t row = pair - column * (column + 1) / 2;
      fill_tile(features, static_cast<Index>(row * kTile), static_cast<Index>(column * kTile),
                tiles[worker]);
    });
  }

  /// Two blocks of features as floats, and their products before they are mirrored.
  struct Tiles {
    std::vector<float> rows;
    std::vector<float> columns;
  };

  static void to_floats(const DenseMatrix& features, Index first, Index count,
                        std::vector<float>& floats) {
    const auto n = static_cast<std::size_t>(features.n_samples());
    const double* from = features.column(first).data();
    floats.resize(n * static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < floats.size(); ++i) floats[i] = static_cast<float>(from[i]);
  }

  void fill_tile(const DenseMatrix& features, Index row, Index column, Tiles& tiles) {
    const Index n_rows = std::min(kTile, features.n_features() - row);
    const Index n_columns = std::min(kTile, features.n_features() - column);
    to_floats(features, row, n_rows, tiles.rows);
    to_floats(features, column, n_columns, tiles.columns);
    float* tile = gram_.get() + static_cast<std::size_t>(column) * d_ + row;
    cblas_sgemm(CblasColMajor, CblasTrans, CblasNoTrans, n_rows, n_columns, features.n_samples(),
                1.0F, tiles.rows.data(), features.n_samples(), tiles.columns.data(),
                features.n_samples(), 0.0F, tile, static_cast<blasint>(d_));
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
  std::unique_ptr<float[]> gram_;
};

}  // namespace

std::unique_ptr<CandidateFinder> make_gram_finder(const UnitFeatures& features,
                                                  const RunContext& run, std::vector<Run> near) {
  return std::make_unique<ProductFinder<GramProducts>>(
      GramProducts(features, run), features.n_features(), worker_count(run), std::move(near));
}

}  // namespace sfg::detail
