// Features picked one by one by what the picks explain of all features together.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "compare/competitors.hpp"
#include "core/kernels.hpp"
#include "core/memory.hpp"
#include "core/threads.hpp"
#include "groups/joint_gain.hpp"
#include "normalise/fewer_samples.hpp"
#include "normalise/products.hpp"

namespace sfg::detail {

namespace {

/// Gains this close, relatively, are a tie, and the lowest index wins.
constexpr double kPickTie = 1e-12;
/// Squared length of a unit feature outside the span of the picks that is only rounding: the rank
/// is used up.
constexpr double kNothingLeft = 1e-12;

/// The open feature with the highest value.
Index highest(const std::vector<double>& values, const std::vector<char>& is_open) {
  double most = -std::numeric_limits<double>::infinity();
  for (std::size_t j = 0; j < values.size(); ++j) {
    if (is_open[j] != 0) most = std::max(most, values[j]);
  }
  for (std::size_t j = 0; j < values.size(); ++j) {
    if (is_open[j] != 0 && values[j] >= most - kPickTie * std::fabs(most)) {
      return static_cast<Index>(j);
    }
  }
  return -1;
}

std::vector<char> open_features(const UnitFeatures& features) {
  std::vector<char> is_open(static_cast<std::size_t>(features.n_features()), 0);
  for (const Index feature : regular_features(features)) is_open[feature] = 1;
  return is_open;
}

/// Places a vector among the four that multiply() takes.
void set_vector(std::size_t place, const std::vector<double>& from, std::vector<double>& vectors) {
  for (std::size_t i = 0; i < from.size(); ++i) vectors[i * kEight + place] = from[i];
}

/// As cover, without its part about single features.
class ColumnSubset {
 public:
  ColumnSubset(const UnitFeatures& features, const RunContext& run)
      : features_(features),
        run_(run),
        is_open_(open_features(features)),
        joint_(features, run_),
        values_(static_cast<std::size_t>(features.n_samples())),
        vectors_(values_.size() * kEight, 0.0) {}

  Index pick() {
    const Index s = highest(joint_.gains(), is_open_);
    is_open_[s] = 0;
    expand(features_, s, values_.data());
    const JointGain::Step step = joint_.start(s, values_);
    set_vector(0, step.u, vectors_);
    set_vector(1, step.v, vectors_);
    for_each_feature_block(features_, run_, [&](Index first, Index count) {
      std::vector<double> products(static_cast<std::size_t>(count) * kEight);
      multiply(features_, first, count, vectors_.data(), kFour, products.data());
      for (std::size_t k = 0; k < static_cast<std::size_t>(count); ++k) {
        joint_.update(static_cast<std::size_t>(first) + k, products[k * kEight],
                      products[k * kEight + 1], step);
      }
    });
    joint_.finish(step);
    return s;
  }

 private:
  const UnitFeatures& features_;
  const RunContext& run_;
  std::vector<char> is_open_;
  JointGain joint_;
  std::vector<double> values_;
  std::vector<double> vectors_;
};

/// What is left of every feature outside the span of the picks.
class PivotedColumns {
 public:
  PivotedColumns(const UnitFeatures& features, const RunContext& run)
      : features_(features),
        run_(run),
        n_(static_cast<std::size_t>(features.n_samples())),
        is_open_(open_features(features)),
        left_(is_open_.size(), 1.0),
        vectors_(n_ * kEight, 0.0) {}

  Index pick() {
    Index s = highest(left_, is_open_);
    if (left_[s] <= kNothingLeft) {
      basis_.clear();
      std::ranges::fill(left_, 1.0);
      s = highest(left_, is_open_);
    }
    is_open_[s] = 0;
    std::vector<double> q(n_);
    expand(features_, s, q.data());
    // Twice is enough.
    for (int pass = 0; pass < 2; ++pass) {
      for (std::size_t start = 0; start < basis_.size(); start += n_) {
        const double part = dot(basis_.data() + start, q.data(), n_);
        add_multiple(-part, basis_.data() + start, q.data(), n_);
      }
    }
    const double length = std::sqrt(dot(q.data(), q.data(), n_));
    for (double& value : q) value /= length;
    basis_.insert(basis_.end(), q.begin(), q.end());
    set_vector(0, q, vectors_);
    for_each_feature_block(features_, run_, [&](Index first, Index count) {
      std::vector<double> products(static_cast<std::size_t>(count) * kEight);
      multiply(features_, first, count, vectors_.data(), kFour, products.data());
      for (Index k = 0; k < count; ++k) {
        const double part = products[static_cast<std::size_t>(k) * kEight];
        left_[first + k] -= part * part;
      }
    });
    return s;
  }

 private:
  const UnitFeatures& features_;
  const RunContext& run_;
  std::size_t n_;
  std::vector<char> is_open_;
  std::vector<double> left_;   ///< squared lengths
  std::vector<double> basis_;  ///< orthonormal vectors, one after the other
  std::vector<double> vectors_;
};

template <typename Picker>
std::vector<Index> picked(const UnitFeatures& features, Index n_picks, const RunContext& run) {
  const SingleThreadedBlas single_threaded;
  // Asked once: there is a round of threads for each pick.
  RunContext counted = run;
  counted.threads = worker_count(run);
  Picker picker(features, counted);
  std::vector<Index> order;
  while (static_cast<Index>(order.size()) < n_picks) {
    check_stop(run);
    order.push_back(picker.pick());
  }
  return order;
}

/// The same products with fewer samples, where that is less work.
template <typename Picker>
std::vector<Index> picked_from_few(const UnitFeatures& centred, Index n_picks, double n_matrices,
                                   const RunContext& run) {
  const bool is_dense = std::holds_alternative<DenseMatrix>(centred.matrix);
  if (is_dense && centred.n_samples() > centred.n_features()) {
    return picked<Picker>(fewer_samples(centred, run), n_picks, run);
  }
  const double n = centred.n_samples();
  require_memory(sizeof(double) * n_matrices * n * n, run,
                 fmt::format("picking among features of {} samples", centred.n_samples()),
                 "raise {memory_limit}");
  return picked<Picker>(centred, n_picks, run);
}

}  // namespace

std::vector<Index> column_subset_order(const UnitFeatures& centred, Index n_picks,
                                       const RunContext& run) {
  constexpr double kMatrices = 4;
  return picked_from_few<ColumnSubset>(centred, n_picks, kMatrices, run);
}

std::vector<Index> pivoted_qr_order(const UnitFeatures& centred, Index n_picks,
                                    const RunContext& run) {
  return picked_from_few<PivotedColumns>(centred, n_picks, 1, run);
}

}  // namespace sfg::detail
