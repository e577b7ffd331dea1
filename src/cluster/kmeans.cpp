#include <cblas.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <numeric>

#include "core/random.hpp"
#include "core/threads.hpp"
#include "sfg/cluster.hpp"
#include "sfg/error.hpp"

namespace sfg {

namespace {

/// Samples whose products with the centres are worked on together: fixed, since digits may depend
/// on it, and few enough to stay in the cache.
constexpr Index kTile = 256;

/// Samples one after the other, as the inner loops want them.
struct Points {
  Index n = 0;
  Index dims = 0;
  std::vector<double> values;

  explicit Points(const DenseMatrix& samples)
      : n(samples.n_samples()),
        dims(samples.n_features()),
        values(static_cast<std::size_t>(n) * static_cast<std::size_t>(dims)) {
    for (Index k = 0; k < dims; ++k) {
      const auto column = samples.column(k);
      for (std::size_t i = 0; i < column.size(); ++i) {
        values[i * static_cast<std::size_t>(dims) + static_cast<std::size_t>(k)] = column[i];
      }
    }
  }
  [[nodiscard]] const double* operator[](Index i) const noexcept {
    return values.data() + static_cast<std::ptrdiff_t>(i) * dims;
  }
};

double squared_distance(const double* a, const double* b, Index dims) noexcept {
  double sum = 0;
  for (Index k = 0; k < dims; ++k) sum += (a[k] - b[k]) * (a[k] - b[k]);
  return sum;
}

/// One run of Lloyd's iterations.
class Replicate {
 public:
  Replicate(const Points& points, Index n_clusters, const KMeansOptions& options,
            std::uint64_t seed)
      : points_(points),
        k_(n_clusters),
        options_(options),
        random_(seed),
        centres_(static_cast<std::size_t>(n_clusters) * static_cast<std::size_t>(points.dims)),
        labels_(static_cast<std::size_t>(points.n), -1),
        sizes_(static_cast<std::size_t>(n_clusters)),
        products_(static_cast<std::size_t>(n_clusters) * kTile) {}

  KMeansResult run() {
    if (options_.start == KMeansStart::plus_plus) {
      start_plus_plus();
    } else {
      start_at_random_samples();
    }
    KMeansResult result;
    while (result.n_iterations < options_.max_iter && !result.converged) {
      ++result.n_iterations;
      result.converged = !assign();
      if (!result.converged) update_centres();
    }
    finish(result);
    return result;
  }

 private:
  [[nodiscard]] double* centre(Index c) noexcept {
    return centres_.data() + static_cast<std::ptrdiff_t>(c) * points_.dims;
  }
  [[nodiscard]] double squared_distance_to(Index sample, Index c) noexcept {
    return squared_distance(points_[sample], centre(c), points_.dims);
  }
  void put_centre(Index c, Index sample) { std::copy_n(points_[sample], points_.dims, centre(c)); }

  void start_at_random_samples() {
    std::vector<Index> order(labels_.size());
    std::iota(order.begin(), order.end(), Index{0});
    for (Index c = 0; c < k_; ++c) {
      const auto left = static_cast<std::uint64_t>(points_.n - c);
      const auto pick = static_cast<std::size_t>(c) + static_cast<std::size_t>(random_.below(left));
      std::swap(order[c], order[pick]);
      put_centre(c, order[c]);
    }
  }

  /// Each further centre with a probability proportional to the squared distance to the nearest one
  /// so far (Arthur and Vassilvitskii).
  void start_plus_plus() {
    put_centre(0, static_cast<Index>(random_.below(static_cast<std::uint64_t>(points_.n))));
    std::vector<double> nearest(labels_.size(), std::numeric_limits<double>::infinity());
    for (Index c = 1; c < k_; ++c) {
      double total = 0;
      for (Index i = 0; i < points_.n; ++i) {
        auto& distance = nearest[i];
        distance = std::min(distance, squared_distance_to(i, c - 1));
        total += distance;
      }
      double left = random_.uniform() * total;
      Index chosen = -1;
      for (Index i = 0; i < points_.n; ++i) {
        const double distance = nearest[i];
        if (distance <= 0) continue;
        chosen = i;  // the last one that can be chosen, should rounding leave something over
        left -= distance;
        if (left < 0) break;
      }
      // Every sample is a centre already: a copy of the first one, which stays empty.
      put_centre(c, std::max<Index>(chosen, 0));
    }
  }

  /// Every sample to its nearest centre, the lowest of equal ones; true if a label changed.
  bool assign() {
    std::vector<double> lengths(static_cast<std::size_t>(k_), 0.0);
    for (Index c = 0; c < k_; ++c) {
      const double* at = centre(c);
      for (Index d = 0; d < points_.dims; ++d) {
        lengths[c] += at[d] * at[d];
      }
    }
    const std::vector<Index> before = labels_;
    std::ranges::fill(sizes_, 0);
    for (Index begin = 0; begin < points_.n; begin += kTile) {
      assign_tile(begin, std::min(kTile, points_.n - begin), lengths);
    }
    fill_empty_clusters();
    return labels_ != before;
  }

  /// |x - c|^2 = |x|^2 + |c|^2 - 2 <x, c>, and |x|^2 is the same for all centres.
  void assign_tile(Index begin, Index count, const std::vector<double>& lengths) {
    const Index leading = std::max<Index>(1, points_.dims);
    cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, k_, count, points_.dims, -2.0,
                centres_.data(), leading, points_[begin], leading, 0.0, products_.data(), k_);
    for (Index i = 0; i < count; ++i) {
      const double* row = products_.data() + static_cast<std::ptrdiff_t>(i) * k_;
      Index best = 0;
      double best_distance = row[0] + lengths[0];
      for (Index c = 1; c < k_; ++c) {
        const double distance = row[c] + lengths[c];
        if (distance < best_distance) {
          best = c;
          best_distance = distance;
        }
      }
      labels_[begin + i] = best;
      ++sizes_[best];
    }
  }

  /// An empty cluster takes the sample farthest from its centre, unless that one is its only sample
  /// or all are where their centres are.
  void fill_empty_clusters() {
    if (std::ranges::find(sizes_, 0) == sizes_.end()) return;
    std::vector<double> distance(labels_.size());
    for (Index i = 0; i < points_.n; ++i) {
      distance[i] = squared_distance_to(i, labels_[i]);
    }
    for (Index c = 0; c < k_; ++c) {
      if (sizes_[c] != 0) continue;
      Index farthest = -1;
      for (Index i = 0; i < points_.n; ++i) {
        const auto at = static_cast<std::size_t>(i);
        if (sizes_[labels_[at]] < 2 || distance[at] <= 0) continue;
        if (farthest < 0 || distance[at] > distance[farthest]) {
          farthest = i;
        }
      }
      if (farthest < 0) return;
      const auto at = static_cast<std::size_t>(farthest);
      --sizes_[labels_[at]];
      sizes_[c] = 1;
      labels_[at] = c;
      distance[at] = 0;
    }
  }

  /// Means of the clusters; an empty one keeps its centre.
  void update_centres() {
    for (Index c = 0; c < k_; ++c) {
      if (sizes_[c] > 0) std::fill_n(centre(c), points_.dims, 0.0);
    }
    for (Index i = 0; i < points_.n; ++i) {
      double* to = centre(labels_[i]);
      const double* from = points_[i];
      for (Index d = 0; d < points_.dims; ++d) to[d] += from[d];
    }
    for (Index c = 0; c < k_; ++c) {
      const Index size = sizes_[c];
      for (Index d = 0; d < points_.dims && size > 0; ++d) centre(c)[d] /= size;
    }
  }

  /// Objective, and clusters numbered by their first sample.
  void finish(KMeansResult& result) {
    std::vector<Index> number(static_cast<std::size_t>(k_), -1);
    std::vector<Index> order;
    for (Index i = 0; i < points_.n; ++i) {
      const Index label = labels_[i];
      const double squared = squared_distance_to(i, label);
      result.objective +=
          options_.objective == KMeansObjective::distance ? std::sqrt(squared) : squared;
      auto& to = number[label];
      if (to < 0) {
        to = static_cast<Index>(order.size());
        order.push_back(label);
      }
      result.labels.push_back(to);
    }
    result.n_clusters = static_cast<Index>(order.size());
    result.centres = DenseMatrix(result.n_clusters, points_.dims);
    for (Index c = 0; c < result.n_clusters; ++c) {
      const double* from = centre(order[c]);
      for (Index d = 0; d < points_.dims; ++d) result.centres(c, d) = from[d];
    }
  }

  const Points& points_;
  Index k_;
  const KMeansOptions& options_;
  detail::Random random_;
  std::vector<double> centres_;  ///< dims x k
  std::vector<Index> labels_;
  std::vector<Index> sizes_;
  std::vector<double> products_;  ///< k x kTile
};

/// A random sequence of its own for every replicate of every seed.
std::uint64_t replicate_seed(std::uint64_t seed, std::uint64_t replicate) {
  return detail::Random(detail::Random(seed).bits() + replicate).bits();
}

/// The best of the replicates of a seed so far, the first of equals: there may be a million of
/// them.
struct BestReplicate {
  KMeansResult result;
  std::int64_t number = -1;

  void take(KMeansResult&& other, std::int64_t its_number) {
    const bool is_better = number < 0 || other.objective < result.objective ||
                           (other.objective == result.objective && its_number < number);
    if (!is_better) return;
    result = std::move(other);
    number = its_number;
  }
};

void check(const KMeansOptions& options, Index n_clusters, Index n_samples) {
  if (n_clusters < 1 || n_clusters > n_samples) {
    throw Error(ErrorCode::invalid_option,
                fmt::format("the number of clusters must be between 1 and the number of samples, "
                            "{}, not {}",
                            n_samples, n_clusters));
  }
  if (options.n_init < 1 || options.max_iter < 1) {
    throw Error(ErrorCode::invalid_option,
                fmt::format("k-means needs at least 1 replicate and 1 iteration, not {} and {}",
                            options.n_init, options.max_iter));
  }
}

}  // namespace

std::vector<KMeansResult> kmeans(const DenseMatrix& samples, Index n_clusters,
                                 const KMeansOptions& options, int n_seeds, const RunContext& run) {
  check(options, n_clusters, samples.n_samples());
  const detail::SingleThreadedBlas single_threaded;
  const Points points(samples);
  std::vector<BestReplicate> best(static_cast<std::size_t>(n_seeds));
  std::mutex one_at_a_time;
  const std::int64_t n_replicates = std::int64_t{n_seeds} * options.n_init;
  detail::parallel_for(run, "kmeans", n_replicates, [&](std::int64_t item) {
    const std::int64_t place = item / options.n_init;
    const auto replicate = static_cast<std::uint64_t>(item % options.n_init);
    const std::uint64_t seed =
        replicate_seed(run.seed + static_cast<std::uint64_t>(place), replicate);
    KMeansResult result = Replicate(points, n_clusters, options, seed).run();
    const std::lock_guard lock(one_at_a_time);
    best[static_cast<std::size_t>(place)].take(std::move(result), item);
  });
  std::vector<KMeansResult> results;
  results.reserve(best.size());
  for (BestReplicate& one : best) results.push_back(std::move(one.result));
  return results;
}

KMeansResult kmeans(const DenseMatrix& samples, Index n_clusters, const KMeansOptions& options,
                    const RunContext& run) {
  return std::move(kmeans(samples, n_clusters, options, 1, run).front());
}

}  // namespace sfg
