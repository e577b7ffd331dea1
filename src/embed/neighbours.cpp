// Affinities of nearest neighbours: exact, by the products of every pair of samples.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <tuple>
#include <vector>

#include "core/memory.hpp"
#include "core/threads.hpp"
#include "embed/affinity.hpp"
#include "embed/nearest_lists.hpp"
#include "embed/pair_keys.hpp"

namespace sfg::detail {

namespace {

constexpr Index kHeatNeighbours = 5;
constexpr Index kCosineNeighbours = 20;

/// A neighbour of sample a, or a pair of samples, with its squared distance, cosine or weight.
struct Pair {
  Index a;
  Index b;
  double value;
};

/// Products into keys whose lowest are the neighbours: to_squared_distances or to_minus_cosines.
/// What it returns is added up over all pairs.
using ToKeys = double (*)(double squared_length, const double* squared_lengths, double* keys,
                          std::size_t n);

/// Each pair of samples is looked at once and offered to both. Strips of samples meet the tiles of
/// those before them, so that offers come in the order of the indices, nearly: what is nearer than
/// all before is rare then.
class NeighbourSearch {
 public:
  NeighbourSearch(const SampleProducts& products, NearestLists& lists, ToKeys to_keys)
      : products_(products),
        lists_(lists),
        to_keys_(to_keys),
        guards_(static_cast<std::size_t>((products.n_samples() + kTileSamples - 1) / kTileSamples)),
        sums_(static_cast<std::size_t>(n_strips(products.n_samples()))) {}

  void run(const RunContext& run);
  /// Of what `to_keys` returned, over all ordered pairs: strip by strip, whoever did them.
  [[nodiscard]] double sum() const noexcept {
    double sum = 0;
    for (const double part : sums_) sum += 2 * part;
    return sum;
  }

 private:
  struct Hit {
    Index i;
    Index j;
    double key;
  };
  struct Workspace {
    SampleProducts::Scratch scratch;
    std::vector<double> row_limits;
    std::vector<double> limits;
    std::vector<Hit> hits;
  };

  [[nodiscard]] std::mutex& guard_of(Index sample) { return guards_[sample / kTileSamples]; }
  void read_limits(Index begin, Index end, Index from, std::vector<double>& limits);
  [[nodiscard]] double meet(Index begin, Index end, Index first, Index last, double* tile,
                            Index leading, Workspace& work);
  void find_hits(Index i, Index first, Index n, const double* keys, double limit, Workspace& work);
  void offer(Index begin, Index first, const std::vector<Hit>& hits);

  const SampleProducts& products_;
  NearestLists& lists_;
  ToKeys to_keys_;
  std::vector<std::mutex> guards_;  ///< of the lists of each tile of samples
  std::vector<double> sums_;        ///< by strip
};

void NeighbourSearch::run(const RunContext& run) {
  const Index n = products_.n_samples();
  std::vector<Workspace> workspaces(static_cast<std::size_t>(worker_count(run)));
  // Later strips meet more samples: as many strips to each item as make all items alike in work.
  const Index n_items = (n_strips(n) + 1) / 2;
  const auto first_strip = [&](std::int64_t item) {
    return static_cast<Index>(
        std::llround(n_strips(n) * std::sqrt(static_cast<double>(item) / n_items)));
  };
  parallel_for_workers(run, "neighbours", n_items, [&](std::int64_t item, int worker) {
    Workspace& work = workspaces[worker];
    for (Index strip = first_strip(item); strip < first_strip(item + 1); ++strip) {
      const Index begin = strip * kStripSamples;
      const Index end = std::min(n, begin + kStripSamples);
      double sum = 0;
      products_.visit_tiles(begin, end, work.scratch,
                            [&](Index first, Index last, double* tile, Index leading) {
                              check_stop(run);
                              sum += meet(begin, end, first, last, tile, leading, work);
                            });
      sums_[strip] = sum;
    }
  });
}

void NeighbourSearch::read_limits(Index begin, Index end, Index from, std::vector<double>& limits) {
  limits.resize(static_cast<std::size_t>(end - begin));
  const std::lock_guard lock(guard_of(begin));
  for (Index i = begin; i < end; ++i) limits[i - begin] = lists_.limit(i, from);
}

double NeighbourSearch::meet(Index begin, Index end, Index first, Index last, double* tile,
                             Index leading, Workspace& work) {
  read_limits(begin, end, first, work.row_limits);
  read_limits(first, last, begin, work.limits);
  work.hits.clear();
  double sum = 0;
  for (Index i = begin; i < end; ++i) {
    const Index n = std::min(last, i) - first;
    if (n <= 0) continue;
    double* keys = tile + static_cast<std::ptrdiff_t>(i - begin) * leading;
    sum += to_keys_(products_.squared_length(i), products_.squared_lengths().data() + first, keys,
                    static_cast<std::size_t>(n));
    find_hits(i, first, n, keys, work.row_limits[i - begin], work);
  }
  offer(begin, first, work.hits);
  return sum;
}

void NeighbourSearch::find_hits(Index i, Index first, Index n, const double* keys, double limit,
                                Workspace& work) {
  const double* limits = work.limits.data();
  const auto end = static_cast<std::size_t>(n);
  for (std::size_t j = 0; (j = first_within(keys, limit, limits, j, end)) < end;) {
    for (const std::size_t group = std::min(end, j + kKeysAtOnce); j < group; ++j) {
      if (keys[j] <= limit || keys[j] <= limits[j]) {
        work.hits.push_back({i, first + static_cast<Index>(j), keys[j]});
      }
    }
  }
}

void NeighbourSearch::offer(Index begin, Index first, const std::vector<Hit>& hits) {
  if (hits.empty()) return;
  {
    const std::lock_guard lock(guard_of(begin));
    for (const Hit& hit : hits) lists_.offer(hit.i, {hit.j, hit.key});
  }
  const std::lock_guard lock(guard_of(first));
  for (const Hit& hit : hits) lists_.offer(hit.j, {hit.i, hit.key});
}

/// Memory of a search, asked for before it starts.
void require_search_memory(const SampleProducts& products, Index count, const RunContext& run) {
  const double n = products.n_samples();
  const double lists = n * (NearestLists::list_bytes(count) + sizeof(double));
  const double pairs = 5.0 * sizeof(Pair) * n * count;
  const double scratch = sizeof(double) * products.scratch_size() * worker_count(run);
  require_memory(lists + pairs + scratch, run,
                 fmt::format("finding the neighbours of {} samples", products.n_samples()),
                 "raise {memory_limit} or lower {threads}");
}

std::vector<Pair> pairs_of(const NearestLists& lists, Index n) {
  std::vector<Pair> pairs;
  for (Index i = 0; i < n; ++i) {
    for (const Near& near : lists.chosen(i)) pairs.push_back({i, near.index, near.key});
  }
  return pairs;
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
  require_search_memory(products, count + 1, run);
  // A sample is among its own nearest ones and drops out with the diagonal: as the paper's, and of
  // importance only if there are more exact copies than neighbours.
  NearestLists lists(n, count + 1, products.squared_lengths());
  for (Index i = 0; i < n; ++i) lists.offer(i, {i, 0.0});
  NeighbourSearch search(products, lists, to_squared_distances);
  search.run(run);
  Affinity result;
  result.sigma = search.sum() / (static_cast<double>(n) * n);
  std::vector<Pair> pairs = pairs_of(lists, n);
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
  require_search_memory(products, count, run);
  // The most alike have the lowest minus cosine. Samples with nothing in common are no neighbours.
  NearestLists lists(n, count, std::vector<double>(static_cast<std::size_t>(n), 1.0));
  NeighbourSearch(products, lists, to_minus_cosines).run(run);
  std::vector<Pair> pairs = pairs_of(lists, n);
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
