// Ridge by the products K of all samples. With A = K + lambda I and
//   B = A^-1 - A^-1 1 1' A^-1 / (1' A^-1 1),   b = B y
// (the intercept is free), for a part f of the samples and t the others:
//   y_f - prediction_f = B_ff^-1 b_f,   fitted on t alone;
//   B_tt - B_tf B_ff^-1 B_ft is the B of t alone, b_t - B_tf B_ff^-1 b_f its b;
//   leaving sample k of t out as well, the error is b_k / B_kk of these.
// So one inverse for each ridge serves all folds, and what is left out inside of them.
#include <cblas.h>

#include <algorithm>
#include <limits>

#include "core/lapack.hpp"
#include "core/threads.hpp"
#include "score/linear_classifier.hpp"
#include "sfg/error.hpp"

namespace sfg::detail {

namespace {

void require_success(int info) {
  if (info != 0) throw Error(ErrorCode::internal, "K + lambda I was not positive definite");
}

/// B of all samples, both triangles.
DenseMatrix residual_maker(const DenseMatrix& products, double ridge) {
  const int m = products.n_samples();
  DenseMatrix b = products;
  b.own();
  for (Index i = 0; i < m; ++i) b(i, i) += ridge;
  int info = 0;
  dpotrf_("L", &m, b.data(), &m, &info);
  if (info == 0) dpotri_("L", &m, b.data(), &m, &info);
  require_success(info);
  std::vector<double> sums(static_cast<std::size_t>(m), 0.0);
  for (Index j = 0; j < m; ++j) {
    for (Index i = 0; i < m; ++i) {
      if (i < j) b(i, j) = b(j, i);
      sums[i] += b(i, j);
    }
  }
  double total = 0;
  for (const double sum : sums) total += sum;
  for (Index j = 0; j < m; ++j) {
    for (Index i = 0; i < m; ++i) b(i, j) -= sums[i] * sums[j] / total;
  }
  return b;
}

DenseMatrix block_of(const DenseMatrix& matrix, std::span<const Index> rows,
                     std::span<const Index> columns) {
  DenseMatrix block(static_cast<Index>(rows.size()), static_cast<Index>(columns.size()));
  for (std::size_t j = 0; j < columns.size(); ++j) {
    const auto from = matrix.column(columns[j]);
    const auto to = block.column(static_cast<Index>(j));
    for (std::size_t i = 0; i < rows.size(); ++i) to[i] = from[rows[i]];
  }
  return block;
}

std::vector<Index> all_columns(const DenseMatrix& matrix) {
  std::vector<Index> all;
  for (Index k = 0; k < matrix.n_features(); ++k) all.push_back(k);
  return all;
}

/// Solves L x = b, in place of b.
void solve_triangle(const DenseMatrix& triangle, const char* transposed, DenseMatrix& b) {
  const int n = triangle.n_samples();
  const int n_right = b.n_features();
  int info = 0;
  dtrtrs_("L", transposed, "N", &n, &n_right, triangle.data(), &n, b.data(), &n, &info);
  require_success(info);
}

/// What one ridge reaches in one fold.
struct FoldOfRidge {
  double error = 0;         ///< sum of squares, leaving one training sample out
  DenseMatrix predictions;  ///< of the samples held out, by class
};

FoldOfRidge fold_of_ridge(const DenseMatrix& maker, const DenseMatrix& residuals,
                          const DenseMatrix& targets, const FoldParts& parts) {
  const auto& [held_out, training] = parts;
  const std::vector<Index> classes = all_columns(targets);
  // With B_ff = L L': w = L^-1 b_f, G = L^-1 B_ft.
  DenseMatrix triangle = block_of(maker, held_out, held_out);
  const int size = triangle.n_samples();
  int info = 0;
  dpotrf_("L", &size, triangle.data(), &size, &info);
  require_success(info);
  DenseMatrix w = block_of(residuals, held_out, classes);
  solve_triangle(triangle, "N", w);
  DenseMatrix g = block_of(maker, held_out, training);
  solve_triangle(triangle, "N", g);
  DenseMatrix rest = block_of(residuals, training, classes);
  const int n_training = rest.n_samples();
  const int n_classes = rest.n_features();
  cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, n_training, n_classes, size, -1.0, g.data(),
              size, w.data(), size, 1.0, rest.data(), n_training);
  FoldOfRidge result;
  for (Index k = 0; k < n_training; ++k) {
    double diagonal = maker(training[k], training[k]);
    for (const double entry : g.column(k)) diagonal -= entry * entry;
    for (Index c = 0; c < n_classes; ++c) {
      const double error = rest(k, c) / diagonal;
      result.error += error * error;
    }
  }
  solve_triangle(triangle, "T", w);
  result.predictions = block_of(targets, held_out, classes);
  for (Index c = 0; c < n_classes; ++c) {
    for (Index i = 0; i < size; ++i) result.predictions(i, c) -= w(i, c);
  }
  return result;
}

/// All folds with one ridge.
std::vector<FoldOfRidge> folds_of_ridge(const DenseMatrix& products, double ridge,
                                        const DenseMatrix& targets, const ClassFolds& folds) {
  const DenseMatrix maker = residual_maker(products, ridge);
  const int m = products.n_samples();
  DenseMatrix residuals(m, targets.n_features());
  cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, m, targets.n_features(), m, 1.0,
              maker.data(), m, targets.data(), m, 0.0, residuals.data(), m);
  std::vector<FoldOfRidge> found;
  for (int fold = 0; fold < folds.n_folds; ++fold) {
    found.push_back(fold_of_ridge(maker, residuals, targets, parts_of(folds, fold)));
  }
  return found;
}

}  // namespace

std::vector<Index> linear_by_samples(const DenseMatrix& products, const ClassFolds& folds,
                                     const RunContext& run) {
  const SingleThreadedBlas single_threaded;
  const DenseMatrix targets = class_targets(folds);
  double square = 0;
  for (Index i = 0; i < products.n_samples(); ++i) square += products(i, i);
  const std::vector<double> ridges = ridges_to_try(square / products.n_samples());
  std::vector<std::vector<FoldOfRidge>> found(ridges.size());
  parallel_for(run, {}, static_cast<std::int64_t>(ridges.size()), [&](std::int64_t k) {
    found[k] = folds_of_ridge(products, ridges[k], targets, folds);
  });
  std::vector<Index> predicted(folds.samples.size());
  for (int fold = 0; fold < folds.n_folds; ++fold) {
    const auto best = std::ranges::min_element(
        found, {}, [&](const std::vector<FoldOfRidge>& one) { return one[fold].error; });
    const auto held_out = parts_of(folds, fold).held_out;
    for (std::size_t i = 0; i < held_out.size(); ++i) {
      predicted[held_out[i]] = largest_of_row((*best)[fold].predictions, static_cast<Index>(i));
    }
  }
  return predicted;
}

}  // namespace sfg::detail
