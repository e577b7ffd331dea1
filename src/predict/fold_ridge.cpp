#include "predict/fold_ridge.hpp"

#include <cblas.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/kernels.hpp"
#include "core/lapack.hpp"
#include "core/symmetric_eigen.hpp"
#include "core/threads.hpp"
#include "predict/ridge_factor.hpp"
#include "sfg/error.hpp"

namespace sfg::detail {

namespace {

/// Targets that one worker predicts together.
constexpr std::size_t kPredictedTogether = 64;
/// Eigenvalues below this share of the largest are rounding.
constexpr double kSmallestTrainingEigenvalue = 1e-12;

/// out (rows x columns) = a (rows x inner) b (inner x columns).
void multiply(std::size_t rows, std::size_t columns, std::size_t inner, const double* a,
              const double* b, double* out) {
  if (rows == 0 || columns == 0) return;
  if (inner == 0) {
    std::fill_n(out, rows * columns, 0.0);
    return;
  }
  cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, as_int(rows), as_int(columns),
              as_int(inner), 1.0, a, as_int(rows), b, as_int(inner), 0.0, out, as_int(rows));
}

/// out (columns_a x columns_b) = a' b over `rows`.
void multiply_transposed(std::size_t rows, std::size_t columns_a, std::size_t columns_b,
                         const double* a, const double* b, double* out) {
  if (columns_a == 0 || columns_b == 0) return;
  cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, as_int(columns_a), as_int(columns_b),
              as_int(rows), 1.0, a, as_int(rows), b, as_int(rows), 0.0, out, as_int(columns_a));
}

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

/// A fit of the nearest alone that leaves no more than this share of the training samples'
/// variation, with several times more samples than terms, is an exact relation: a ridge that suits
/// all targets would only shrink it.
constexpr double kExactTrainingRest = 1e-3;
constexpr std::size_t kSamplesPerTerm = 4;
constexpr double kExactRidge = 1e-6;

/// Solves (I/weight + gram) x = right; x into `right`. Not solvable: x = 0, the plain prediction.
void solve_weighted(std::size_t count, double weight, std::vector<double> gram, double* right) {
  for (std::size_t k = 0; k < count; ++k) gram[k * count + k] += 1 / weight;
  const int size = as_int(count);
  const int one = 1;
  int info = 0;
  dposv_("U", &size, &one, gram.data(), &size, right, &size, &info);
  if (info != 0) std::fill_n(right, count, 0.0);
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

/// The kept features that are near to some target.
struct FoldRidge::NearColumns {
  std::vector<Index> place_of;    ///< by kept feature; -1: near to none
  std::size_t count = 0;          ///< of those near to some
  std::vector<double> projected;  ///< a_k, rank x count
  std::vector<double> held;       ///< A_k(held), held x count
};

/// What one ridge makes of them.
struct FoldRidge::Weighted {
  double ridge = 0;
  std::vector<double> projected;   ///< c * a_k
  std::vector<double> difference;  ///< A_k(held) - W (c * a_k)
};

struct FoldRidge::Workspace {
  std::vector<double> values, projected, weighted, plain, gram, right, solution, error;
};

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

FoldRidge::NearColumns FoldRidge::near_columns(std::span<const Target> targets) const {
  NearColumns near;
  near.place_of.assign(kept_.n_kept(), -1);
  for (const Target& target : targets) {
    for (const Index k : target.nearest) near.place_of[k] = 0;
  }
  for (Index& place : near.place_of) {
    if (place == 0) place = static_cast<Index>(near.count++);
  }
  const std::size_t rank = values_.size();
  near.projected.resize(rank * near.count);
  near.held.resize(n_held_ * near.count);
  std::vector<double> columns(n_ * near.count);
  std::vector<double> samples;
  for (std::size_t k = 0; k < near.place_of.size(); ++k) {
    if (near.place_of[k] < 0) continue;
    const auto place = static_cast<std::size_t>(near.place_of[k]);
    double* column = columns.data() + place * n_;
    centre(k, samples, column);
    std::copy(column + begin_, column + end_, near.held.data() + place * n_held_);
  }
  multiply_transposed(n_, rank, near.count, vectors_.data(), columns.data(), near.projected.data());
  return near;
}

FoldRidge::Weighted FoldRidge::weigh(const NearColumns& near, double ridge) const {
  const std::size_t rank = values_.size();
  Weighted weighted;
  weighted.ridge = ridge;
  weighted.projected.resize(rank * near.count);
  for (std::size_t k = 0; k < near.count; ++k) {
    for (std::size_t l = 0; l < rank; ++l) {
      weighted.projected[k * rank + l] = near.projected[k * rank + l] / (values_[l] + ridge);
    }
  }
  weighted.difference.resize(n_held_ * near.count);
  multiply(n_held_, near.count, rank, held_.data(), weighted.projected.data(),
           weighted.difference.data());
  for (std::size_t i = 0; i < weighted.difference.size(); ++i) {
    weighted.difference[i] = near.held[i] - weighted.difference[i];
  }
  return weighted;
}

void FoldRidge::add_errors(std::span<const Target> targets, std::span<const RidgeChoice> choices,
                           const RunContext& run, std::span<double> errors,
                           std::span<double> totals) const {
  const SingleThreadedBlas single_threaded;
  for (std::size_t t = 0; t < targets.size(); ++t) {
    const double* values = targets[t].values;
    const double mean = training_mean(values);
    for (std::size_t i = begin_; i < end_; ++i) {
      totals[t] += (values[i] - mean) * (values[i] - mean);
    }
  }
  const NearColumns near = near_columns(targets);
  std::vector<Workspace> spaces(static_cast<std::size_t>(worker_count(run)));
  const std::size_t n_tiles = (targets.size() + kPredictedTogether - 1) / kPredictedTogether;
  for (std::size_t first = 0; first < choices.size();) {
    const double ridge = choices[first].ridge;
    std::size_t last = first;
    while (last < choices.size() && choices[last].ridge == ridge) ++last;
    const Weighted weighted = weigh(near, ridge);
    parallel_for_workers(
        run, {}, static_cast<std::int64_t>(n_tiles), [&](std::int64_t item, int worker) {
          const std::size_t start = static_cast<std::size_t>(item) * kPredictedTogether;
          const std::size_t count = std::min(kPredictedTogether, targets.size() - start);
          std::vector<double*> rows;
          for (std::size_t c = first; c < last; ++c) {
            rows.push_back(errors.data() + c * targets.size() + start);
          }
          add_tile(targets.subspan(start, count), choices.subspan(first, last - first), near,
                   weighted, spaces[worker], rows.data());
        });
    first = last;
  }
}

/// Least squares on the nearest alone, into `solution`: |t - A x|^2 = t't - 2 x'A't + x'A'A x over
/// the training samples.
bool FoldRidge::fits_exactly(std::size_t t, std::span<const Index> nearest, const NearColumns& near,
                             Workspace& space) const {
  const std::size_t count = nearest.size();
  const std::size_t rank = values_.size();
  if (count == 0 || kSamplesPerTerm * count > n_ - n_held_) return false;
  std::vector<double> gram(count * count);
  std::vector<double> right(count);
  const auto own = [&](std::size_t j) {
    return near.projected.data() + static_cast<std::size_t>(near.place_of[nearest[j]]) * rank;
  };
  for (std::size_t j = 0; j < count; ++j) {
    right[j] = dot(own(j), space.projected.data() + t * rank, rank);
    for (std::size_t k = 0; k < count; ++k) gram[j * count + k] = dot(own(j), own(k), rank);
  }
  space.solution = right;
  solve_weighted(count, 1 / kExactRidge, gram, space.solution.data());
  const double* values = space.values.data() + t * n_;
  const double variation = dot(values, values, n_) - dot(values + begin_, values + begin_, n_held_);
  double rest = variation;
  for (std::size_t j = 0; j < count; ++j) {
    rest -= 2 * space.solution[j] * right[j];
    for (std::size_t k = 0; k < count; ++k) {
      rest += space.solution[j] * space.solution[k] * gram[j * count + k];
    }
  }
  return rest <= kExactTrainingRest * variation;
}

/// Targets centred on the training samples, their projections, and their plain predictions.
void FoldRidge::predict_plainly(std::span<const Target> targets, double ridge,
                                Workspace& space) const {
  const std::size_t rank = values_.size();
  space.values.resize(n_ * targets.size());
  space.projected.resize(rank * targets.size());
  space.weighted.resize(rank * targets.size());
  space.plain.resize(n_held_ * targets.size());
  for (std::size_t t = 0; t < targets.size(); ++t) {
    const double* from = targets[t].values;
    const double mean = training_mean(from);
    for (std::size_t i = 0; i < n_; ++i) space.values[t * n_ + i] = from[i] - mean;
  }
  multiply_transposed(n_, rank, targets.size(), vectors_.data(), space.values.data(),
                      space.projected.data());
  for (std::size_t t = 0; t < targets.size(); ++t) {
    for (std::size_t l = 0; l < rank; ++l) {
      space.weighted[t * rank + l] = space.projected[t * rank + l] / (values_[l] + ridge);
    }
  }
  multiply(n_held_, targets.size(), rank, held_.data(), space.weighted.data(), space.plain.data());
}

void FoldRidge::add_tile(std::span<const Target> targets, std::span<const RidgeChoice> choices,
                         const NearColumns& near, const Weighted& weighted, Workspace& space,
                         double* const* errors) const {
  const std::size_t rank = values_.size();
  predict_plainly(targets, weighted.ridge, space);
  for (std::size_t t = 0; t < targets.size(); ++t) {
    const auto nearest = targets[t].nearest;
    const std::size_t count = nearest.size();
    const auto place = [&](std::size_t j) {
      return static_cast<std::size_t>(near.place_of[nearest[j]]);
    };
    space.gram.resize(count * count);
    space.right.resize(count);
    for (std::size_t j = 0; j < count; ++j) {
      const double* own = weighted.projected.data() + place(j) * rank;
      space.right[j] = dot(own, space.projected.data() + t * rank, rank);
      for (std::size_t k = 0; k < count; ++k) {
        space.gram[j * count + k] = dot(own, near.projected.data() + place(k) * rank, rank);
      }
    }
    const double* truth = space.values.data() + t * n_ + begin_;
    if (fits_exactly(t, nearest, near, space)) {
      space.error.assign(truth, truth + n_held_);
      for (std::size_t j = 0; j < count; ++j) {
        add_multiple(-space.solution[j], near.held.data() + place(j) * n_held_, space.error.data(),
                     n_held_);
      }
      const double error = dot(space.error.data(), space.error.data(), n_held_);
      for (std::size_t c = 0; c < choices.size(); ++c) errors[c][t] += error;
      continue;
    }
    for (std::size_t c = 0; c < choices.size(); ++c) {
      space.error.assign(truth, truth + n_held_);
      add_multiple(-1, space.plain.data() + t * n_held_, space.error.data(), n_held_);
      if (choices[c].weight > 0 && count > 0) {
        space.solution = space.right;
        solve_weighted(count, choices[c].weight, space.gram, space.solution.data());
        for (std::size_t j = 0; j < count; ++j) {
          add_multiple(-space.solution[j], weighted.difference.data() + place(j) * n_held_,
                       space.error.data(), n_held_);
        }
      }
      errors[c][t] += dot(space.error.data(), space.error.data(), n_held_);
    }
  }
}

}  // namespace sfg::detail
