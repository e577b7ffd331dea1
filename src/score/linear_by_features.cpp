// Ridge by the products of the features, for fewer features than samples. In each fold, with X the
// training values, centred, X'X = V W V' and T = X V:
//   coefficients = V (W + lambda I)^-1 T'y,   h_k = 1/n + sum_l T_kl^2 / (w_l + lambda),
//   leaving sample k out, the error is (y_k - fit_k) / (1 - h_k).
#include <cblas.h>

#include <limits>

#include "core/symmetric_eigen.hpp"
#include "core/threads.hpp"
#include "score/linear_classifier.hpp"
#include "sfg/error.hpp"

namespace sfg::detail {

namespace {

/// out = left * right, or left' * right.
DenseMatrix product_of(const DenseMatrix& left, CBLAS_TRANSPOSE turned, const DenseMatrix& right) {
  const bool is_turned = turned == CblasTrans;
  const int rows = is_turned ? left.n_features() : left.n_samples();
  const int inner = is_turned ? left.n_samples() : left.n_features();
  DenseMatrix out(rows, right.n_features());
  cblas_dgemm(CblasColMajor, turned, CblasNoTrans, rows, right.n_features(), inner, 1.0,
              left.data(), left.n_samples(), right.data(), right.n_samples(), 0.0, out.data(),
              rows);
  return out;
}

DenseMatrix rows_at(const DenseMatrix& matrix, std::span<const Index> rows) {
  DenseMatrix out(static_cast<Index>(rows.size()), matrix.n_features());
  for (Index k = 0; k < matrix.n_features(); ++k) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      out(static_cast<Index>(i), k) = matrix(rows[i], k);
    }
  }
  return out;
}

/// Takes means off every column.
void subtract(const std::vector<double>& means, DenseMatrix& matrix) {
  for (Index k = 0; k < matrix.n_features(); ++k) {
    for (double& value : matrix.column(k)) value -= means[k];
  }
}

std::vector<double> column_means(const DenseMatrix& matrix) {
  std::vector<double> means;
  for (Index k = 0; k < matrix.n_features(); ++k) {
    double sum = 0;
    for (const double value : matrix.column(k)) sum += value;
    means.push_back(sum / matrix.n_samples());
  }
  return means;
}

/// One fold, turned to the principal directions of its training samples.
struct TurnedFold {
  std::vector<double> squares;  ///< w
  DenseMatrix training;         ///< T
  DenseMatrix held_out;
  DenseMatrix targets;          ///< of the training samples, centred
  std::vector<double> means;    ///< of these targets before
  DenseMatrix target_products;  ///< T'y
};

TurnedFold turn(const DenseMatrix& values, const DenseMatrix& targets, const FoldParts& parts) {
  TurnedFold fold;
  DenseMatrix training = rows_at(values, parts.training);
  DenseMatrix held_out = rows_at(values, parts.held_out);
  const auto means = column_means(training);
  subtract(means, training);
  subtract(means, held_out);
  auto eigen = symmetric_eigen(product_of(training, CblasTrans, training), Eigenvalues::smallest,
                               training.n_features());
  if (!eigen) throw Error(ErrorCode::internal, "the products of the features have no eigenvalues");
  fold.squares = std::move(eigen->values);
  for (double& square : fold.squares) square = std::max(0.0, square);
  fold.training = product_of(training, CblasNoTrans, eigen->vectors);
  fold.held_out = product_of(held_out, CblasNoTrans, eigen->vectors);
  fold.targets = rows_at(targets, parts.training);
  fold.means = column_means(fold.targets);
  subtract(fold.means, fold.targets);
  fold.target_products = product_of(fold.training, CblasTrans, fold.targets);
  return fold;
}

/// (W + lambda I)^-1 T'y
DenseMatrix coefficients_of(const TurnedFold& fold, double ridge) {
  DenseMatrix coefficients = fold.target_products;
  coefficients.own();
  for (Index c = 0; c < coefficients.n_features(); ++c) {
    for (Index l = 0; l < coefficients.n_samples(); ++l) {
      coefficients(l, c) /= fold.squares[l] + ridge;
    }
  }
  return coefficients;
}

/// Sum of squared errors, leaving one training sample out.
double left_out_error(const TurnedFold& fold, double ridge) {
  const DenseMatrix fits = product_of(fold.training, CblasNoTrans, coefficients_of(fold, ridge));
  const Index n = fits.n_samples();
  std::vector<double> leverage(static_cast<std::size_t>(n), 1.0 / n);
  for (Index l = 0; l < fold.training.n_features(); ++l) {
    const auto column = fold.training.column(l);
    for (std::size_t k = 0; k < column.size(); ++k) {
      leverage[k] += column[k] * column[k] / (fold.squares[l] + ridge);
    }
  }
  double sum = 0;
  for (Index c = 0; c < fits.n_features(); ++c) {
    for (Index k = 0; k < n; ++k) {
      const double error = (fold.targets(k, c) - fits(k, c)) / (1 - leverage[k]);
      sum += error * error;
    }
  }
  return sum;
}

}  // namespace

std::vector<Index> linear_by_features(const DenseMatrix& values, const ClassFolds& folds,
                                      const RunContext& run) {
  const SingleThreadedBlas single_threaded;
  const DenseMatrix targets = class_targets(folds);
  double square = 0;
  for (Index k = 0; k < values.n_features(); ++k) {
    for (const double value : values.column(k)) square += value * value;
  }
  const std::vector<double> ridges = ridges_to_try(square / values.n_samples());
  std::vector<Index> predicted(folds.samples.size());
  parallel_for(run, {}, folds.n_folds, [&](std::int64_t number) {
    const FoldParts parts = parts_of(folds, static_cast<int>(number));
    const TurnedFold fold = turn(values, targets, parts);
    double best = 0;
    double lowest = std::numeric_limits<double>::infinity();
    for (const double ridge : ridges) {
      const double error = left_out_error(fold, ridge);
      if (error < lowest) {
        lowest = error;
        best = ridge;
      }
    }
    DenseMatrix predictions = product_of(fold.held_out, CblasNoTrans, coefficients_of(fold, best));
    for (Index c = 0; c < predictions.n_features(); ++c) {
      for (double& value : predictions.column(c)) value += fold.means[c];
    }
    for (std::size_t i = 0; i < parts.held_out.size(); ++i) {
      predicted[parts.held_out[i]] = largest_of_row(predictions, static_cast<Index>(i));
    }
  });
  return predicted;
}

}  // namespace sfg::detail
