// Lower bounds of Ward's costs, and the few costs that they leave to be computed.
#include "groups/adjacent_pairs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "core/threads.hpp"
#include "sfg/error.hpp"

namespace sfg::detail {

namespace {

/// More than rounding is off in a square of a distance, relative to the squares it is made of.
constexpr double kSquareMargin = 1e-9;
/// Squares below this may be rounding of the means: nothing is known of such distances.
constexpr double kSmallestSquare = 1e-12;
/// Costs that one worker computes at once.
constexpr std::size_t kCostsAtOnce = 4096;

/// Two groups that become one, as far as their neighbours need to know.
struct Parts {
  double share_a;
  double share_b;
  double square;  ///< squared distance of their means
  double size;    ///< of the union
};

/// What d(U, C) is at least, squared, if one part's distance is known: the other's is not.
double beside_one(double square, double other_share, const Parts& parts) {
  const double moved = other_share * std::sqrt(parts.square);
  const double left = std::sqrt(square) - moved;
  return left > 0 ? left * left : 0.0;
}

/// A lower bound of d(U, C)^2 from those of the parts; a negative one is not known.
double lowest_square(double from_a, double from_b, const Parts& parts) {
  double lowest = 0;
  double size = parts.square;
  if (from_a >= 0 && from_b >= 0) {
    lowest = parts.share_a * from_a + parts.share_b * from_b -
             parts.share_a * parts.share_b * parts.square;
    size += from_a + from_b;
  }
  if (from_a >= 0) lowest = std::max(lowest, beside_one(from_a, parts.share_b, parts));
  if (from_b >= 0) lowest = std::max(lowest, beside_one(from_b, parts.share_a, parts));
  size = std::max(size, parts.square + std::max(from_a, from_b));
  lowest -= kSquareMargin * size;
  return lowest > kSmallestSquare ? lowest : 0.0;
}

}  // namespace

bool AdjacentPair::operator<(const AdjacentPair& other) const noexcept {
  return std::tie(cost, a, b) > std::tie(other.cost, other.a, other.b);
}

AdjacentPairs::AdjacentPairs(const Centroids& centroids, std::vector<std::pair<Index, Index>> pairs,
                             Index n_features, const RunContext& run)
    : centroids_(centroids),
      edges_of_(static_cast<std::size_t>(n_features)),
      held_(edges_of_.size()),
      version_(edges_of_.size(), 0),
      place_of_(edges_of_.size(), -1) {
  for (auto& [a, b] : pairs) {
    if (a > b) std::swap(a, b);
  }
  std::ranges::sort(pairs);
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  if (pairs.size() > std::numeric_limits<Place>::max()) {
    throw Error(ErrorCode::over_memory, "more than 4,294,967,295 edges cannot be grouped");
  }
  for (const auto& [a, b] : pairs) edges_.push_back({a, b, a, true, 0.0});
  pairs = {};
  compute_all(run);
  for (std::size_t k = 0; k < edges_.size(); ++k) {
    const Edge& edge = edges_[k];
    const auto place = static_cast<Place>(k);
    edges_of_[edge.a].push_back(place);
    edges_of_[edge.b].push_back(place);
    held_[edge.holder].push_back({{edge.cost, edge.a, edge.b}, place});
  }
  for (Index group = 0; group < n_features; ++group) {
    std::make_heap(held_[group].begin(), held_[group].end());
    publish(group);
  }
}

void AdjacentPairs::compute_all(const RunContext& run) {
  const std::size_t n_parts = (edges_.size() + kCostsAtOnce - 1) / kCostsAtOnce;
  parallel_for(run, {}, static_cast<std::int64_t>(n_parts), [&](std::int64_t part) {
    const std::size_t first = static_cast<std::size_t>(part) * kCostsAtOnce;
    const std::size_t last = std::min(first + kCostsAtOnce, edges_.size());
    for (std::size_t k = first; k < last; ++k) {
      edges_[k].cost = centroids_.cost(edges_[k].a, edges_[k].b);
    }
  });
  n_computed_ += static_cast<std::int64_t>(edges_.size());
}

/// Brings up the first edge that the group still holds.
void AdjacentPairs::publish(Index group) {
  auto& held = held_[group];
  while (!held.empty() && edges_[held.front().edge].holder != group) {
    std::pop_heap(held.begin(), held.end());
    held.pop_back();
  }
  if (!held.empty()) firsts_.push({held.front().pair, group, version_[group]});
}

/// Replaces the bound of the first edge that a group holds.
void AdjacentPairs::compute_first(Index group) {
  auto& held = held_[group];
  std::pop_heap(held.begin(), held.end());
  Edge& edge = edges_[held.back().edge];
  edge.cost = centroids_.cost(edge.a, edge.b);
  edge.is_known = true;
  held.back().pair.cost = edge.cost;
  std::push_heap(held.begin(), held.end());
  ++n_computed_;
}

std::optional<AdjacentPair> AdjacentPairs::cheapest() {
  while (!firsts_.empty()) {
    const First first = firsts_.top();
    const bool is_gone = first.version != version_[first.holder];
    if (!is_gone) {
      const Held& held = held_[first.holder].front();
      const Edge& edge = edges_[held.edge];
      if (edge.holder == first.holder) {
        if (edge.is_known) return first.pair;
        compute_first(first.holder);
      }
    }
    firsts_.pop();
    if (!is_gone) publish(first.holder);
  }
  return std::nullopt;
}

void AdjacentPairs::forget_cheapest() {
  edges_[held_[firsts_.top().holder].front().edge].holder = -1;
}

/// Of the means of its groups, or a lower bound.
double AdjacentPairs::square_of(const Edge& edge) const {
  const double size_a = centroids_.size(edge.a);
  const double size_b = centroids_.size(edge.b);
  return edge.cost * (size_a + size_b) / (size_a * size_b);
}

/// The edges of both, each neighbour once.
void AdjacentPairs::inherit(const AdjacentPair& pair) {
  inherited_.clear();
  for (const Index part : {pair.a, pair.b}) {
    for (const Place place : edges_of_[part]) {
      Edge& edge = edges_[place];
      if (edge.holder < 0) continue;
      const Index other = edge.a == part ? edge.b : edge.a;
      const bool is_own = other == pair.a || other == pair.b;
      const double square = square_of(edge);
      if (!is_own && place_of_[other] < 0) {
        place_of_[other] = static_cast<Index>(inherited_.size());
        inherited_.push_back({place, other, -1.0, -1.0});
      } else {
        edge.holder = -1;
      }
      if (is_own) continue;
      Inherited& one = inherited_[place_of_[other]];
      (part == pair.a ? one.from_a : one.from_b) = square;
    }
  }
  for (const Inherited& one : inherited_) place_of_[one.other] = -1;
}

void AdjacentPairs::merge(const AdjacentPair& pair) {
  inherit(pair);
  const double size_a = centroids_.size(pair.a);
  const double size_b = centroids_.size(pair.b);
  const double size = size_a + size_b;
  const Parts parts{size_a / size, size_b / size, pair.cost * size / (size_a * size_b), size};
  ++version_[pair.a];
  version_[pair.b] = -1;
  auto& edges = edges_of_[pair.a];
  auto& held = held_[pair.a];
  edges.clear();
  held.clear();
  edges_of_[pair.b] = {};
  held_[pair.b] = {};
  for (const Inherited& one : inherited_) {
    Edge& edge = edges_[one.edge];
    const double other_size = centroids_.size(one.other);
    edge.a = std::min(pair.a, one.other);
    edge.b = std::max(pair.a, one.other);
    edge.holder = pair.a;
    edge.is_known = false;
    edge.cost = parts.size * other_size / (parts.size + other_size) *
                lowest_square(one.from_a, one.from_b, parts);
    edges.push_back(one.edge);
    held.push_back({{edge.cost, edge.a, edge.b}, one.edge});
  }
  std::make_heap(held.begin(), held.end());
  publish(pair.a);
}

}  // namespace sfg::detail
