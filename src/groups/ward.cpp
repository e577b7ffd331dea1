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

/// Merges between two looks at Run::stop.
constexpr std::size_t kMergesPerLook = 64;
/// Components whose products are found at once.
constexpr std::size_t kTile = 128;
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

class Agglomeration {
 public:
  Agglomeration(const UnitFeatures& features, const std::vector<char>& takes_part, const Run& run)
      : run_(run),
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
  }

  void add_edge(Index a, Index b) {
    neighbours_[static_cast<std::size_t>(a)].push_back(b);
    neighbours_[static_cast<std::size_t>(b)].push_back(a);
  }

  /// Merges until no two groups are adjacent, or so few are left.
  void merge_along_edges(Index fewest_groups) {
    for (const Index group : groups_) {
      look_up_neighbours(group);
      for (const Index other : neighbours_[static_cast<std::size_t>(group)]) {
        if (other > group) push(group, other);
      }
    }
    while (n_groups_ > fewest_groups && !heap_.empty()) {
      const Pair pair = heap_.top();
      heap_.pop();
      if (pair.version_a == version_[static_cast<std::size_t>(pair.a)] &&
          pair.version_b == version_[static_cast<std::size_t>(pair.b)]) {
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
  void push(Index a, Index b) {
    if (a > b) std::swap(a, b);
    heap_.push({centroids_->cost(a, b), a, b, version_[static_cast<std::size_t>(a)],
                version_[static_cast<std::size_t>(b)]});
  }

  /// Brings a group's list up to date: groups as they are now, each once, without itself.
  void look_up_neighbours(Index group) {
    auto& list = neighbours_[static_cast<std::size_t>(group)];
    ++look_;
    seen_[static_cast<std::size_t>(group)] = look_;
    std::size_t n_found = 0;
    for (const Index neighbour : list) {
      const Index other = sets_.root(neighbour);
      auto& seen = seen_[static_cast<std::size_t>(other)];
      if (seen == look_) continue;
      seen = look_;
      list[n_found++] = other;
    }
    list.resize(n_found);
  }

  void merge(const Pair& pair) {
    if (merges_.size() % kMergesPerLook == 0) look_outside();
    centroids_->merge(pair.a, pair.b);
    sets_.join(pair.a, pair.b);
    --n_groups_;
    merges_.push_back({pair.a, pair.b, pair.cost, pair.a, 0, 0.0});
    ++version_[static_cast<std::size_t>(pair.a)];
    version_[static_cast<std::size_t>(pair.b)] = -1;
    auto& list = neighbours_[static_cast<std::size_t>(pair.a)];
    auto& other = neighbours_[static_cast<std::size_t>(pair.b)];
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

  const Run& run_;
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
  const SingleThreadedBlas single_threaded;
  const std::size_t m = groups_.size();
  const std::size_t n_tiles = (m + kTile - 1) / kTile;
  std::vector<double> squares(m);
  std::vector<Index> nearest(m, -1);
  const auto expand = [&](std::size_t tile, std::vector<double>& columns) {
    const std::size_t first = tile * kTile;
    const std::size_t count = std::min(kTile, m - first);
    columns.resize(n_samples_ * kTile);
    for (std::size_t k = 0; k < count; ++k) {
      centroids_->expand(groups_[first + k], columns.data() + k * n_samples_);
    }
    return count;
  };
  parallel_for(run_, {}, static_cast<std::int64_t>(n_tiles), [&](std::int64_t tile) {
    std::vector<double> columns;
    const std::size_t count = expand(static_cast<std::size_t>(tile), columns);
    for (std::size_t k = 0; k < count; ++k) {
      const double* mean = columns.data() + k * n_samples_;
      squares[static_cast<std::size_t>(tile) * kTile + k] = dot(mean, mean, n_samples_);
    }
  });
  parallel_for(run_, "groups", static_cast<std::int64_t>(n_tiles), [&](std::int64_t tile) {
    const auto first = static_cast<std::size_t>(tile) * kTile;
    std::vector<double> own;
    std::vector<double> other;
    std::vector<double> products(kTile * kTile);
    std::vector<double> best(kTile, std::numeric_limits<double>::infinity());
    const std::size_t count = expand(static_cast<std::size_t>(tile), own);
    const auto n = static_cast<int>(n_samples_);
    for (std::size_t t = 0; t < n_tiles; ++t) {
      const std::size_t n_others = expand(t, other);
      cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, static_cast<int>(n_others),
                  static_cast<int>(count), n, 1.0, other.data(), n, own.data(), n, 0.0,
                  products.data(), static_cast<int>(kTile));
      for (std::size_t k = 0; k < count; ++k) {
        const double size = centroids_->size(groups_[first + k]);
        for (std::size_t l = 0; l < n_others; ++l) {
          if (t * kTile + l == first + k) continue;
          const double other_size = centroids_->size(groups_[t * kTile + l]);
          const double square =
              squares[first + k] + squares[t * kTile + l] - 2 * std::fabs(products[k * kTile + l]);
          const double cost = size * other_size / (size + other_size) * square;
          if (cost < best[k] - kCostTie) {
            best[k] = cost;
            nearest[first + k] = groups_[t * kTile + l];
          }
        }
      }
    }
  });
  for (std::size_t k = 0; k < m; ++k) add_edge(groups_[k], nearest[k]);
}

}  // namespace

WardMerges ward_merges(const FeatureGraph& graph, const UnitFeatures& features,
                       const std::vector<char>& takes_part, Index fewest_groups, const Run& run) {
  Agglomeration agglomeration(features, takes_part, run);
  for (Index i = 0; i < graph.n_features(); ++i) {
    if (takes_part[static_cast<std::size_t>(i)] == 0) continue;
    for (const Index j : graph.neighbours_of(i)) {
      if (takes_part[static_cast<std::size_t>(j)] != 0) agglomeration.add_edge(i, j);
    }
  }
  WardMerges result;
  agglomeration.merge_along_edges(0);
  result.n_edge_merges = static_cast<Index>(agglomeration.merges().size());
  // Each round at least halves the number of groups.
  while (fewest_groups > 0 && agglomeration.n_groups() > std::max<Index>(fewest_groups, 1)) {
    agglomeration.connect_to_nearest();
    agglomeration.merge_along_edges(fewest_groups);
  }
  result.merges = std::move(agglomeration.merges());
  return result;
}

}  // namespace sfg::detail
