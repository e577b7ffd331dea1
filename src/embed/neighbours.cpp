// Affinities of nearest neighbours: exact, by the products of every sample with all others.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <tuple>

#include "core/memory.hpp"
#include "core/threads.hpp"
#include "embed/affinity.hpp"

namespace sfg::detail {

namespace {

constexpr Index kHeatNeighbours = 5;
constexpr Index kCosineNeighbours = 20;
/// Squared distances (in units of the lengths involved) and cosines closer than this are equal, and
/// the lowest index is nearer: products of exact copies differ by rounding only.
constexpr double kNeighbourTie = 1e-12;
/// Key of a sample that cannot be a neighbour.
constexpr double kNever = std::numeric_limits<double>::infinity();

/// A neighbour of sample a, or a pair of samples, with its squared distance, cosine or weight.
struct Pair {
  Index a;
  Index b;
  double value;
};

/// The `count` lowest keys, those within `tie` of the last one by lowest index.
void choose_nearest(std::span<const double> keys, Index count, double scale,
                    std::vector<double>& scratch, std::vector<Index>& chosen) {
  chosen.clear();
  count = std::min(count, static_cast<Index>(keys.size()));
  if (count < 1) return;
  scratch.assign(keys.begin(), keys.end());
  std::ranges::nth_element(scratch, scratch.begin() + (count - 1));
  const double last = scratch[count - 1];
  const double tie = last == kNever ? 0 : kNeighbourTie * (scale + std::fabs(last));
  const auto add = [&](auto&& fits) {
    for (std::size_t j = 0; j < keys.size() && static_cast<Index>(chosen.size()) < count; ++j) {
      if (keys[j] != kNever && fits(keys[j])) chosen.push_back(static_cast<Index>(j));
    }
  };
  if (last == kNever) {
    add([](double) { return true; });
    return;
  }
  add([&](double key) { return key < last - tie; });
  add([&](double key) { return std::fabs(key - last) <= tie; });
}

/// Calls to_keys(i, row) for every sample, with its products with all samples, to be overwritten by
/// keys whose lowest are its neighbours; `scale(i)` is the size of numbers that the keys are
/// differences of.
template <typename ToKeys, typename Scale>
std::vector<Pair> find_neighbours(const SampleProducts& products, Index count,
                                  const RunContext& run, const ToKeys& to_keys,
                                  const Scale& scale) {
  const Index n = products.n_samples();
  const double strip_bytes = sizeof(double) * (kStripSamples + 1.0) * n;
  const double pair_bytes = 5.0 * sizeof(Pair) * n * count;
  require_memory(strip_bytes * worker_count(run) + pair_bytes, run,
                 fmt::format("finding the neighbours of {} samples", n),
                 "raise {memory_limit} or lower {threads}");
  std::vector<std::vector<Pair>> found(static_cast<std::size_t>(n_strips(n)));
  parallel_for(run, "affinity", n_strips(n), [&](std::int64_t item) {
    const Index begin = static_cast<Index>(item) * kStripSamples;
    const Index end = std::min(n, begin + kStripSamples);
    std::vector<double> strip(static_cast<std::size_t>(end - begin) * static_cast<std::size_t>(n));
    products.strip(begin, end, n, strip.data());
    std::vector<double> scratch;
    std::vector<Index> chosen;
    for (Index i = begin; i < end; ++i) {
      const std::span<double> row(strip.data() + static_cast<std::ptrdiff_t>(i - begin) * n,
                                  static_cast<std::size_t>(n));
      to_keys(i, row);
      choose_nearest(row, count, scale(i), scratch, chosen);
      for (const Index j : chosen) {
        found[item].push_back({i, j, row[j]});
      }
    }
  });
  std::vector<Pair> all;
  for (const auto& part : found) all.insert(all.end(), part.begin(), part.end());
  return all;
}

/// Neighbours in either direction, the larger weight if both have one; no diagonal, no zeros.
SparseMatrix symmetric(Index n, std::vector<Pair> pairs) {
  for (Pair& pair : pairs) {
    if (pair.a > pair.b) std::swap(pair.a, pair.b);
  }
  std::ranges::sort(pairs, [](const Pair& left, const Pair& right) {
    return std::tuple(left.a, left.b, -left.value) < std::tuple(right.a, right.b, -right.value);
  });
  std::vector<Triplet> entries;
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    const Pair& pair = pairs[k];
    const bool seen = k > 0 && pairs[k - 1].a == pair.a && pairs[k - 1].b == pair.b;
    if (seen || pair.a == pair.b || pair.value <= 0) continue;
    entries.push_back({pair.a, pair.b, pair.value});
    entries.push_back({pair.b, pair.a, pair.value});
  }
  return assemble(n, n, entries, RepeatedEntries::refuse);
}

Index count_isolated(const SparseMatrix& weights) {
  Index count = 0;
  for (Index i = 0; i < weights.n_features; ++i) count += weights.column_rows(i).empty() ? 1 : 0;
  return count;
}

}  // namespace

Affinity heat_knn_affinity(const SampleProducts& products, const AffinityOptions& options,
                           const RunContext& run) {
  const Index n = products.n_samples();
  const Index count = options.n_neighbors > 0 ? options.n_neighbors : kHeatNeighbours;
  std::vector<double> distance_sums(static_cast<std::size_t>(n));
  // A sample is among its own nearest ones and drops out with the diagonal: as the paper's, and of
  // importance only if there are more exact copies than neighbours.
  std::vector<Pair> pairs = find_neighbours(
      products, count + 1, run,
      [&](Index i, std::span<double> row) {
        double sum = 0;
        for (Index j = 0; j < n; ++j) {
          double& entry = row[j];
          entry = i == j ? 0 : products.squared_distance(i, j, entry);
          sum += std::sqrt(entry);
        }
        distance_sums[i] = sum;
      },
      [&](Index i) { return products.squared_length(i); });
  Affinity result;
  for (const double sum : distance_sums) result.sigma += sum;
  result.sigma /= static_cast<double>(n) * n;
  for (Pair& pair : pairs) pair.value = gauss_weight(pair.value, result.sigma, options.exponent);
  SparseMatrix weights = symmetric(n, std::move(pairs));
  result.n_isolated = count_isolated(weights);
  result.weights = std::move(weights);
  return result;
}

Affinity cosine_knn_affinity(const SampleProducts& products, const AffinityOptions& options,
                             const RunContext& run) {
  const Index n = products.n_samples();
  const Index count = options.n_neighbors > 0 ? options.n_neighbors : kCosineNeighbours;
  // The most alike have the lowest minus cosine. Samples with nothing in common are no neighbours.
  std::vector<Pair> pairs = find_neighbours(
      products, count, run,
      [&](Index i, std::span<double> row) {
        for (Index j = 0; j < n; ++j) {
          double& entry = row[j];
          entry = i != j && entry > 0
                      ? -entry / std::sqrt(products.squared_length(i) * products.squared_length(j))
                      : kNever;
        }
      },
      [](Index) { return 1.0; });
  for (Pair& pair : pairs) pair.value = std::min(1.0, -pair.value);
  Affinity result;
  SparseMatrix weights = symmetric(n, std::move(pairs));
  double sum = 0;
  for (const double weight : weights.values) sum += weight;
  result.constant = options.regularization * sum / (static_cast<double>(n) * n);
  result.n_isolated = count_isolated(weights);
  result.weights = std::move(weights);
  return result;
}

}  // namespace sfg::detail
