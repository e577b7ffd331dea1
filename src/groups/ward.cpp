// Ward's agglomeration along edges: a heap of costs with lazy deletion.
#include "groups/ward.hpp"

#include <cblas.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>
#include <tuple>

#include "core/disjoint_sets.hpp"
#include "core/kernels.hpp"
#include "core/threads.hpp"
#include "groups/centroids.hpp"

namespace sfg::detail {

namespace {

/// Merges between two looks at RunContext::stop.
constexpr std::size_t kMergesPerLook = 64;
/// Components whose products are found at once.
constexpr std::size_t kWardTile = 128;
/// Of partners that cost the same up to rounding the lowest one is taken.
constexpr double kCostTie = 1e-12;

/// A pair of adjacent groups, as they were when the cost was found.
struct Pair {
  double cost;
  Index a;  ///< lowest members, a < b
  Index b;
  Index version_a;
  Index version_b;
  /// The heap gives the largest first: the cheapest, of these the lowest pair.
  bool operator<(const Pair& other) const noexcept {
    return std::tie(cost, a, b) > std::tie(other.cost, other.a, other.b);
  }
};

/// Every group against every other, a tile of means at a time.
class AllPairs {
 public:
  AllPairs(const Centroids& centroids, const std::vector<Index>& groups, std::size_t n_samples)
      : centroids_(centroids), groups_(groups), n_samples_(n_samples), squares_(groups.size()) {}

  [[nodiscard]] std::size_t n_tiles() const noexcept {
    return (groups_.size() + kWardTile - 1) / kWardTile;
  }

  /// Squared lengths of the means; all tiles before the first call of `nearest`.
  void measure(std::size_t tile) {
    std::vector<double> columns;
    const std::size_t count = expand(tile, columns);
    for (std::size_t k = 0; k < count; ++k) {
      const double* mean = columns.data() + k * n_samples_;
      squares_[tile * kWardTile + k] = dot(mean, mean, n_samples_);
    }
  }

  /// For each group of the tile the one that is cheapest to merge with; -1: there is no other.
  [[nodiscard]] std::vector<Index> nearest(std::size_t tile) const {
    std::vector<double> own;
    std::vector<double> others;
    std::vector<double> products(kWardTile * kWardTile);
    const std::size_t count = expand(tile, own);
    std::vector<Best> best(count);
    const auto n = static_cast<int>(n_samples_);
    for (std::size_t t = 0; t < n_tiles(); ++t) {
      const std::size_t n_others = expand(t, others);
      cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, static_cast<int>(n_others),
                  static_cast<int>(count), n, 1.0, others.data(), n, own.data(), n, 0.0,
                  products.data(), static_cast<int>(kWardTile));
      for (std::size_t k = 0; k < count; ++k) {
        for (std::size_t l = 0; l < n_others; ++l) {
          offer(tile * kWardTile + k, t * kWardTile + l, products[k * kWardTile + l], best[k]);
        }
      }
    }
    std::vector<Index> result;
    for (const Best& one : best) result.push_back(one.group);
    return result;
  }

 private:
  struct Best {
    double cost = std::numeric_limits<double>::infinity();
    Index group = -1;
  };

  std::size_t expand(std::size_t tile, std::vector<double>& columns) const {
    const std::size_t first = tile * kWardTile;
    const std::size_t count = std::min(kWardTile, groups_.size() - first);
    columns.resize(n_samples_ * kWardTile);
    for (std::size_t k = 0; k < count; ++k) {
      centroids_.expand(groups_[first + k], columns.data() + k * n_samples_);
    }
    return count;
  }

  void offer(std::size_t group, std::size_t other, double product, Best& best) const {
    if (other == group) return;
    const double size = centroids_.size(groups_[group]);
    const double other_size = centroids_.size(groups_[other]);
    const double square = squares_[group] + squares_[other] - 2 * std::fabs(product);
    const double cost = size * other_size / (size + other_size) * square;
    if (cost < best.cost - kCostTie) best = {cost, groups_[other]};
  }

  const Centroids& centroids_;
  const std::vector<Index>& groups_;
  std::size_t n_samples_;
  std::vector<double> squares_;
};

std::vector<Index> nearest_groups(const Centroids& centroids, const std::vector<Index>& groups,
                                  std::size_t n_samples, const RunContext& run) {
  const SingleThreadedBlas single_threaded;
  AllPairs pairs(centroids, groups, n_samples);
  const auto n_tiles = static_cast<std::int64_t>(pairs.n_tiles());
  parallel_for(run, {}, n_tiles,
               [&](std::int64_t tile) { pairs.measure(static_cast<std::size_t>(tile)); });
  std::vector<Index> nearest(groups.size(), -1);
  parallel_for(run, "groups", n_tiles, [&](std::int64_t tile) {
    std::ranges::copy(pairs.nearest(static_cast<std::size_t>(tile)),
                      nearest.begin() + static_cast<std::ptrdiff_t>(tile) *
                                            static_cast<std::ptrdiff_t>(kWardTile));
  });
  return nearest;
}

class Agglomeration {
 public:
  Agglomeration(const UnitFeatures& features, const std::vector<char>& takes_part,
                const Window* window, const RunContext& run)
      : run_(run),
        window_(window),
        centroids_(Centroids::make(features)),
        n_samples_(static_cast<std::size_t>(features.n_samples())),
        sets_(features.n_features()),
        neighbours_(takes_part.size()),
        version_(takes_part.size(), 0),
        seen_(takes_part.size(), -1) {
    for (std::size_t i = 0; i < takes_part.size(); ++i) {
      if (takes_part[i] != 0) groups_.push_back(static_cast<Index>(i));
    }
    n_groups_ = static_cast<Index>(groups_.size());
    for (Index i = 0; window_ != nullptr && i < features.n_features(); ++i) {
      spans_.push_back({window_->place_of(i), window_->place_of(i)});
    }
  }

  void add_edge(Index a, Index b) {
    neighbours_[a].push_back(b);
    neighbours_[b].push_back(a);
  }

  /// Merges until no two groups are adjacent, or so few are left.
  void merge_along_edges(Index fewest_groups) {
    for (const Index group : groups_) {
      look_up_neighbours(group);
      for (const Index other : neighbours_[group]) {
        if (other > group) push(group, other);
      }
    }
    while (n_groups_ > fewest_groups && !heap_.empty()) {
      const Pair pair = heap_.top();
      heap_.pop();
      if (pair.version_a == version_[pair.a] && pair.version_b == version_[pair.b]) {
        merge(pair);
      }
    }
    std::erase_if(groups_, [&](Index group) { return sets_.root(group) != group; });
  }

  /// Makes every group adjacent to the one that it would be cheapest to merge with.
  void connect_to_nearest();

  [[nodiscard]] Index n_groups() const noexcept { return n_groups_; }
  [[nodiscard]] std::vector<CompactMerge>& merges() noexcept { return merges_; }

 private:
  /// First and last place of a group along the line.
  struct Span {
    Index first;
    Index last;
  };
  [[nodiscard]] static Span union_of(const Span& a, const Span& b) {
    return {std::min(a.first, b.first), std::max(a.last, b.last)};
  }

  void push(Index a, Index b) {
    if (a > b) std::swap(a, b);
    if (!fit_together(a, b)) return;
    heap_.push({centroids_->cost(a, b), a, b, version_[a], version_[b]});
  }

  /// Whether all members of the union would be near each other. If not, they never will be.
  [[nodiscard]] bool fit_together(Index a, Index b) const {
    if (window_ == nullptr) return true;
    const Span both = union_of(spans_[a], spans_[b]);
    return both.last < window_->end_near(both.first);
  }

  /// Brings a group's list up to date: groups as they are now, each once, without itself.
  void look_up_neighbours(Index group) {
    auto& list = neighbours_[group];
    ++look_;
    seen_[group] = look_;
    std::size_t n_found = 0;
    for (const Index neighbour : list) {
      const Index other = sets_.root(neighbour);
      auto& seen = seen_[other];
      if (seen == look_) continue;
      seen = look_;
      list[n_found++] = other;
    }
    list.resize(n_found);
  }

  void merge(const Pair& pair) {
    if (merges_.size() % kMergesPerLook == 0) look_outside();
    if (window_ != nullptr) spans_[pair.a] = union_of(spans_[pair.a], spans_[pair.b]);
    centroids_->merge(pair.a, pair.b);
    sets_.join(pair.a, pair.b);
    --n_groups_;
    merges_.push_back({pair.a, pair.b, pair.cost, pair.a, 0, 0.0, 0.0});
    ++version_[pair.a];
    version_[pair.b] = -1;
    auto& list = neighbours_[pair.a];
    auto& other = neighbours_[pair.b];
    if (list.size() < other.size()) std::swap(list, other);
    list.insert(list.end(), other.begin(), other.end());
    other = {};
    look_up_neighbours(pair.a);
    for (const Index neighbour : list) push(pair.a, neighbour);
  }

  void look_outside() const {
    check_stop(run_);
    if (run_.progress && !groups_.empty()) {
      run_.progress("groups", static_cast<double>(merges_.size()),
                    static_cast<double>(groups_.size()));
    }
  }

  const RunContext& run_;
  const Window* window_;
  std::vector<Span> spans_;  ///< by lowest member; empty without a window
  std::unique_ptr<Centroids> centroids_;
  std::size_t n_samples_;
  DisjointSets sets_;
  std::vector<Index> groups_;  ///< lowest members, as of the last call
  Index n_groups_ = 0;
  std::vector<std::vector<Index>> neighbours_;  ///< some are out of date: their root counts
  std::vector<Index> version_;                  ///< merges that a group has been through; -1: gone
  std::priority_queue<Pair> heap_;
  std::vector<CompactMerge> merges_;
  std::vector<std::int64_t> seen_;  ///< number of the look that met this group
  std::int64_t look_ = 0;
};

void Agglomeration::connect_to_nearest() {
  const std::vector<Index> nearest = nearest_groups(*centroids_, groups_, n_samples_, run_);
  for (std::size_t k = 0; k < groups_.size(); ++k) add_edge(groups_[k], nearest[k]);
}

}  // namespace

WardMerges ward_merges(const FeatureGraph& graph, const UnitFeatures& features,
                       const std::vector<char>& takes_part, Index fewest_groups,
                       const Window* window, const RunContext& run) {
  Agglomeration agglomeration(features, takes_part, window, run);
  for (Index i = 0; i < graph.n_features(); ++i) {
    if (takes_part[i] == 0) continue;
    for (const Index j : graph.neighbours_of(i)) {
      if (takes_part[j] != 0) agglomeration.add_edge(i, j);
    }
  }
  WardMerges result;
  agglomeration.merge_along_edges(0);
  result.n_edge_merges = static_cast<Index>(agglomeration.merges().size());
  // Each round at least halves the number of groups.
  if (window != nullptr) fewest_groups = 0;
  while (fewest_groups > 0 && agglomeration.n_groups() > std::max<Index>(fewest_groups, 1)) {
    agglomeration.connect_to_nearest();
    agglomeration.merge_along_edges(fewest_groups);
  }
  result.merges = std::move(agglomeration.merges());
  return result;
}

}  // namespace sfg::detail
