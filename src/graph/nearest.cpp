// The nearest-neighbour graph: every feature's largest |<f_i, f_j>|, without a d x d matrix.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/threads.hpp"
#include "normalise/products.hpp"
#include "sfg/error.hpp"
#include "sfg/graph.hpp"

namespace sfg {

namespace {

/// Features whose neighbours are looked for together, and features they are compared with at once.
constexpr std::size_t kTargets = 128;
constexpr std::size_t kOthers = 256;
/// Products this close are a tie, and the lowest index wins: BLAS may sum in another order.
constexpr double kProductTie = 1e-9;

struct Neighbour {
  double product;
  Index feature;
};

bool larger(const Neighbour& left, const Neighbour& right) {
  return std::fabs(left.product) > std::fabs(right.product);
}

/// What may be among the `count` nearest of one feature; thinned out when there are many.
class Candidates {
 public:
  void offer(const Neighbour& one) {
    if (std::fabs(one.product) >= limit_ - kProductTie) all_.push_back(one);
  }

  void thin_out(std::size_t count) {
    constexpr std::size_t kMany = 4;
    if (all_.size() <= kMany * count) return;
    const auto last = all_.begin() + static_cast<std::ptrdiff_t>(count - 1);
    std::nth_element(all_.begin(), last, all_.end(), larger);
    limit_ = std::fabs(last->product);
    std::erase_if(
        all_, [&](const Neighbour& one) { return std::fabs(one.product) < limit_ - kProductTie; });
  }

  /// The first `count` in order of falling |product|, of ties the lowest index, sorted by index.
  [[nodiscard]] std::vector<Neighbour> nearest(std::size_t count) && {
    std::ranges::sort(all_, [](const Neighbour& left, const Neighbour& right) {
      return larger(left, right) || (!larger(right, left) && left.feature < right.feature);
    });
    if (all_.size() > count) {
      const double last = std::fabs(all_[count - 1].product);
      const auto tied = [&](const Neighbour& one) {
        return std::fabs(std::fabs(one.product) - last) <= kProductTie;
      };
      const auto first = std::ranges::find_if(all_, tied);
      const auto end = std::find_if_not(first, all_.end(), tied);
      std::ranges::sort(first, end, {}, &Neighbour::feature);
      all_.resize(count);
    }
    std::ranges::sort(all_, {}, &Neighbour::feature);
    return std::move(all_);
  }

 private:
  std::vector<Neighbour> all_;
  double limit_ = 0;
};

/// Compares every target with all features, a block of products at a time.
std::vector<Candidates> candidates_of(const UnitFeatures& features, std::span<const Index> targets,
                                      std::span<const Index> all, std::size_t count) {
  std::vector<Candidates> candidates(targets.size());
  detail::FeatureProducts products(features);
  std::vector<double> block(kTargets * kOthers);
  for (std::size_t start = 0; start < all.size(); start += kOthers) {
    const auto others = all.subspan(start, std::min(kOthers, all.size() - start));
    products(others, targets, block.data());
    for (std::size_t t = 0; t < targets.size(); ++t) {
      for (std::size_t k = 0; k < others.size(); ++k) {
        if (others[k] == targets[t]) continue;
        candidates[t].offer({block[t * others.size() + k], others[k]});
      }
      candidates[t].thin_out(count);
    }
  }
  return candidates;
}

FeatureGraph graph_of(const std::vector<std::vector<Neighbour>>& nearest) {
  FeatureGraph graph;
  for (const auto& neighbours : nearest) {
    double largest = 0;
    for (const Neighbour& one : neighbours) {
      graph.neighbours.push_back(one.feature);
      graph.weights.push_back(one.product);
      largest = std::max(largest, std::fabs(one.product));
    }
    graph.starts.push_back(static_cast<Offset>(graph.neighbours.size()));
    // Of the feature and its nearest neighbour.
    graph.angle.push_back(std::acos(std::min(1.0, largest)) * 180 / std::numbers::pi);
    graph.failed.push_back(0);
    graph.status.push_back(neighbours.empty() ? PursuitStatus::no_direction
                                              : PursuitStatus::reached_max_atoms);
  }
  return graph;
}

}  // namespace

FeatureGraph nearest_graph(const UnitFeatures& features, const NearestOptions& options,
                           const RunContext& run) {
  check_fields(options);
  const auto count = static_cast<std::size_t>(options.edge_neighbors);
  const std::vector<Index> regular = regular_features(features);
  const std::span<const Index> all(regular);
  const detail::SingleThreadedBlas single_threaded;
  std::vector<std::vector<Neighbour>> nearest(static_cast<std::size_t>(features.n_features()));
  const std::size_t n_tiles = (all.size() + kTargets - 1) / kTargets;
  detail::parallel_for(run, "graph", static_cast<std::int64_t>(n_tiles), [&](std::int64_t tile) {
    const std::size_t first = static_cast<std::size_t>(tile) * kTargets;
    const auto targets = all.subspan(first, std::min(kTargets, all.size() - first));
    auto candidates = candidates_of(features, targets, all, count);
    for (std::size_t t = 0; t < targets.size(); ++t) {
      nearest[targets[t]] = std::move(candidates[t]).nearest(count);
    }
  });
  return graph_of(nearest);
}

}  // namespace sfg
