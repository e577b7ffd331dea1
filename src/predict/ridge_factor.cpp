#include "predict/ridge_factor.hpp"

#include <cblas.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/memory.hpp"
#include "core/symmetric_eigen.hpp"
#include "core/threads.hpp"
#include "normalise/products.hpp"
#include "sfg/error.hpp"

namespace sfg::detail {

namespace {

/// Columns of Z Z' that one worker fills, and features that are added to them at once. Fixed, so
/// that sums do not depend on the number of workers.
constexpr std::size_t kPanel = 128;
constexpr std::size_t kAddedAtOnce = 512;
/// Eigenvalues below this share of the largest are rounding: their vectors would be noise.
constexpr double kSmallestEigenvalue = 1e-13;

SymmetricEigen decompose(DenseMatrix matrix) {
  const Index size = matrix.n_samples();
  auto found = symmetric_eigen(std::move(matrix), Eigenvalues::largest, size);
  if (!found) throw Error(ErrorCode::internal, "LAPACK found no eigenvectors of a ridge matrix");
  return std::move(*found);
}

/// Sparse columns cost the square of their entries, full ones half the square of the samples, by
/// BLAS and all threads.
bool is_faster_by_entries(const UnitFeatures& features, std::span<const Index> chosen) {
  constexpr double kBlasIsFasterBy = 16;
  const auto* sparse = std::get_if<SparseMatrix>(&features.matrix);
  if (sparse == nullptr) return false;
  double by_entries = 0;
  for (const Index feature : chosen) {
    const auto n_entries = static_cast<double>(sparse->column_rows(feature).size());
    by_entries += n_entries * n_entries;
  }
  const auto n = static_cast<double>(features.n_samples());
  return kBlasIsFasterBy * by_entries < static_cast<double>(chosen.size()) * n * n / 2;
}

}  // namespace

const std::vector<double>& ridge_grid() {
  static const std::vector<double> grid = [] {
    std::vector<double> ridges;
    for (int half = -12; half <= 3; ++half) ridges.push_back(std::pow(10.0, half / 2.0));
    return ridges;
  }();
  return grid;
}

void gather(const UnitFeatures& features, std::span<const Index> chosen, double* out) {
  const auto n = static_cast<std::size_t>(features.n_samples());
  for (std::size_t k = 0; k < chosen.size(); ++k) expand(features, chosen[k], out + k * n);
}

std::vector<double> sample_products(const UnitFeatures& features, std::span<const Index> chosen,
                                    const RunContext& run) {
  if (is_faster_by_entries(features, chosen)) return outer_products(features, chosen);
  const SingleThreadedBlas single_threaded;
  const auto n = static_cast<std::size_t>(features.n_samples());
  std::vector<double> sums(n * n, 0.0);
  const std::size_t n_panels = (n + kPanel - 1) / kPanel;
  std::vector<std::vector<double>> spaces(static_cast<std::size_t>(worker_count(run)));
  parallel_for_workers(
      run, {}, static_cast<std::int64_t>(n_panels), [&](std::int64_t item, int worker) {
        auto& columns = spaces[worker];
        columns.resize(n * std::min(kAddedAtOnce, chosen.size()));
        const std::size_t first = static_cast<std::size_t>(item) * kPanel;
        const std::size_t width = std::min(kPanel, n - first);
        for (std::size_t start = 0; start < chosen.size(); start += kAddedAtOnce) {
          const auto some = chosen.subspan(start, std::min(kAddedAtOnce, chosen.size() - start));
          gather(features, some, columns.data());
          // The triangle at and below the panel's diagonal is enough.
          cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, as_int(n - first), as_int(width),
                      as_int(some.size()), 1.0, columns.data() + first, as_int(n),
                      columns.data() + first, as_int(n), 1.0, sums.data() + first * n + first,
                      as_int(n));
        }
      });
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = j + 1; i < n; ++i) sums[i * n + j] = sums[j * n + i];
  }
  return sums;
}

RidgeFactor::RidgeFactor(const UnitFeatures& features, std::span<const Index> predictors,
                         const RunContext& run)
    : n_(static_cast<std::size_t>(features.n_samples())) {
  const std::size_t side = std::min(n_, predictors.size());
  // The matrix, a copy that LAPACK uses up, the vectors and the columns.
  require_memory(8.0 * static_cast<double>(side) * static_cast<double>(3 * side + 2 * n_), run,
                 fmt::format("ridge regression over {} samples", n_), "raise {memory_limit}");
  if (predictors.size() < n_) {
    from_predictors(features, predictors, run);
  } else {
    from_samples(features, predictors, run);
  }
}

void RidgeFactor::from_samples(const UnitFeatures& features, std::span<const Index> predictors,
                               const RunContext& run) {
  const auto size = static_cast<Index>(n_);
  SymmetricEigen eigen =
      decompose(DenseMatrix(size, size, sample_products(features, predictors, run)));
  values_ = std::move(eigen.values);
  for (double& value : values_) value = std::max(value, 0.0);
  vectors_.assign(eigen.vectors.data(), eigen.vectors.data() + n_ * n_);
  is_complete_ = true;
}

/// Z'Z = V w V'  =>  U = Z V / sqrt(w), for the w that are more than rounding.
void RidgeFactor::from_predictors(const UnitFeatures& features, std::span<const Index> predictors,
                                  const RunContext&) {
  const SingleThreadedBlas single_threaded;
  const std::size_t m = predictors.size();
  if (m == 0) return;
  std::vector<double> columns(n_ * m);
  gather(features, predictors, columns.data());
  DenseMatrix gram(static_cast<Index>(m), static_cast<Index>(m));
  cblas_dsyrk(CblasColMajor, CblasUpper, CblasTrans, as_int(m), as_int(n_), 1.0, columns.data(),
              as_int(n_), 0.0, gram.data(), as_int(m));
  const SymmetricEigen eigen = decompose(std::move(gram));
  const double smallest = kSmallestEigenvalue * std::max(eigen.values.back(), 0.0);
  const auto first = static_cast<std::size_t>(std::ranges::upper_bound(eigen.values, smallest) -
                                              eigen.values.begin());
  values_.assign(eigen.values.begin() + static_cast<std::ptrdiff_t>(first), eigen.values.end());
  std::vector<double> scaled(eigen.vectors.data() + first * m, eigen.vectors.data() + m * m);
  for (std::size_t l = 0; l < values_.size(); ++l) {
    const double factor = 1 / std::sqrt(values_[l]);
    for (std::size_t j = 0; j < m; ++j) scaled[l * m + j] *= factor;
  }
  vectors_.resize(n_ * values_.size());
  cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, as_int(n_), as_int(values_.size()),
              as_int(m), 1.0, columns.data(), as_int(n_), scaled.data(), as_int(m), 0.0,
              vectors_.data(), as_int(n_));
}

void RidgeFactor::project(const double* targets, std::size_t count, double* projected) const {
  if (rank() == 0) return;
  cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, as_int(rank()), as_int(count), as_int(n_),
              1.0, vectors_.data(), as_int(n_), targets, as_int(n_), 0.0, projected,
              as_int(rank()));
}

void RidgeFactor::apply(double ridge, const double* targets, const double* projected,
                        std::size_t count, double* scaled, double* out) const {
  const double rest = is_complete_ ? 0.0 : 1 / ridge;
  for (std::size_t t = 0; t < count; ++t) {
    for (std::size_t l = 0; l < rank(); ++l) {
      scaled[t * rank() + l] = projected[t * rank() + l] * (1 / (values_[l] + ridge) - rest);
    }
  }
  if (rest != 0) std::copy_n(targets, n_ * count, out);
  if (rank() == 0) {
    for (std::size_t k = 0; k < n_ * count; ++k) out[k] *= rest;
    return;
  }
  cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, as_int(n_), as_int(count), as_int(rank()),
              1.0, vectors_.data(), as_int(n_), scaled, as_int(rank()), rest, out, as_int(n_));
}

std::vector<double> RidgeFactor::inverse(double ridge) const {
  const double rest = is_complete_ ? 0.0 : 1 / ridge;
  std::vector<double> result(n_ * n_, 0.0);
  for (std::size_t k = 0; k < n_; ++k) result[k * n_ + k] = rest;
  if (rank() == 0) return result;
  std::vector<double> weighted(n_ * rank());
  for (std::size_t l = 0; l < rank(); ++l) {
    const double weight = 1 / (values_[l] + ridge) - rest;
    for (std::size_t k = 0; k < n_; ++k) weighted[l * n_ + k] = weight * vectors_[l * n_ + k];
  }
  cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, as_int(n_), as_int(n_), as_int(rank()), 1.0,
              weighted.data(), as_int(n_), vectors_.data(), as_int(n_), 1.0, result.data(),
              as_int(n_));
  return result;
}

std::vector<double> RidgeFactor::diagonal(double ridge) const {
  const double rest = is_complete_ ? 0.0 : 1 / ridge;
  std::vector<double> result(n_, rest - 1 / (static_cast<double>(n_) * ridge));
  for (std::size_t l = 0; l < rank(); ++l) {
    const double weight = 1 / (values_[l] + ridge) - rest;
    const double* vector = vectors_.data() + l * n_;
    for (std::size_t k = 0; k < n_; ++k) result[k] += weight * vector[k] * vector[k];
  }
  return result;
}

}  // namespace sfg::detail
