#include "predict/training_nearest.hpp"

#include <cblas.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/kernels.hpp"
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

struct TrainingNearest::Workspace {
  std::vector<double> values;    ///< of one feature, by sample
  std::vector<double> targets;   ///< n x tile, by place
  std::vector<double> means;     ///< fold x tile: of each target over the training samples
  std::vector<double> products;  ///< fold x tile x kept tile: over the samples of the fold
  std::vector<double> by_fold;   ///< such products of one pair
  std::vector<double> total;     ///< kept tile: over all samples
  std::vector<double> scores;    ///< kept tile
  std::vector<std::vector<Predictor>> best;  ///< fold x tile, best first
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
                         find_best(count, space);
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

/// Products of some kept features, as they are stored, with the targets over each fold's samples.
void TrainingNearest::multiply(std::size_t first, std::size_t count, std::size_t n_targets,
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
        score_training(folds_[f].stored_sum.data() + first, folds_[f].inverse_norm.data() + first,
                       {space.total.data(), products + f * stride, space.means[f * tile_ + t]},
                       count, space.scores.data());
        take_best({space.scores.data(), count}, static_cast<Index>(first), n_nearest_,
                  space.best[f * tile_ + t]);
      }
    }
  }
}

}  // namespace sfg::detail
