// What ridge regression on the training samples of a fold is off by on its held-out samples.
#include <algorithm>
#include <cmath>

#include "core/kernels.hpp"
#include "core/threads.hpp"
#include "predict/fold_ridge.hpp"
#include "predict/nearest_terms.hpp"
#include "predict/products_of_columns.hpp"
#include "predict/ridge_on_few.hpp"

namespace sfg::detail {

namespace {

/// Targets that one worker predicts together.
constexpr std::size_t kPredictedTogether = 32;
/// Kept features that one worker projects together.
constexpr std::size_t kColumnsTogether = 128;
/// A fit of the nearest alone that leaves no more than this share of the training samples'
/// variation, with several times more samples than terms, is an exact relation: a ridge that suits
/// all targets would only shrink it.
constexpr double kExactTrainingRest = 1e-3;
constexpr std::size_t kSamplesPerTerm = 4;
constexpr double kExactRidge = 1e-6;
/// Where the nearest alone do not fit.
constexpr double kNoExactFit = -1;

/// body(first, count) for blocks of columns, by all threads. The blocks are the same for any number
/// of these.
template <class Body>
void for_each_block(std::size_t n_columns, const RunContext& run, const Body& body) {
  const std::size_t n_blocks = (n_columns + kColumnsTogether - 1) / kColumnsTogether;
  parallel_for(run, {}, static_cast<std::int64_t>(n_blocks), [&](std::int64_t item) {
    const std::size_t first = static_cast<std::size_t>(item) * kColumnsTogether;
    body(first, std::min(kColumnsTogether, n_columns - first));
  });
}

/// Sum of squares over the held-out samples that have values.
double observed_square(const double* values, const char* is_gap, std::size_t n) {
  if (is_gap == nullptr) return dot(values, values, n);
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (is_gap[i] == 0) sum += values[i] * values[i];
  }
  return sum;
}

}  // namespace

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

/// What no ridge changes about the targets.
struct FoldRidge::Prepared {
  std::vector<double> held;         ///< T(held) less the training mean, held x count
  std::vector<double> projected;    ///< t, rank x count
  std::vector<double> exact_error;  ///< of the nearest alone, where they fit exactly
};

/// Targets that are predicted together; `first` is the place of the first of them among all.
struct FoldRidge::Tile {
  std::span<const Target> targets;
  std::size_t first;
  const NearColumns& near;
  const Prepared& prepared;
};

struct FoldRidge::Workspace {
  std::vector<double> values, weighted, plain, solution, error;
  NearestTerms terms;
};

FoldRidge::NearColumns FoldRidge::near_columns(std::span<const Target> targets,
                                               const RunContext& run) const {
  NearColumns near;
  near.place_of.assign(kept_.n_kept(), -1);
  for (const Target& target : targets) {
    for (const Index k : target.nearest) near.place_of[k] = 0;
  }
  std::vector<std::size_t> features;
  for (std::size_t k = 0; k < near.place_of.size(); ++k) {
    if (near.place_of[k] != 0) continue;
    near.place_of[k] = static_cast<Index>(features.size());
    features.push_back(k);
  }
  near.count = features.size();
  const std::size_t rank = values_.size();
  near.projected.resize(rank * near.count);
  near.held.resize(n_held_ * near.count);
  for_each_block(near.count, run, [&](std::size_t first, std::size_t count) {
    std::vector<double> columns(n_ * count);
    std::vector<double> samples;
    for (std::size_t k = 0; k < count; ++k) {
      double* column = columns.data() + k * n_;
      centre(features[first + k], samples, column);
      std::copy(column + begin_, column + end_, near.held.data() + (first + k) * n_held_);
    }
    multiply_transposed(n_, rank, count, vectors_.data(), columns.data(),
                        near.projected.data() + first * rank);
  });
  return near;
}

FoldRidge::Weighted FoldRidge::weigh(const NearColumns& near, double ridge,
                                     const RunContext& run) const {
  const std::size_t rank = values_.size();
  Weighted weighted;
  weighted.ridge = ridge;
  weighted.projected.resize(rank * near.count);
  weighted.difference.resize(n_held_ * near.count);
  for_each_block(near.count, run, [&](std::size_t first, std::size_t count) {
    double* projected = weighted.projected.data() + first * rank;
    for (std::size_t k = 0; k < count; ++k) {
      for (std::size_t l = 0; l < rank; ++l) {
        projected[k * rank + l] = near.projected[(first + k) * rank + l] / (values_[l] + ridge);
      }
    }
    double* difference = weighted.difference.data() + first * n_held_;
    multiply(n_held_, count, rank, held_.data(), projected, difference);
    for (std::size_t i = 0; i < count * n_held_; ++i) {
      difference[i] = near.held[first * n_held_ + i] - difference[i];
    }
  });
  return weighted;
}

/// Least squares on the nearest alone: the error over the held-out samples if it leaves nearly
/// nothing of the training samples. |t - A x|^2 = t't - 2 x'A't + x'A'A x over these.
double FoldRidge::exact_error(const Target& target, const NearColumns& near, const double* values,
                              const double* projected, Workspace& space) const {
  const auto nearest = target.nearest;
  const std::size_t count = nearest.size();
  const std::size_t rank = values_.size();
  if (count == 0 || kSamplesPerTerm * count > n_ - n_held_) return kNoExactFit;
  const auto column = [&](const std::vector<double>& columns, std::size_t size, std::size_t j) {
    return columns.data() + static_cast<std::size_t>(near.place_of[nearest[j]]) * size;
  };
  NearestTerms& terms = space.terms;
  terms.start(count);
  for (std::size_t j = 0; j < count; ++j) {
    const double* own = column(near.projected, rank, j);
    terms.right(j) = dot(own, projected, rank);
    for (std::size_t k = 0; k <= j; ++k) {
      terms.gram(j, k) = dot(own, column(near.projected, rank, k), rank);
    }
  }
  terms.solve(kExactRidge, space.solution);
  const double variation = dot(values, values, n_) - dot(values + begin_, values + begin_, n_held_);
  const double rest =
      variation - 2 * terms.along_right(space.solution) + terms.square_of(space.solution);
  if (rest > kExactTrainingRest * variation) return kNoExactFit;
  space.error.assign(values + begin_, values + end_);
  for (std::size_t j = 0; j < count; ++j) {
    add_multiple(-space.solution[j], column(near.held, n_held_, j), space.error.data(), n_held_);
  }
  return observed_square(space.error.data(), held_gaps(target), n_held_);
}

void FoldRidge::fill_training(const Target& target, std::vector<double>& values) const {
  std::vector<int> unknown;
  for (std::size_t place = 0; place < n_; ++place) {
    const bool is_held = place >= begin_ && place < end_;
    if (is_held || target.is_gap[place] != 0) unknown.push_back(static_cast<int>(place));
  }
  const std::size_t count = target.nearest.size();
  std::vector<double> samples;
  std::vector<double> room(n_ * count);
  std::vector<const double*> columns;
  for (std::size_t j = 0; j < count; ++j) {
    kept_.expand(static_cast<std::size_t>(target.nearest[j]), samples, room.data() + j * n_);
    columns.push_back(room.data() + j * n_);
  }
  RidgeOnFew regression(target.values, columns, unknown, n_);
  const bool is_enough = count > 0 && kSamplesPerTerm * count <= n_ - unknown.size();
  const bool is_solved = is_enough && regression.solve(count, kExactRidge);
  for (const int place : unknown) {
    if (static_cast<std::size_t>(place) >= begin_ && static_cast<std::size_t>(place) < end_)
      continue;
    const auto at = static_cast<std::size_t>(place);
    values[at] = is_solved ? regression.at(at) : regression.mean();
  }
}

/// Targets centred on the training samples and what follows from that; `first` is the place of the
/// first of them among all.
void FoldRidge::prepare(std::span<const Target> targets, const NearColumns& near, std::size_t first,
                        Workspace& space, Prepared& prepared) const {
  const std::size_t rank = values_.size();
  space.values.resize(n_ * targets.size());
  for (std::size_t t = 0; t < targets.size(); ++t) {
    const double* from = targets[t].values;
    const double mean = training_mean(from);
    double* values = space.values.data() + t * n_;
    for (std::size_t i = 0; i < n_; ++i) values[i] = from[i] - mean;
    std::copy_n(values + begin_, n_held_, prepared.held.data() + (first + t) * n_held_);
  }
  double* projected = prepared.projected.data() + first * rank;
  multiply_transposed(n_, rank, targets.size(), vectors_.data(), space.values.data(), projected);
  for (std::size_t t = 0; t < targets.size(); ++t) {
    prepared.exact_error[first + t] =
        exact_error(targets[t], near, space.values.data() + t * n_, projected + t * rank, space);
  }
}

void FoldRidge::add_errors(std::span<const Target> targets, std::span<const RidgeChoice> choices,
                           const RunContext& run, std::span<double> errors,
                           std::span<double> totals) const {
  const SingleThreadedBlas single_threaded;
  const NearColumns near = near_columns(targets, run);
  std::vector<Workspace> spaces(static_cast<std::size_t>(worker_count(run)));
  const std::size_t n_tiles = (targets.size() + kPredictedTogether - 1) / kPredictedTogether;
  const auto for_each_tile = [&](const auto& body) {
    parallel_for_workers(
        run, {}, static_cast<std::int64_t>(n_tiles), [&](std::int64_t item, int worker) {
          const std::size_t start = static_cast<std::size_t>(item) * kPredictedTogether;
          const auto count = std::min(kPredictedTogether, targets.size() - start);
          body(start, targets.subspan(start, count), spaces[worker]);
        });
  };
  Prepared prepared;
  prepared.held.resize(n_held_ * targets.size());
  prepared.projected.resize(values_.size() * targets.size());
  prepared.exact_error.resize(targets.size());
  for_each_tile([&](std::size_t start, std::span<const Target> tile, Workspace& space) {
    prepare(tile, near, start, space, prepared);
    for (std::size_t t = start; t < start + tile.size(); ++t) {
      totals[t] +=
          observed_square(prepared.held.data() + t * n_held_, held_gaps(tile[t - start]), n_held_);
    }
  });
  for (std::size_t first = 0; first < choices.size();) {
    const double ridge = choices[first].ridge;
    std::size_t last = first;
    while (last < choices.size() && choices[last].ridge == ridge) ++last;
    const Weighted weighted = weigh(near, ridge, run);
    for_each_tile([&](std::size_t start, std::span<const Target> tile, Workspace& space) {
      std::vector<double*> rows;
      for (std::size_t c = first; c < last; ++c) {
        rows.push_back(errors.data() + c * targets.size() + start);
      }
      add_tile({tile, start, near, prepared}, choices.subspan(first, last - first), weighted, space,
               rows.data());
    });
    first = last;
  }
}

/// W (c * t) of each target of a tile.
void FoldRidge::predict_plainly(const double* projected, std::size_t count, double ridge,
                                Workspace& space) const {
  const std::size_t rank = values_.size();
  space.weighted.resize(rank * count);
  space.plain.resize(n_held_ * count);
  for (std::size_t t = 0; t < count; ++t) {
    for (std::size_t l = 0; l < rank; ++l) {
      space.weighted[t * rank + l] = projected[t * rank + l] / (values_[l] + ridge);
    }
  }
  multiply(n_held_, count, rank, held_.data(), space.weighted.data(), space.plain.data());
}

/// a_N'(c * a_N), a_N'(c * t), and what the columns A_N(held) - W (c * a_N) do to the plain errors.
void FoldRidge::take_terms(std::span<const Index> nearest, const NearColumns& near,
                           const Weighted& weighted, const double* projected,
                           Workspace& space) const {
  const std::size_t rank = values_.size();
  const auto place = [&](std::size_t j) {
    return static_cast<std::size_t>(near.place_of[nearest[j]]);
  };
  NearestTerms& terms = space.terms;
  terms.start(nearest.size());
  for (std::size_t j = 0; j < nearest.size(); ++j) {
    const double* own = weighted.projected.data() + place(j) * rank;
    const double* difference = weighted.difference.data() + place(j) * n_held_;
    terms.right(j) = dot(own, projected, rank);
    terms.along_error(j) = dot(difference, space.error.data(), n_held_);
    for (std::size_t k = 0; k <= j; ++k) {
      terms.gram(j, k) = dot(own, near.projected.data() + place(k) * rank, rank);
      terms.overlap(j, k) =
          dot(difference, weighted.difference.data() + place(k) * n_held_, n_held_);
    }
  }
}

/// |e - D x|^2 over the held-out samples that have values.
double FoldRidge::error_with_nearest(const Target& target, const NearColumns& near,
                                     const Weighted& weighted, Workspace& space) const {
  space.values = space.error;
  for (std::size_t j = 0; j < target.nearest.size(); ++j) {
    const auto place = static_cast<std::size_t>(near.place_of[target.nearest[j]]);
    add_multiple(-space.solution[j], weighted.difference.data() + place * n_held_,
                 space.values.data(), n_held_);
  }
  return observed_square(space.values.data(), held_gaps(target), n_held_);
}

void FoldRidge::add_tile(const Tile& tile, std::span<const RidgeChoice> choices,
                         const Weighted& weighted, Workspace& space, double* const* errors) const {
  const std::size_t rank = values_.size();
  const auto& [targets, first, near, prepared] = tile;
  const double* projected = prepared.projected.data() + first * rank;
  predict_plainly(projected, targets.size(), weighted.ridge, space);
  for (std::size_t t = 0; t < targets.size(); ++t) {
    const double exact = prepared.exact_error[first + t];
    if (exact != kNoExactFit) {
      for (std::size_t c = 0; c < choices.size(); ++c) errors[c][t] += exact;
      continue;
    }
    const double* held = prepared.held.data() + (first + t) * n_held_;
    space.error.assign(held, held + n_held_);
    add_multiple(-1, space.plain.data() + t * n_held_, space.error.data(), n_held_);
    const char* is_gap = held_gaps(targets[t]);
    const double plain_error = observed_square(space.error.data(), is_gap, n_held_);
    take_terms(targets[t].nearest, near, weighted, projected + t * rank, space);
    for (std::size_t c = 0; c < choices.size(); ++c) {
      double error = plain_error;
      if (choices[c].weight > 0 && !targets[t].nearest.empty()) {
        space.terms.solve(1 / choices[c].weight, space.solution);
        // |e - D x|^2 = e'e - 2 x'D'e + x'D'D x, never below nothing by rounding.
        error = is_gap == nullptr
                    ? std::max(0.0, error + space.terms.change_of_error(space.solution))
                    : error_with_nearest(targets[t], near, weighted, space);
      }
      errors[c][t] += error;
    }
  }
}

}  // namespace sfg::detail
