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

/// The first `count` in order of falling |product|, of ties the lowest index, sorted by index.
void keep_largest(std::vector<Neighbour>& all, std::size_t count) {
  std::ranges::sort(all, [](const Neighbour& left, const Neighbour& right) {
    return std::fabs(left.product) != std::fabs(right.product)
               ? std::fabs(left.product) > std::fabs(right.product)
               : left.feature < right.feature;
  });
  if (all.size() > count) {
    const double last = std::fabs(all[count - 1].product);
    const auto tied = [&](const Neighbour& one) {
      return std::fabs(std::fabs(one.product) - last) <= kProductTie;
    };
    const auto first = std::ranges::find_if(all, tied);
    const auto end = std::find_if_not(first, all.end(), tied);
    std::ranges::sort(first, end, {}, &Neighbour::feature);
    all.resize(count);
  }
  std::ranges::sort(all, {}, &Neighbour::feature);
}

}  // namespace

FeatureGraph nearest_graph(const UnitFeatures& features, const NearestOptions& options,
                           const Run& run) {
  if (options.n_neighbours < 1) {
    throw Error(ErrorCode::invalid_option,
                fmt::format("at least 1 neighbour is needed, not {}", options.n_neighbours));
  }
  const auto count = static_cast<std::size_t>(options.n_neighbours);
  std::vector<Index> regular;
  for (Index i = 0; i < features.n_features(); ++i) {
    if (features.kind[static_cast<std::size_t>(i)] == FeatureKind::regular) regular.push_back(i);
  }
  const detail::SingleThreadedBlas single_threaded;
  std::vector<std::vector<Neighbour>> found(static_cast<std::size_t>(features.n_features()));
  const std::span<const Index> all(regular);
  const std::size_t n_tiles = (all.size() + kTargets - 1) / kTargets;
  detail::parallel_for(run, "graph", static_cast<std::int64_t>(n_tiles), [&](std::int64_t tile) {
    const std::size_t first = static_cast<std::size_t>(tile) * kTargets;
    const auto targets = all.subspan(first, std::min(kTargets, all.size() - first));
    detail::FeatureProducts products(features);
    std::vector<double> block(kTargets * kOthers);
    // Candidates: everything that may be among the largest; thinned out when there are many.
    std::vector<double> limit(targets.size(), 0.0);
    for (std::size_t start = 0; start < all.size(); start += kOthers) {
      const auto others = all.subspan(start, std::min(kOthers, all.size() - start));
      products(others, targets, block.data());
      for (std::size_t t = 0; t < targets.size(); ++t) {
        auto& candidates = found[static_cast<std::size_t>(targets[t])];
        for (std::size_t k = 0; k < others.size(); ++k) {
          const double product = block[t * others.size() + k];
          if (others[k] == targets[t] || std::fabs(product) < limit[t] - kProductTie) continue;
          candidates.push_back({product, others[k]});
        }
        if (candidates.size() <= 4 * count) continue;
        const auto last = candidates.begin() + static_cast<std::ptrdiff_t>(count - 1);
        std::nth_element(candidates.begin(), last, candidates.end(),
                         [](const Neighbour& left, const Neighbour& right) {
                           return std::fabs(left.product) > std::fabs(right.product);
                         });
        limit[t] = std::fabs(last->product);
        std::erase_if(candidates, [&](const Neighbour& one) {
          return std::fabs(one.product) < limit[t] - kProductTie;
        });
      }
    }
    for (const Index target : targets) keep_largest(found[static_cast<std::size_t>(target)], count);
  });

  FeatureGraph graph;
  for (std::size_t i = 0; i < found.size(); ++i) {
    double largest = 0;
    for (const Neighbour& one : found[i]) {
      graph.neighbours.push_back(one.feature);
      graph.weights.push_back(one.product);
      largest = std::max(largest, std::fabs(one.product));
    }
    graph.starts.push_back(static_cast<Offset>(graph.neighbours.size()));
    // Of the feature and its nearest neighbour.
    graph.angle.push_back(std::acos(std::min(1.0, largest)) * 180 / std::numbers::pi);
    graph.failed.push_back(0);
    graph.status.push_back(found[i].empty() ? PursuitStatus::no_direction
                                            : PursuitStatus::reached_max_atoms);
  }
  return graph;
}

}  // namespace sfg
