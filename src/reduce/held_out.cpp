#include "reduce/held_out.hpp"

#include <cblas.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/kernels.hpp"
#include "core/lapack.hpp"
#include "core/random.hpp"
#include "core/threads.hpp"
#include "normalise/products.hpp"

namespace sfg::detail {

/// A kept feature that predicts a target.
struct Predictor {
  double score;  ///< |r| over the training samples
  Index kept;    ///< number within the kept set
};

namespace {

/// Targets that are predicted together (fewer if there are many samples: so many values in all),
/// and kept features that are compared with them at once (in all folds together: their products
/// stay in the second-level cache).
constexpr std::size_t kMostTargets = 64;
constexpr std::size_t kFewestTargets = 8;
constexpr std::size_t kMostValues = std::size_t{1} << 22;
constexpr std::size_t kMostKept = 128;
constexpr std::size_t kFewestKept = 16;
constexpr std::size_t kKeptOfAllFolds = 640;
/// A fit that leaves no more than this share of the training samples' variation, with several times
/// more samples than predictors, is an exact relation: the ridge would only shrink it.
constexpr double kExactRest = 1e-3;
constexpr double kSamplesPerPredictor = 4;
constexpr double kExactRidge = 1e-6;
/// Variation over the samples of a fold below this share of the whole is rounding.
constexpr double kNoVariation = 1e-24;
/// A kept feature of less variation over the training samples than this predicts nothing: rounding
/// of products (1e-16), divided by its length there (1e-6), must not look like correlation.
constexpr double kNoTrainingVariation = 1e-12;

/// Correlations closer than this are a tie, and the lowest index wins: counts of words have many.
constexpr double kPredictorTie = 1e-9;

/// Products of kept features with a target, and the target's mean over the training samples.
struct TargetProducts {
  const double* all;
  const double* fold;
  double mean;
};

/// r (times the target's length) of each kept feature with the target over the training samples.
void score_training(const double* stored_sum, const double* inverse_norm,
                    const TargetProducts& products, std::size_t count, double* scores) noexcept {
  for (std::size_t k = 0; k < count; ++k) {
    scores[k] =
        (products.all[k] - products.fold[k] - products.mean * stored_sum[k]) * inverse_norm[k];
  }
}

/// Brings the best of the scores of kept features `first`, first + 1, ... into a list of the best.
void take_best(std::span<const double> scores, Index first, std::size_t most,
               std::vector<Predictor>& best) {
  const auto beaten_by = [](double score) {
    return [score](const Predictor& other) { return other.score < score - kPredictorTie; };
  };
  // Once the list is full hardly any score gets in.
  if (best.size() == most && !beaten_by(max_abs(scores.data(), scores.size()))(best.back())) return;
  for (std::size_t k = 0; k < scores.size(); ++k) {
    const double score = std::fabs(scores[k]);
    if (best.size() == most) {
      if (!beaten_by(score)(best.back())) continue;
      best.pop_back();
    }
    best.insert(std::ranges::find_if(best, beaten_by(score)),
                {score, first + static_cast<Index>(k)});
  }
}

}  // namespace

struct HeldOut::Workspace {
  std::vector<double> values;    ///< of one feature, by sample
  std::vector<double> targets;   ///< n x tile, by place
  std::vector<double> residual;  ///< one, centred over the training samples, 0 elsewhere
  std::vector<double> means;     ///< fold x tile: of each target over the training samples
  std::vector<double> products;  ///< fold x tile x kept tile: over the samples of the fold
  std::vector<double> by_fold;   ///< such products of one pair
  std::vector<double> total;     ///< kept tile: over all samples
  std::vector<double> scores;    ///< kept tile
  std::vector<std::vector<Predictor>> best;  ///< fold x tile, best first
  std::vector<double> columns;               ///< n x predictors, 0 in the test samples
  std::vector<double> test_values;  ///< the test samples' values instead, one after the other
  std::vector<double> gram;
  std::vector<double> coefficients;
};

HeldOut::HeldOut(const UnitFeatures& centred, std::span<const Index> kept,
                 const CertificateOptions& options, const RunContext& run)
    : centred_(centred),
      options_(options),
      n_(static_cast<std::size_t>(centred.n_samples())),
      n_predictors_(std::min(static_cast<std::size_t>(options.n_predictors), kept.size())),
      tile_(std::clamp(kMostValues / std::max<std::size_t>(n_, 1), kFewestTargets, kMostTargets)),
      kept_tile_(std::clamp(kKeptOfAllFolds / static_cast<std::size_t>(options.n_folds),
                            kFewestKept, kMostKept)) {
  make_folds(run.seed);
  take_kept(kept, run);
  measure_kept(run);
}

void HeldOut::make_folds(std::uint64_t seed) {
  std::vector<std::size_t> shuffled(n_);
  std::iota(shuffled.begin(), shuffled.end(), std::size_t{0});
  Random random(seed);
  shuffle(shuffled, random);
  const auto n_folds = static_cast<std::size_t>(options_.n_folds);
  folds_.resize(n_folds);
  for (std::size_t f = 0; f < n_folds; ++f) {
    Fold& fold = folds_[f];
    fold.begin = order_.size();
    for (std::size_t k = f; k < n_; k += n_folds) order_.push_back(shuffled[k]);
    fold.end = order_.size();
    fold_at_.resize(fold.end, f);
    fold.n_training = static_cast<double>(n_ - (fold.end - fold.begin));
  }
}

/// The kept features with places instead of samples: dense ones have a fold in one block, the rows
/// of sparse ones are in no order, which a sum does not mind.
void HeldOut::take_kept(std::span<const Index> kept, const RunContext& run) {
  kept_ = select_features(centred_, kept);
  if (auto* sparse = std::get_if<SparseMatrix>(&kept_.matrix)) {
    std::vector<Index> place(n_);
    for (std::size_t k = 0; k < n_; ++k) place[order_[k]] = static_cast<Index>(k);
    for (Index& row : sparse->rows) row = place[row];
    return;
  }
  auto& dense = std::get<DenseMatrix>(kept_.matrix);
  std::vector<std::vector<double>> copies(static_cast<std::size_t>(worker_count(run)));
  parallel_for_workers(run, {}, kept_.n_features(), [&](std::int64_t item, int worker) {
    auto& copy = copies[worker];
    const auto column = dense.column(static_cast<Index>(item));
    copy.assign(column.begin(), column.end());
    for (std::size_t place = 0; place < n_; ++place) column[place] = copy[order_[place]];
  });
}

void HeldOut::measure_kept(const RunContext& run) {
  const auto n_kept = static_cast<std::size_t>(kept_.n_features());
  for (auto& fold : folds_) {
    for (auto* values : {&fold.mean, &fold.stored_sum, &fold.inverse_norm}) values->resize(n_kept);
  }
  std::vector<std::vector<double>> columns(static_cast<std::size_t>(worker_count(run)),
                                           std::vector<double>(n_));
  parallel_for_workers(run, {}, kept_.n_features(), [&](std::int64_t item, int worker) {
    const auto k = static_cast<std::size_t>(item);
    auto& column = columns[worker];
    expand(kept_, static_cast<Index>(item), column.data());
    const double shift = kept_.shift.empty() ? 0.0 : kept_.shift[k];
    for (auto& fold : folds_) {
      const auto add_training = [&](const auto& value_of) {
        double sum = 0;
        for (std::size_t i = 0; i < fold.begin; ++i) sum += value_of(column[i]);
        for (std::size_t i = fold.end; i < n_; ++i) sum += value_of(column[i]);
        return sum;
      };
      const double sum = add_training([](double value) { return value; });
      const double mean = sum / fold.n_training;
      const double squares =
          add_training([mean](double value) { return (value - mean) * (value - mean); });
      fold.mean[k] = mean;
      fold.stored_sum[k] =
          std::holds_alternative<DenseMatrix>(kept_.matrix) ? sum : sum + fold.n_training * shift;
      fold.inverse_norm[k] = squares > kNoTrainingVariation ? 1 / std::sqrt(squares) : 0.0;
    }
  });
}

std::vector<double> HeldOut::r2(std::span<const HeldOutTarget> targets, const RunContext& run) {
  const SingleThreadedBlas single_threaded;
  std::vector<double> result(targets.size());
  std::vector<Workspace> spaces(static_cast<std::size_t>(worker_count(run)));
  const std::size_t n_tiles = (targets.size() + tile_ - 1) / tile_;
  parallel_for_workers(
      run, "certify", static_cast<std::int64_t>(n_tiles), [&](std::int64_t item, int worker) {
        const std::size_t first = static_cast<std::size_t>(item) * tile_;
        const auto count = std::min(tile_, targets.size() - first);
        predict_tile(targets.subspan(first, count), spaces[worker], result.data() + first);
      });
  return result;
}

/// Values by place, and their means over the training samples of each fold.
void HeldOut::take_targets(std::span<const HeldOutTarget> targets, Workspace& space) const {
  space.values.resize(n_);
  space.targets.resize(n_ * tile_);
  space.means.resize(folds_.size() * tile_);
  for (std::size_t t = 0; t < targets.size(); ++t) {
    expand(centred_, targets[t].feature, space.values.data());
    if (targets[t].permuted_by) {
      Random random(*targets[t].permuted_by);
      shuffle(space.values, random);
    }
    double* target = space.targets.data() + t * n_;
    for (std::size_t place = 0; place < n_; ++place) target[place] = space.values[order_[place]];
    for (std::size_t f = 0; f < folds_.size(); ++f) {
      const Fold& fold = folds_[f];
      const double sum = std::accumulate(target + fold.end, target + n_,
                                         std::accumulate(target, target + fold.begin, 0.0));
      space.means[f * tile_ + t] = sum / fold.n_training;
    }
  }
}

void HeldOut::predict_tile(std::span<const HeldOutTarget> targets, Workspace& space,
                           double* r2) const {
  take_targets(targets, space);
  find_predictors(targets.size(), space);
  for (std::size_t t = 0; t < targets.size(); ++t) {
    const double* target = space.targets.data() + t * n_;
    double error = 0;
    double total = 0;
    for (std::size_t f = 0; f < folds_.size(); ++f) {
      for (std::size_t i = folds_[f].begin; i < folds_[f].end; ++i) {
        const double deviation = target[i] - space.means[f * tile_ + t];
        total += deviation * deviation;
      }
      error += squared_error(f, t, space);
    }
    r2[t] = total > kNoVariation ? 1 - error / total : 0.0;
  }
}

/// Products of some kept features, as they are stored, with the targets over each fold's samples.
void HeldOut::multiply(std::size_t first, std::size_t count, std::size_t n_targets,
                       Workspace& space) const {
  const std::size_t stride = tile_ * kept_tile_;
  if (const auto* dense = std::get_if<DenseMatrix>(&kept_.matrix)) {
    const auto n = static_cast<int>(n_);
    const double* columns = dense->column(static_cast<Index>(first)).data();
    for (std::size_t f = 0; f < folds_.size(); ++f) {
      const std::size_t begin = folds_[f].begin;
      cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, static_cast<int>(count),
                  static_cast<int>(n_targets), static_cast<int>(folds_[f].end - begin), 1.0,
                  columns + begin, n, space.targets.data() + begin, n, 0.0,
                  space.products.data() + f * stride, static_cast<int>(kept_tile_));
    }
    return;
  }
  const auto& sparse = std::get<SparseMatrix>(kept_.matrix);
  for (std::size_t t = 0; t < n_targets; ++t) {
    const double* target = space.targets.data() + t * n_;
    for (std::size_t k = 0; k < count; ++k) {
      const auto rows = sparse.column_rows(static_cast<Index>(first + k));
      const auto values = sparse.column_values(static_cast<Index>(first + k));
      std::ranges::fill(space.by_fold, 0.0);
      for (std::size_t e = 0; e < rows.size(); ++e) {
        const auto place = static_cast<std::size_t>(rows[e]);
        space.by_fold[fold_at_[place]] += values[e] * target[place];
      }
      for (std::size_t f = 0; f < folds_.size(); ++f) {
        space.products[f * stride + t * kept_tile_ + k] = space.by_fold[f];
      }
    }
  }
}

/// The kept features with the largest |r| over the training samples of each fold f. Every sample is
/// in one fold, so that one product over all of them serves all folds:
///   <k, t - mean> over training = <k, t> - <k, t>_f - mean_f(t) * (sum of k over training)
/// which does not change if k is shifted: it need not be centred.
void HeldOut::find_predictors(std::size_t n_targets, Workspace& space) const {
  const std::size_t stride = tile_ * kept_tile_;
  space.best.assign(folds_.size() * tile_, {});
  space.products.resize(folds_.size() * stride);
  space.by_fold.resize(folds_.size());
  space.total.resize(kept_tile_);
  space.scores.resize(kept_tile_);
  const auto n_kept = static_cast<std::size_t>(kept_.n_features());
  for (std::size_t first = 0; first < n_kept; first += kept_tile_) {
    const std::size_t count = std::min(kept_tile_, n_kept - first);
    multiply(first, count, n_targets, space);
    for (std::size_t t = 0; t < n_targets; ++t) {
      const double* products = space.products.data() + t * kept_tile_;
      std::fill_n(space.total.begin(), count, 0.0);
      for (std::size_t f = 0; f < folds_.size(); ++f) {
        add_multiple(1, products + f * stride, space.total.data(), count);
      }
      for (std::size_t f = 0; f < folds_.size(); ++f) {
        score_training(folds_[f].stored_sum.data() + first, folds_[f].inverse_norm.data() + first,
                       {space.total.data(), products + f * stride, space.means[f * tile_ + t]},
                       count, space.scores.data());
        take_best({space.scores.data(), count}, static_cast<Index>(first), n_predictors_,
                  space.best[f * tile_ + t]);
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
double HeldOut::squared_error(std::size_t f, std::size_t t, Workspace& space) const {
  const Fold& fold = folds_[f];
  const std::size_t n_test = fold.end - fold.begin;
  const auto& best = space.best[f * tile_ + t];
  const std::size_t p = best.size();
  const double* target = space.targets.data() + t * n_;
  const double mean = space.means[f * tile_ + t];
  space.residual.resize(n_);
  for (std::size_t i = 0; i < n_; ++i) space.residual[i] = target[i] - mean;
  std::fill_n(space.residual.begin() + static_cast<Offset>(fold.begin), n_test, 0.0);
  space.columns.resize(n_ * p);
  space.test_values.resize(n_test * p);
  space.gram.resize(p * p);
  space.coefficients.resize(p);
  for (std::size_t j = 0; j < p; ++j) {
    double* column = space.columns.data() + j * n_;
    const auto kept = static_cast<std::size_t>(best[j].kept);
    expand(kept_, best[j].kept, column);
    for (std::size_t i = 0; i < n_; ++i) {
      column[i] = (column[i] - fold.mean[kept]) * fold.inverse_norm[kept];
    }
    for (std::size_t i = 0; i < n_test; ++i) {
      space.test_values[i * p + j] = std::exchange(column[fold.begin + i], 0.0);
    }
    space.coefficients[j] = dot(column, space.residual.data(), n_);
    for (std::size_t k = 0; k <= j; ++k) {
      const double product = dot(column, space.columns.data() + k * n_, n_);
      space.gram[k * p + j] = product;
      space.gram[j * p + k] = product;
    }
  }
  fit(fold.n_training, dot(space.residual.data(), space.residual.data(), n_), space);
  double error = 0;
  for (std::size_t i = 0; i < n_test; ++i) {
    const double truth = target[fold.begin + i] - mean;
    const double* values = space.test_values.data() + i * p;
    const double prediction =
        std::inner_product(values, values + p, space.coefficients.begin(), 0.0);
    error += (truth - prediction) * (truth - prediction);
  }
  return error;
}

}  // namespace sfg::detail
