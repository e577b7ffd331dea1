// Features picked one by one by what the picks explain of all features together.
#include <cblas.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "compare/competitors.hpp"
#include "core/kernels.hpp"
#include "core/lapack.hpp"
#include "core/memory.hpp"
#include "core/threads.hpp"
#include "normalise/fewer_samples.hpp"
#include "normalise/products.hpp"
#include "sfg/error.hpp"

namespace sfg::detail {

namespace {

/// Gains this close, relatively, are a tie, and the lowest index wins.
constexpr double kPickTie = 1e-12;
/// What is brought up to date by differences is made anew after so many picks.
constexpr std::size_t kPicksPerRenewal = 500;
/// Squared length of a unit feature outside the span of the picks that is only rounding: the rank
/// is used up.
constexpr double kNothingLeft = 1e-12;
/// Features that one worker handles at once; the same for every number of threads.
constexpr Index kColumnBlock = 512;

/// body(first, count) for fixed blocks of features, side by side.
template <typename Body>
void for_each_column_block(const UnitFeatures& features, const RunContext& run, const Body& body) {
  const Index d = features.n_features();
  parallel_for(run, {}, (d + kColumnBlock - 1) / kColumnBlock, [&](std::int64_t block) {
    const Index first = static_cast<Index>(block) * kColumnBlock;
    body(first, std::min(kColumnBlock, d - first));
  });
}

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

/// As cover.cpp, without its part about single features. G = FF', M = (I + F_S F_S')^-1,
/// l_j = f_j'M f_j, q_j = f_j'M G M f_j: picking j lowers what is left by q_j / (1 + l_j).
class ColumnSubset {
 public:
  ColumnSubset(const UnitFeatures& features, const RunContext& run)
      : features_(features),
        run_(run),
        n_(static_cast<std::size_t>(features.n_samples())),
        is_open_(open_features(features)),
        l_(is_open_.size()),
        q_(is_open_.size()),
        gain_(is_open_.size()),
        vectors_(n_ * kEight, 0.0) {
    run_.threads = worker_count(run);
    g_ = outer_products(features, regular_features(features));
    renew();
  }

  Index pick() {
    const Index s = highest(gain_, is_open_);
    is_open_[s] = 0;
    picks_.push_back(s);
    if (picks_.size() % kPicksPerRenewal == 0) {
      renew();
    } else {
      update(s);
    }
    return s;
  }

 private:
  std::vector<double> times(const std::vector<double>& matrix, const std::vector<double>& x) const {
    std::vector<double> y(n_);
    const auto size = static_cast<int>(n_);
    cblas_dsymv(CblasColMajor, CblasUpper, size, 1.0, matrix.data(), size, x.data(), 1, 0.0,
                y.data(), 1);
    return y;
  }

  /// u = M f_s, v = M G u; then M - uu'/p and what follows for l and q.
  void update(Index s) {
    std::vector<double> f(n_);
    expand(features_, s, f.data());
    const std::vector<double> u = times(m_, f);
    const std::vector<double> gu = times(g_, u);
    const std::vector<double> v = times(m_, gu);
    const double p = 1 + dot(f.data(), u.data(), n_);
    const double ugu = dot(u.data(), gu.data(), n_);
    set_vector(0, u, vectors_);
    set_vector(1, v, vectors_);
    for_each_column_block(features_, run_, [&](Index first, Index count) {
      std::vector<double> products(static_cast<std::size_t>(count) * kEight);
      multiply(features_, first, count, vectors_.data(), kFour, products.data());
      for (Index k = 0; k < count; ++k) {
        const double a = products[static_cast<std::size_t>(k) * kEight];
        const double e = products[static_cast<std::size_t>(k) * kEight + 1];
        const auto j = static_cast<std::size_t>(first + k);
        l_[j] -= a * a / p;
        q_[j] -= 2 * a * e / p - a * a * ugu / (p * p);
        gain_[j] = q_[j] / (1 + l_[j]);
      }
    });
    for (std::size_t j = 0; j < n_; ++j) {
      add_multiple(-u[j] / p, u.data(), m_.data() + j * n_, n_);
    }
  }

  /// M, l and q from the picks.
  void renew() {
    const auto size = static_cast<int>(n_);
    m_ = outer_products(features_, picks_);
    for (std::size_t i = 0; i < n_; ++i) m_[i * n_ + i] += 1;
    int info = 0;
    dpotrf_("U", &size, m_.data(), &size, &info);
    if (info == 0) dpotri_("U", &size, m_.data(), &size, &info);
    if (info != 0) throw Error(ErrorCode::internal, "I + F_S F_S' was not positive definite");
    for (std::size_t j = 0; j < n_; ++j) {
      for (std::size_t i = 0; i < j; ++i) m_[i * n_ + j] = m_[j * n_ + i];
    }
    std::vector<double> gm(n_ * n_);
    std::vector<double> mgm(n_ * n_);
    cblas_dsymm(CblasColMajor, CblasLeft, CblasUpper, size, size, 1.0, g_.data(), size, m_.data(),
                size, 0.0, gm.data(), size);
    cblas_dsymm(CblasColMajor, CblasLeft, CblasUpper, size, size, 1.0, m_.data(), size, gm.data(),
                size, 0.0, mgm.data(), size);
    for_each_column_block(features_, run_, [&](Index first, Index count) {
      std::vector<Index> block(static_cast<std::size_t>(count));
      std::iota(block.begin(), block.end(), first);
      quadratic_forms(features_, block, m_.data(), l_.data() + first);
      quadratic_forms(features_, block, mgm.data(), q_.data() + first);
      for (const Index j : block) gain_[j] = q_[j] / (1 + l_[j]);
    });
  }

  const UnitFeatures& features_;
  RunContext run_;
  std::size_t n_;
  std::vector<char> is_open_;
  std::vector<Index> picks_;
  std::vector<double> g_, m_, l_, q_, gain_;
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
        vectors_(n_ * kEight, 0.0) {
    run_.threads = worker_count(run);
  }

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
    for_each_column_block(features_, run_, [&](Index first, Index count) {
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
  RunContext run_;
  std::size_t n_;
  std::vector<char> is_open_;
  std::vector<double> left_;   ///< squared lengths
  std::vector<double> basis_;  ///< orthonormal vectors, one after the other
  std::vector<double> vectors_;
};

template <typename Picker>
std::vector<Index> picked(const UnitFeatures& features, Index n_picks, const RunContext& run) {
  const SingleThreadedBlas single_threaded;
  Picker picker(features, run);
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
