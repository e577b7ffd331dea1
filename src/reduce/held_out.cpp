#include "reduce/held_out.hpp"

#include <cblas.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/kernels.hpp"
#include "core/random.hpp"
#include "core/threads.hpp"
#include "normalise/products.hpp"

// LAPACK comes with OpenBLAS, its C header does not.
extern "C" void dposv_(const char* triangle, const int* n, const int* n_right, double* a,
                       const int* leading, double* b, const int* leading_b, int* info);

namespace sfg::detail {

namespace {

/// Targets that are predicted together (fewer if there are many samples: so many values in all),
/// and kept features that are compared with them at once.
constexpr std::size_t kMostTargets = 64;
constexpr std::size_t kFewestTargets = 8;
constexpr std::size_t kMostValues = std::size_t{1} << 22;
constexpr std::size_t kKeptTile = 256;
/// A fit that leaves no more than this share of the training samples' variation, with several times
/// more samples than predictors, is an exact relation: the ridge would only shrink it.
constexpr double kExactRest = 1e-3;
constexpr double kSamplesPerPredictor = 4;
constexpr double kExactRidge = 1e-6;
/// Variation over the training samples below this share of the whole is rounding.
constexpr double kNoVariation = 1e-24;

struct Predictor {
  double score;  ///< |r| over the training samples
  Index kept;    ///< number within the kept set
};

}  // namespace

struct HeldOut::Workspace {
  std::vector<double> targets;    ///< n x tile, as they are
  std::vector<double> residuals;  ///< the same, centred over the training samples, 0 elsewhere
  std::vector<double> means;      ///< of each target over the training samples
  std::vector<double> products;
  std::vector<std::vector<Predictor>> best;  ///< by target, best first
  std::vector<double> columns;               ///< n x predictors, 0 in the test samples
  std::vector<double> test_values;  ///< the test samples' values instead, one after the other
  std::vector<double> gram;
  std::vector<double> coefficients;
};

HeldOut::HeldOut(const UnitFeatures& centred, std::span<const Index> kept,
                 const CertificateOptions& options, const Run& run)
    : centred_(centred),
      options_(options),
      kept_(select_features(centred, kept)),
      n_(static_cast<std::size_t>(centred.n_samples())),
      n_predictors_(std::min(static_cast<std::size_t>(options.n_predictors), kept.size())),
      tile_(std::clamp(kMostValues / std::max<std::size_t>(n_, 1), kFewestTargets, kMostTargets)) {
  make_folds(run.seed);
  measure_kept(run);
}

void HeldOut::make_folds(std::uint64_t seed) {
  std::vector<std::size_t> order(n_);
  std::iota(order.begin(), order.end(), std::size_t{0});
  Random random(seed);
  shuffle(order, random);
  const auto n_folds = static_cast<std::size_t>(options_.n_folds);
  folds_.resize(n_folds);
  for (auto& fold : folds_) fold.is_test.assign(n_, 0);
  for (std::size_t k = 0; k < n_; ++k) folds_[k % n_folds].is_test[order[k]] = 1;
  for (auto& fold : folds_) {
    for (std::size_t i = 0; i < n_; ++i) {
      if (fold.is_test[i] != 0) fold.test.push_back(i);
    }
    fold.n_training = static_cast<double>(n_ - fold.test.size());
  }
}

void HeldOut::measure_kept(const Run& run) {
  const auto n_kept = static_cast<std::size_t>(kept_.n_features());
  for (auto& fold : folds_) {
    fold.mean.resize(n_kept);
    fold.inverse_norm.resize(n_kept);
  }
  std::vector<std::vector<double>> columns(static_cast<std::size_t>(worker_count(run)),
                                           std::vector<double>(n_));
  parallel_for_workers(run, {}, kept_.n_features(), [&](std::int64_t item, int worker) {
    auto& column = columns[static_cast<std::size_t>(worker)];
    const auto k = static_cast<std::size_t>(item);
    expand(kept_, static_cast<Index>(item), column.data());
    for (auto& fold : folds_) {
      double sum = 0;
      for (std::size_t i = 0; i < n_; ++i) sum += fold.is_test[i] != 0 ? 0.0 : column[i];
      const double mean = sum / fold.n_training;
      double squares = 0;
      for (std::size_t i = 0; i < n_; ++i) {
        const double deviation = fold.is_test[i] != 0 ? 0.0 : column[i] - mean;
        squares += deviation * deviation;
      }
      fold.mean[k] = mean;
      fold.inverse_norm[k] = squares > kNoVariation ? 1 / std::sqrt(squares) : 0.0;
    }
  });
}

void HeldOut::fill_target(const HeldOutTarget& target, double* out) const {
  expand(centred_, target.feature, out);
  if (!target.permuted_by) return;
  Random random(*target.permuted_by);
  std::span<double> values(out, n_);
  shuffle(values, random);
}

std::vector<double> HeldOut::r2(std::span<const HeldOutTarget> targets, const Run& run) {
  const SingleThreadedBlas single_threaded;
  std::vector<double> result(targets.size());
  std::vector<Workspace> spaces(static_cast<std::size_t>(worker_count(run)));
  const std::size_t n_tiles = (targets.size() + tile_ - 1) / tile_;
  parallel_for_workers(
      run, "certify", static_cast<std::int64_t>(n_tiles), [&](std::int64_t item, int worker) {
        const std::size_t first = static_cast<std::size_t>(item) * tile_;
        const auto count = std::min(tile_, targets.size() - first);
        predict_tile(targets.subspan(first, count), spaces[static_cast<std::size_t>(worker)],
                     result.data() + first);
      });
  return result;
}

void HeldOut::predict_tile(std::span<const HeldOutTarget> targets, Workspace& space,
                           double* r2) const {
  space.targets.resize(n_ * tile_);
  space.residuals.resize(n_ * tile_);
  space.means.resize(tile_);
  for (std::size_t t = 0; t < targets.size(); ++t) {
    fill_target(targets[t], space.targets.data() + t * n_);
  }
  std::vector<double> errors(targets.size(), 0.0);
  std::vector<double> totals(targets.size(), 0.0);
  for (const Fold& fold : folds_) {
    for (std::size_t t = 0; t < targets.size(); ++t) {
      const double* target = space.targets.data() + t * n_;
      double* residual = space.residuals.data() + t * n_;
      double sum = 0;
      for (std::size_t i = 0; i < n_; ++i) sum += fold.is_test[i] != 0 ? 0.0 : target[i];
      const double mean = sum / fold.n_training;
      for (std::size_t i = 0; i < n_; ++i) {
        const double deviation = target[i] - mean;
        residual[i] = fold.is_test[i] != 0 ? 0.0 : deviation;
        totals[t] += fold.is_test[i] != 0 ? deviation * deviation : 0.0;
      }
      space.means[t] = mean;
    }
    correlate(fold, targets.size(), space);
    for (std::size_t t = 0; t < targets.size(); ++t) errors[t] += squared_error(fold, t, space);
  }
  for (std::size_t t = 0; t < targets.size(); ++t) {
    r2[t] = totals[t] > kNoVariation ? 1 - errors[t] / totals[t] : 0.0;
  }
}

/// The kept features with the largest |r| over the training samples. A residual is 0 on the others
/// and sums to 0, so that the kept features need not be centred for the product.
void HeldOut::correlate(const Fold& fold, std::size_t n_targets, Workspace& space) const {
  space.best.assign(n_targets, {});
  space.products.resize(tile_ * kKeptTile);
  const auto n_kept = static_cast<std::size_t>(kept_.n_features());
  const auto* dense = std::get_if<DenseMatrix>(&kept_.matrix);
  for (std::size_t first = 0; first < n_kept; first += kKeptTile) {
    const std::size_t count = std::min(kKeptTile, n_kept - first);
    if (dense != nullptr) {
      const auto n = static_cast<int>(n_);
      cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, static_cast<int>(count),
                  static_cast<int>(n_targets), n, 1.0,
                  dense->column(static_cast<Index>(first)).data(), n, space.residuals.data(), n,
                  0.0, space.products.data(), static_cast<int>(kKeptTile));
    } else {
      const auto& sparse = std::get<SparseMatrix>(kept_.matrix);
      for (std::size_t t = 0; t < n_targets; ++t) {
        const double* residual = space.residuals.data() + t * n_;
        for (std::size_t k = 0; k < count; ++k) {
          const auto rows = sparse.column_rows(static_cast<Index>(first + k));
          const auto values = sparse.column_values(static_cast<Index>(first + k));
          double product = 0;
          for (std::size_t e = 0; e < rows.size(); ++e) product += values[e] * residual[rows[e]];
          space.products[t * kKeptTile + k] = product;
        }
      }
    }
    for (std::size_t t = 0; t < n_targets; ++t) {
      auto& best = space.best[t];
      for (std::size_t k = 0; k < count; ++k) {
        const double score =
            std::fabs(space.products[t * kKeptTile + k]) * fold.inverse_norm[first + k];
        if (best.size() == n_predictors_ && !(score > best.back().score)) continue;
        if (best.size() == n_predictors_) best.pop_back();
        const auto place = std::ranges::upper_bound(
            best, -score, {}, [](const Predictor& other) { return -other.score; });
        best.insert(place, {score, static_cast<Index>(first + k)});
      }
    }
  }
}

/// Coefficients by ridge regression: products with the target in, coefficients out.
std::vector<double> solve_ridge(const std::vector<double>& gram, std::vector<double> products,
                                double ridge) {
  std::vector<double> matrix = gram;
  const std::size_t p = products.size();
  for (std::size_t k = 0; k < p; ++k) matrix[k * p + k] += ridge;
  const auto size = static_cast<int>(p);
  const int one = 1;
  int info = 0;
  dposv_("U", &size, &one, matrix.data(), &size, products.data(), &size, &info);
  // The ridge makes it positive definite; were it not, the mean would be the prediction.
  if (info != 0) std::ranges::fill(products, 0.0);
  return products;
}

/// The products in `coefficients` become the coefficients.
void HeldOut::fit(double n_training, double variation, Workspace& space) const {
  const std::vector<double>& products = space.coefficients;
  const std::size_t p = products.size();
  if (kSamplesPerPredictor * static_cast<double>(p) <= n_training) {
    std::vector<double> exact = solve_ridge(space.gram, products, kExactRidge);
    // |y - Zb|^2 = y'y - 2 b'Z'y + b'Z'Z b
    double rest = variation;
    for (std::size_t j = 0; j < p; ++j) {
      rest -= 2 * exact[j] * products[j];
      for (std::size_t k = 0; k < p; ++k) rest += exact[j] * exact[k] * space.gram[j * p + k];
    }
    if (rest <= kExactRest * variation) {
      space.coefficients = std::move(exact);
      return;
    }
  }
  space.coefficients = solve_ridge(space.gram, products, options_.ridge);
}

/// Fits the target's best predictors over the training samples and predicts the others.
double HeldOut::squared_error(const Fold& fold, std::size_t target, Workspace& space) const {
  const auto& best = space.best[target];
  const std::size_t p = best.size();
  space.columns.resize(n_ * p);
  space.test_values.resize(fold.test.size() * p);
  space.gram.resize(p * p);
  space.coefficients.resize(p);
  for (std::size_t k = 0; k < p; ++k) {
    double* column = space.columns.data() + k * n_;
    const auto kept = static_cast<std::size_t>(best[k].kept);
    expand(kept_, best[k].kept, column);
    for (std::size_t i = 0; i < n_; ++i) {
      column[i] = (column[i] - fold.mean[kept]) * fold.inverse_norm[kept];
    }
    for (std::size_t i = 0; i < fold.test.size(); ++i) {
      space.test_values[i * p + k] = std::exchange(column[fold.test[i]], 0.0);
    }
    space.coefficients[k] = dot(column, space.residuals.data() + target * n_, n_);
  }
  for (std::size_t j = 0; j < p; ++j) {
    for (std::size_t k = j; k < p; ++k) {
      const double product = dot(space.columns.data() + j * n_, space.columns.data() + k * n_, n_);
      space.gram[k * p + j] = product;
      space.gram[j * p + k] = product;
    }
  }
  const double* residual = space.residuals.data() + target * n_;
  fit(fold.n_training, dot(residual, residual, n_), space);
  double error = 0;
  for (std::size_t i = 0; i < fold.test.size(); ++i) {
    const double truth = space.targets[target * n_ + fold.test[i]] - space.means[target];
    const double* values = space.test_values.data() + i * p;
    const double prediction =
        std::inner_product(values, values + p, space.coefficients.begin(), 0.0);
    error += (truth - prediction) * (truth - prediction);
  }
  return error;
}

}  // namespace sfg::detail
