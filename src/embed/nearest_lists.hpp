#pragma once

#include <limits>
#include <span>
#include <vector>

#include "sfg/matrix.hpp"

namespace sfg::detail {

/// Squared distances (in units of the lengths involved) and cosines closer than this are equal, and
/// the lowest index is nearer: products of exact copies differ by rounding only.
inline constexpr double kNeighbourTie = 1e-12;

/// Another sample and its key: the lower, the nearer.
struct Near {
  Index index;
  double key;
};

/// Of all keys the `count` lowest, those within kNeighbourTie (scale + |last|) of the last one by
/// lowest index; in the order of the indices. `all` is in that order, too.
[[nodiscard]] std::vector<Near> nearest_of(std::span<const Near> all, Index count, double scale);

/// The nearest of each sample, out of keys that arrive in any order: what nearest_of() would choose
/// of all of them.
///
/// A list holds those that can still be chosen, and may forget any other one: it cannot be chosen
/// once `count` keys are as low and of lower index, nor if it is above the count-th lowest by more
/// than a tie. Exact copies, however many, therefore do not make a list long.
class NearestLists {
 public:
  /// `scales[i]` is the size of numbers that the keys of sample i are differences of.
  NearestLists(Index n_samples, Index count, std::vector<double> scales);

  /// Bytes of one list.
  [[nodiscard]] static double list_bytes(Index count) noexcept;
  /// Keys above this need not be offered to a sample by others of index `from` or more.
  [[nodiscard]] double limit(Index sample, Index from) const noexcept {
    const List& list = lists_[sample];
    return from <= list.highest ? list.tied : list.below;
  }
  /// One more sample. Not for the same `sample` in two threads at once.
  void offer(Index sample, Near other);
  /// The chosen ones, in the order of their indices.
  [[nodiscard]] std::vector<Near> chosen(Index sample) const;

 private:
  struct List {
    std::vector<Near> held;
    std::size_t full = 0;  ///< size at which it is settled again
    /// Just below the count-th lowest key, that key with its ties, and the highest index among the
    /// count lowest: others of higher index must be below the key.
    double below = std::numeric_limits<double>::max();
    double tied = std::numeric_limits<double>::max();
    Index highest = std::numeric_limits<Index>::max();
  };

  void settle(List& list, double scale) const;

  Index count_;
  std::vector<double> scales_;
  std::vector<List> lists_;
};

}  // namespace sfg::detail
