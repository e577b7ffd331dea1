#include "predict/training_nearest.hpp"

#include <cblas.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/kernels.hpp"
#include "core/random.hpp"
#include "core/threads.hpp"
#include "normalise/products.hpp"
#include "predict/training_scores.hpp"

namespace sfg::detail {

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
/// A kept feature of less variation over the training samples than this predicts nothing: rounding
/// of products (1e-16), divided by its length there (1e-6), must not look like correlation.
constexpr double kNoTrainingVariation = 1e-12;

/// Rounding unit of float, and by how much a score may be off: two roundings of the values and one
/// for each sum, in the product over all samples and in that of the fold; the rest is of lower
/// order.
constexpr double kFloatUnit = 0x1p-24;
constexpr double kScoreRoundings = 3;
constexpr double kOtherRoundings = 16;

double score_error(std::size_t n_samples) {
  return kScoreRoundings * (static_cast<double>(n_samples) + kOtherRoundings) * kFloatUnit;
}

}  // namespace

struct TrainingNearest::Workspace {
  std::vector<double> values;    ///< of one feature, by sample
  std::vector<double> targets;   ///< n x tile, by place
  std::vector<double> means;     ///< fold x tile: of each target over the training samples
  std::vector<double> products;  ///< fold x tile x kept tile: over the samples of the fold
  std::vector<double> by_fold;   ///< such products of one pair
  std::vector<double> total;     ///< kept tile: over all samples
  std::vector<double> scores;    ///< kept tile
  std::vector<std::vector<Predictor>> best;  ///< fold x tile, best first
  // The first look in float.
  std::vector<float> float_targets, float_products, float_total, float_scores;
  std::vector<LikelyPredictors> likely;  ///< fold x tile
};

TrainingNearest::TrainingNearest(const UnitFeatures& centred, std::span<const Index> kept,
                                 const SampleFolds& folds, std::size_t n_nearest,
                                 const RunContext& run)
    : centred_(centred),
      sample_folds_(folds),
      n_(folds.n_samples()),
      n_nearest_(std::min(n_nearest, kept.size())),
      tile_(std::clamp(kMostValues / std::max<std::size_t>(n_, 1), kFewestTargets, kMostTargets)),
      kept_tile_(std::clamp(kKeptOfAllFolds / folds.n_folds(), kFewestKept, kMostKept)) {
  for (std::size_t f = 0; f < folds.n_folds(); ++f) {
    Fold fold;
    fold.begin = folds.begin(f);
    fold.end = folds.end(f);
    fold.n_training = static_cast<double>(n_ - (fold.end - fold.begin));
    folds_.push_back(std::move(fold));
  }
  take_kept(kept, run);
  measure_kept(run);
}

/// The kept features with places instead of samples: dense ones have a fold in one block, the rows
/// of sparse ones are in no order, which a sum does not mind.
void TrainingNearest::take_kept(std::span<const Index> kept, const RunContext& run) {
  kept_ = select_features(centred_, kept);
  if (auto* sparse = std::get_if<SparseMatrix>(&kept_.matrix)) {
    std::vector<Index> place(n_);
    for (std::size_t k = 0; k < n_; ++k) place[sample_folds_.sample_at(k)] = static_cast<Index>(k);
    for (Index& row : sparse->rows) row = place[row];
    return;
  }
  auto& dense = std::get<DenseMatrix>(kept_.matrix);
  std::vector<std::vector<double>> copies(static_cast<std::size_t>(worker_count(run)));
  parallel_for_workers(run, {}, kept_.n_features(), [&](std::int64_t item, int worker) {
    auto& copy = copies[worker];
    const auto column = dense.column(static_cast<Index>(item));
    copy.assign(column.begin(), column.end());
    for (std::size_t place = 0; place < n_; ++place)
      column[place] = copy[sample_folds_.sample_at(place)];
  });
  floats_.assign(dense.data(), dense.data() + n_ * kept.size());
}

void TrainingNearest::measure_kept(const RunContext& run) {
  const auto n_kept = static_cast<std::size_t>(kept_.n_features());
  for (auto& fold : folds_) {
    for (auto* values : {&fold.stored_sum, &fold.inverse_norm}) values->resize(n_kept);
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
      fold.stored_sum[k] =
          std::holds_alternative<DenseMatrix>(kept_.matrix) ? sum : sum + fold.n_training * shift;
      fold.inverse_norm[k] = squares > kNoTrainingVariation ? 1 / std::sqrt(squares) : 0.0;
    }
  });
  for (auto& fold : folds_) {
    fold.float_sum.assign(fold.stored_sum.begin(), fold.stored_sum.end());
    fold.float_norm.assign(fold.inverse_norm.begin(), fold.inverse_norm.end());
  }
}

std::vector<Index> TrainingNearest::find(std::span<const HeldOutTarget> targets,
                                         const RunContext& run) const {
  const SingleThreadedBlas single_threaded;
  const std::size_t per_target = folds_.size() * n_nearest_;
  std::vector<Index> result(targets.size() * per_target);
  std::vector<Workspace> spaces(static_cast<std::size_t>(worker_count(run)));
  const std::size_t n_tiles = (targets.size() + tile_ - 1) / tile_;
  parallel_for_workers(run, "certify", static_cast<std::int64_t>(n_tiles),
                       [&](std::int64_t item, int worker) {
                         Workspace& space = spaces[worker];
                         const std::size_t first = static_cast<std::size_t>(item) * tile_;
                         const auto count = std::min(tile_, targets.size() - first);
                         take_targets(targets.subspan(first, count), space);
                         if (floats_.empty()) {
                           find_best(count, space);
                         } else {
                           find_likely(count, space);
                           find_best_of_likely(count, space);
                         }
                         for (std::size_t t = 0; t < count; ++t) {
                           for (std::size_t f = 0; f < folds_.size(); ++f) {
                             const auto& best = space.best[f * tile_ + t];
                             for (std::size_t k = 0; k < n_nearest_; ++k) {
                               result[(first + t) * per_target + f * n_nearest_ + k] = best[k].kept;
                             }
                           }
                         }
                       });
  return result;
}

/// Values by place, and their means over the training samples of each fold.
void TrainingNearest::take_targets(std::span<const HeldOutTarget> targets, Workspace& space) const {
  space.targets.resize(n_ * tile_);
  space.means.resize(folds_.size() * tile_);
  for (std::size_t t = 0; t < targets.size(); ++t) {
    double* target = space.targets.data() + t * n_;
    expand_by_place(centred_, targets[t], sample_folds_, space.values, target);
    for (std::size_t f = 0; f < folds_.size(); ++f) {
      const Fold& fold = folds_[f];
      const double sum = std::accumulate(target + fold.end, target + n_,
                                         std::accumulate(target, target + fold.begin, 0.0));
      space.means[f * tile_ + t] = sum / fold.n_training;
    }
  }
}

/// Products of some sparse kept features, as they are stored, with the targets over each fold.
void TrainingNearest::multiply(std::size_t first, std::size_t count, std::size_t n_targets,
                               Workspace& space) const {
  const std::size_t stride = tile_ * kept_tile_;
  const auto& sparse = std::get<SparseMatrix>(kept_.matrix);
  for (std::size_t t = 0; t < n_targets; ++t) {
    const double* target = space.targets.data() + t * n_;
    for (std::size_t k = 0; k < count; ++k) {
      const auto rows = sparse.column_rows(static_cast<Index>(first + k));
      const auto values = sparse.column_values(static_cast<Index>(first + k));
      std::ranges::fill(space.by_fold, 0.0);
      for (std::size_t e = 0; e < rows.size(); ++e) {
        const auto place = static_cast<std::size_t>(rows[e]);
        space.by_fold[sample_folds_.fold_at(place)] += values[e] * target[place];
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
void TrainingNearest::find_best(std::size_t n_targets, Workspace& space) const {
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
        score_training<double>(
            folds_[f].stored_sum.data() + first, folds_[f].inverse_norm.data() + first,
            {space.total.data(), products + f * stride, space.means[f * tile_ + t]}, count,
            space.scores.data());
        take_best({space.scores.data(), count}, static_cast<Index>(first), n_nearest_,
                  space.best[f * tile_ + t]);
      }
    }
  }
}

/// The same of dense ones in float.
void TrainingNearest::multiply_floats(std::size_t first, std::size_t count, std::size_t n_targets,
                                      Workspace& space) const {
  const auto n = static_cast<int>(n_);
  for (std::size_t f = 0; f < folds_.size(); ++f) {
    const std::size_t begin = folds_[f].begin;
    cblas_sgemm(CblasColMajor, CblasTrans, CblasNoTrans, static_cast<int>(count),
                static_cast<int>(n_targets), static_cast<int>(folds_[f].end - begin), 1.0F,
                floats_.data() + first * n_ + begin, n, space.float_targets.data() + begin, n, 0.0F,
                space.float_products.data() + f * tile_ * kept_tile_, static_cast<int>(kept_tile_));
  }
}

/// find_best in float: for each fold and target the kept features that may be among the nearest.
void TrainingNearest::find_likely(std::size_t n_targets, Workspace& space) const {
  const std::size_t stride = tile_ * kept_tile_;
  const auto n_kept = static_cast<std::size_t>(kept_.n_features());
  const auto error = static_cast<float>(score_error(n_));
  space.float_targets.assign(space.targets.begin(), space.targets.end());
  space.float_products.resize(folds_.size() * stride);
  space.float_total.resize(kept_tile_);
  space.float_scores.resize(kept_tile_);
  space.likely.resize(folds_.size() * tile_);
  for (LikelyPredictors& likely : space.likely) likely.start(n_nearest_);
  for (std::size_t first = 0; first < n_kept; first += kept_tile_) {
    const std::size_t count = std::min(kept_tile_, n_kept - first);
    multiply_floats(first, count, n_targets, space);
    for (std::size_t t = 0; t < n_targets; ++t) {
      const float* products = space.float_products.data() + t * kept_tile_;
      std::fill_n(space.float_total.begin(), count, 0.0F);
      for (std::size_t f = 0; f < folds_.size(); ++f) {
        add_multiple(1.0F, products + f * stride, space.float_total.data(), count);
      }
      for (std::size_t f = 0; f < folds_.size(); ++f) {
        const float* norms = folds_[f].float_norm.data() + first;
        score_training<float>(folds_[f].float_sum.data() + first, norms,
                              {space.float_total.data(), products + f * stride,
                               static_cast<float>(space.means[f * tile_ + t])},
                              count, space.float_scores.data());
        space.likely[f * tile_ + t].offer({space.float_scores.data(), count},
                                          static_cast<Index>(first), error, norms,
                                          error * max_abs(norms, count));
      }
    }
  }
}

/// The likely ones once more, in double.
void TrainingNearest::find_best_of_likely(std::size_t n_targets, Workspace& space) const {
  const auto& dense = std::get<DenseMatrix>(kept_.matrix);
  space.best.assign(folds_.size() * tile_, {});
  for (std::size_t f = 0; f < folds_.size(); ++f) {
    const Fold& fold = folds_[f];
    for (std::size_t t = 0; t < n_targets; ++t) {
      const double* target = space.targets.data() + t * n_;
      for (const Predictor& one : space.likely[f * tile_ + t].found()) {
        const double* values = dense.column(one.kept).data();
        const double product = dot(values, target, fold.begin) +
                               dot(values + fold.end, target + fold.end, n_ - fold.end);
        const double score = (product - space.means[f * tile_ + t] * fold.stored_sum[one.kept]) *
                             fold.inverse_norm[one.kept];
        take_best({&score, 1}, one.kept, n_nearest_, space.best[f * tile_ + t]);
      }
    }
  }
}

}  // namespace sfg::detail
