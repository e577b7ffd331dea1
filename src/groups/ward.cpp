// Ward's agglomeration along edges.
#include "groups/ward.hpp"

#include <cblas.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/kernels.hpp"
#include "core/threads.hpp"
#include "groups/adjacent_pairs.hpp"
#include "groups/centroids.hpp"

namespace sfg::detail {

namespace {

/// Merges between two looks at RunContext::stop.
constexpr std::size_t kMergesPerLook = 64;
/// Components whose products are found at once.
constexpr std::size_t kWardTile = 128;
/// Of partners that cost the same up to rounding the lowest one is taken.
constexpr double kCostTie = 1e-12;

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
        is_gone_(takes_part.size(), 0) {
    for (std::size_t i = 0; i < takes_part.size(); ++i) {
      if (takes_part[i] != 0) groups_.push_back(static_cast<Index>(i));
    }
    n_groups_ = static_cast<Index>(groups_.size());
    for (Index i = 0; window_ != nullptr && i < features.n_features(); ++i) {
      spans_.push_back({window_->place_of(i), window_->place_of(i)});
    }
  }

  void add_edge(Index a, Index b) { edges_.emplace_back(a, b); }

  /// Merges until no two groups are adjacent, or so few are left. The edges are used up.
  void merge_along_edges(Index fewest_groups) {
    AdjacentPairs pairs(*centroids_, std::exchange(edges_, {}), static_cast<Index>(is_gone_.size()),
                        run_);
    while (n_groups_ > fewest_groups) {
      const std::optional<AdjacentPair> pair = pairs.cheapest();
      if (!pair) break;
      if (!fit_together(pair->a, pair->b)) {
        pairs.forget_cheapest();
        continue;
      }
      if (window_ != nullptr) spans_[pair->a] = union_of(spans_[pair->a], spans_[pair->b]);
      if (merges_.size() % kMergesPerLook == 0) look_outside();
      pairs.merge(*pair);
      centroids_->merge(pair->a, pair->b);
      is_gone_[pair->b] = 1;
      --n_groups_;
      merges_.push_back({pair->a, pair->b, pair->cost, pair->a, 0, 0.0, 0.0});
    }
    std::erase_if(groups_, [&](Index group) { return is_gone_[group] != 0; });
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

  /// Whether all members of the union would be near each other. If not, they never will be.
  [[nodiscard]] bool fit_together(Index a, Index b) const {
    if (window_ == nullptr) return true;
    const Span both = union_of(spans_[a], spans_[b]);
    return both.last < window_->end_near(both.first);
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
  std::vector<char> is_gone_;  ///< merged with one that has a lower member
  std::vector<Index> groups_;  ///< lowest members, as of the last call
  Index n_groups_ = 0;
  std::vector<std::pair<Index, Index>> edges_;
  std::vector<CompactMerge> merges_;
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
