#include "predict/fold_ridge.hpp"

#include <cblas.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/kernels.hpp"
#include "core/lapack.hpp"
#include "core/symmetric_eigen.hpp"
#include "core/threads.hpp"
#include "predict/products_of_columns.hpp"
#include "predict/ridge_factor.hpp"
#include "sfg/error.hpp"

namespace sfg::detail {

namespace {

/// Eigenvalues below this share of the largest are rounding.
constexpr double kSmallestTrainingEigenvalue = 1e-12;

/// The eigenvectors that are more than rounding, largest last.
SymmetricEigen leading_eigen(DenseMatrix matrix) {
  const Index size = matrix.n_samples();
  auto found = symmetric_eigen(std::move(matrix), Eigenvalues::largest, size);
  if (!found) throw Error(ErrorCode::internal, "LAPACK found no eigenvectors of a training fold");
  const double smallest = kSmallestTrainingEigenvalue * std::max(found->values.back(), 0.0);
  const auto first = std::ranges::upper_bound(found->values, smallest) - found->values.begin();
  const auto rank = size - static_cast<Index>(first);
  SymmetricEigen leading;
  leading.values.assign(found->values.begin() + first, found->values.end());
  leading.vectors = DenseMatrix(size, rank);
  if (rank > 0) {
    std::copy_n(found->vectors.column(static_cast<Index>(first)).data(),
                static_cast<std::size_t>(size) * static_cast<std::size_t>(rank),
                leading.vectors.data());
  }
  return leading;
}

}  // namespace

KeptByPlace::KeptByPlace(const UnitFeatures& centred, std::span<const Index> kept,
                         const SampleFolds& folds, const RunContext& run)
    : centred_(centred), kept_(kept), folds_(folds) {
  if (n_kept() < n()) return;
  const std::vector<double> by_sample = sample_products(centred, kept, run);
  products_.resize(n() * n());
  for (std::size_t j = 0; j < n(); ++j) {
    const std::size_t sample = folds.sample_at(j);
    for (std::size_t i = 0; i < n(); ++i) {
      products_[j * n() + i] = by_sample[sample * n() + folds.sample_at(i)];
    }
  }
}

FoldRidge::FoldRidge(const KeptByPlace& kept, const SampleFolds& folds, std::size_t fold)
    : kept_(kept),
      n_(kept.n()),
      begin_(folds.begin(fold)),
      end_(folds.end(fold)),
      n_held_(end_ - begin_) {
  const SingleThreadedBlas single_threaded;
  if (kept.products().empty()) {
    factorise_kept();
  } else {
    factorise_samples();
  }
}

double FoldRidge::training_mean(const double* values) const {
  const double before = std::accumulate(values, values + begin_, 0.0);
  return std::accumulate(values + end_, values + n_, before) / static_cast<double>(n_ - n_held_);
}

void FoldRidge::centre(std::size_t k, std::vector<double>& samples, double* out) const {
  kept_.expand(k, samples, out);
  const double mean = training_mean(out);
  for (std::size_t i = 0; i < n_; ++i) out[i] -= mean;
}

/// From K over the training samples: products over all samples, centred on the training ones:
///   K_ij = G_ij - mean_l G_il - mean_l G_lj + mean_ll' G_ll', l and l' in training.
void FoldRidge::factorise_samples() {
  const std::vector<double>& products = kept_.products();
  const std::size_t n_training = n_ - n_held_;
  std::vector<double> means(n_);
  for (std::size_t i = 0; i < n_; ++i) means[i] = training_mean(products.data() + i * n_);
  const double mean = training_mean(means.data());
  const auto centred = [&](std::size_t i, std::size_t j) {
    return products[i * n_ + j] - means[i] - means[j] + mean;
  };
  const auto place = [&](std::size_t k) { return k < begin_ ? k : k + n_held_; };
  DenseMatrix kernel(static_cast<Index>(n_training), static_cast<Index>(n_training));
  for (std::size_t j = 0; j < n_training; ++j) {
    for (std::size_t i = 0; i < n_training; ++i) {
      kernel.data()[j * n_training + i] = centred(place(i), place(j));
    }
  }
  const SymmetricEigen eigen = leading_eigen(std::move(kernel));
  values_ = eigen.values;
  const std::size_t rank = values_.size();
  vectors_.assign(n_ * rank, 0.0);
  for (std::size_t l = 0; l < rank; ++l) {
    for (std::size_t k = 0; k < n_training; ++k) {
      vectors_[l * n_ + place(k)] = eigen.vectors.data()[l * n_training + k];
    }
  }
  std::vector<double> across(n_held_ * n_);
  for (std::size_t j = 0; j < n_; ++j) {
    for (std::size_t i = 0; i < n_held_; ++i) across[j * n_held_ + i] = centred(begin_ + i, j);
  }
  held_.resize(n_held_ * rank);
  multiply(n_held_, rank, n_, across.data(), vectors_.data(), held_.data());
}

/// From A'A over the kept features, where they are fewer: A'A = V diag(w) V', U = A V / sqrt(w), so
/// that W = A(held) V sqrt(w).
void FoldRidge::factorise_kept() {
  const std::size_t m = kept_.n_kept();
  std::vector<double> training(n_ * m);
  std::vector<double> held(n_held_ * m);
  std::vector<double> samples;
  for (std::size_t k = 0; k < m; ++k) {
    double* column = training.data() + k * n_;
    centre(k, samples, column);
    std::copy(column + begin_, column + end_, held.data() + k * n_held_);
    std::fill(column + begin_, column + end_, 0.0);
  }
  DenseMatrix gram(static_cast<Index>(m), static_cast<Index>(m));
  cblas_dsyrk(CblasColMajor, CblasUpper, CblasTrans, as_int(m), as_int(n_), 1.0, training.data(),
              as_int(n_), 0.0, gram.data(), as_int(m));
  const SymmetricEigen eigen = leading_eigen(std::move(gram));
  values_ = eigen.values;
  const std::size_t rank = values_.size();
  vectors_.resize(n_ * rank);
  multiply(n_, rank, m, training.data(), eigen.vectors.data(), vectors_.data());
  held_.resize(n_held_ * rank);
  multiply(n_held_, rank, m, held.data(), eigen.vectors.data(), held_.data());
  for (std::size_t l = 0; l < rank; ++l) {
    const double root = std::sqrt(values_[l]);
    for (std::size_t i = 0; i < n_; ++i) vectors_[l * n_ + i] /= root;
    for (std::size_t i = 0; i < n_held_; ++i) held_[l * n_held_ + i] *= root;
  }
}

}  // namespace sfg::detail
