#pragma once

#include <cstdint>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

#include "groups/centroids.hpp"
#include "sfg/run_context.hpp"

namespace sfg::detail {

/// Two groups and what it costs to merge them; a < b, their lowest members.
struct AdjacentPair {
  double cost;
  Index a;
  Index b;
  /// A heap gives the largest first: the cheapest, of these the lowest pair.
  bool operator<(const AdjacentPair& other) const noexcept;
};

/// Adjacent groups while they merge. Finds the cheapest pair without the cost of most others: a
/// union knows a lower bound of each of its costs from the distances of its parts, and a cost is
/// computed when its bound is the lowest of all.
///
/// With U = A and B together, alpha and beta their shares, and d the distance of two means or of
/// one and the negative of the other, whichever is nearer (a metric, therefore the second line):
///   d(U, C)^2 >= alpha d(A, C)^2 + beta d(B, C)^2 - alpha beta d(A, B)^2
///   d(U, C)   >= d(A, C) - beta d(A, B)
class AdjacentPairs {
 public:
  /// Pairs of different groups, in any order; one may be there more than once.
  AdjacentPairs(const Centroids& centroids, std::vector<std::pair<Index, Index>> pairs,
                Index n_features, const RunContext& run);

  /// The cheapest pair (ties: the lowest); nothing if no groups are adjacent.
  [[nodiscard]] std::optional<AdjacentPair> cheapest();
  /// The pair that cheapest() has given must never merge: its groups are not adjacent any more.
  void forget_cheapest();
  /// Its groups are about to become one, which takes the place of the lower one and is adjacent to
  /// all that one of them is adjacent to. Their means must be as they were.
  void merge(const AdjacentPair& pair);
  /// Costs that were computed.
  [[nodiscard]] std::int64_t n_computed() const noexcept { return n_computed_; }

 private:
  using Place = std::uint32_t;

  /// An edge is held by the younger of its groups, the one whose mean changed last.
  struct Edge {
    Index a;
    Index b;
    Index holder;   ///< -1: gone
    bool is_known;  ///< `cost` is the cost, not a lower bound of it
    double cost;
  };
  /// An edge as its holder knows it.
  struct Held {
    AdjacentPair pair;
    Place edge;
    bool operator<(const Held& other) const noexcept { return pair < other.pair; }
  };
  /// The first of the edges that a group holds, or one that was.
  struct First {
    AdjacentPair pair;
    Index holder;
    Index version;
    bool operator<(const First& other) const noexcept { return pair < other.pair; }
  };
  /// An edge of a union: squared distances of its parts from the other group, -1: unknown.
  struct Inherited {
    Place edge;
    Index other;
    double from_a;
    double from_b;
  };

  void compute_all(const RunContext& run);
  void publish(Index group);
  void compute_first(Index group);
  [[nodiscard]] double square_of(const Edge& edge) const;
  void inherit(const AdjacentPair& pair);

  const Centroids& centroids_;
  std::vector<Edge> edges_;
  std::vector<std::vector<Place>> edges_of_;  ///< of each group; some are gone
  std::vector<std::vector<Held>> held_;       ///< heaps; some edges have another holder by now
  std::vector<Index> version_;                ///< merges that a group has been through; -1: gone
  std::priority_queue<First> firsts_;
  std::vector<Inherited> inherited_;  ///< by the union that is being made
  std::vector<Index> place_of_;       ///< of each group's edge among them; -1: none
  std::int64_t n_computed_ = 0;
};

}  // namespace sfg::detail
