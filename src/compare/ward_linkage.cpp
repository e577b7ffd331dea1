// Ward's linkage over all pairs by chains of nearest neighbours (Murtagh 1983), with the distances
// of unions by Lance and Williams. The dissimilarity of two features is 1 - |r|: half the squared
// distance of unit vectors on the same side.
#include <algorithm>
#include <numeric>

#include "compare/competitors.hpp"
#include "compare/medoid_of.hpp"
#include "core/disjoint_sets.hpp"
#include "core/threads.hpp"

namespace sfg::detail {

namespace {

/// Merges between two looks at the outside.
constexpr std::size_t kMergesPerCheck = 256;

struct Linkage {
  std::size_t a, b;
  float height;
};

class WardChain {
 public:
  explicit WardChain(const PairCorrelations& pairs)
      : d_(pairs.size()), distance_(d_ * d_), size_(d_, 1.0), open_(d_) {
    for (std::size_t i = 0; i < d_; ++i) {
      const float* row = pairs.row(i);
      for (std::size_t k = 0; k < d_; ++k) distance_[i * d_ + k] = 1 - row[k];
    }
    std::iota(open_.begin(), open_.end(), std::size_t{0});
  }

  std::vector<Linkage> run(const RunContext& run) {
    std::vector<Linkage> merges;
    std::vector<std::size_t> chain;
    while (open_.size() > 1) {
      if (merges.size() % kMergesPerCheck == 0) check_stop(run);
      if (chain.empty()) chain.push_back(open_.front());
      const std::size_t top = chain.back();
      const std::size_t previous = chain.size() > 1 ? chain[chain.size() - 2] : top;
      const std::size_t next = nearest(top, previous);
      if (next != previous || previous == top) {
        chain.push_back(next);
        continue;
      }
      const auto [a, b] = std::minmax(top, next);
      merges.push_back({a, b, distance_[a * d_ + b]});
      merge(a, b);
      // Both leave the chain. Rounding may have brought one into it before.
      const auto first = std::ranges::find_if(
          chain, [a = a, b = b](std::size_t group) { return group == a || group == b; });
      chain.erase(first, chain.end());
    }
    return merges;
  }

 private:
  /// The nearest other one; ties: the one before in the chain, so that it ends, then the lowest.
  [[nodiscard]] std::size_t nearest(std::size_t of, std::size_t previous) const {
    const float* row = distance_.data() + of * d_;
    std::size_t best = previous;
    for (const std::size_t other : open_) {
      if (other != of && (best == of || row[other] < row[best])) best = other;
    }
    return best;
  }

  /// b becomes part of a.
  void merge(std::size_t a, std::size_t b) {
    const double between = distance_[a * d_ + b];
    std::erase(open_, b);
    for (const std::size_t other : open_) {
      if (other == a) continue;
      const double n = size_[other];
      const double joined = ((size_[a] + n) * distance_[a * d_ + other] +
                             (size_[b] + n) * distance_[b * d_ + other] - n * between) /
                            (size_[a] + size_[b] + n);
      distance_[a * d_ + other] = static_cast<float>(joined);
      distance_[other * d_ + a] = static_cast<float>(joined);
    }
    size_[a] += size_[b];
  }

  std::size_t d_;
  std::vector<float> distance_;
  std::vector<double> size_;
  std::vector<std::size_t> open_;
};

}  // namespace

std::vector<std::vector<Index>> ward_medoids(const PairCorrelations& pairs,
                                             const std::vector<Index>& counts,
                                             const RunContext& run) {
  std::vector<Linkage> merges = WardChain(pairs).run(run);
  // Chains find merges out of order; their heights put them right.
  std::ranges::stable_sort(merges, {}, &Linkage::height);
  std::vector<std::vector<Index>> kept;
  for (const Index count : counts) {
    DisjointSets sets(static_cast<Index>(pairs.size()));
    const std::size_t n_merges = pairs.size() - static_cast<std::size_t>(count);
    for (std::size_t m = 0; m < n_merges; ++m) {
      sets.join(static_cast<Index>(merges[m].a), static_cast<Index>(merges[m].b));
    }
    std::vector<std::vector<std::size_t>> members(pairs.size());
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      members[sets.root(static_cast<Index>(i))].push_back(i);
    }
    std::erase_if(members, [](const auto& group) { return group.empty(); });
    std::vector<Index> medoids(members.size());
    parallel_for(run, {}, static_cast<std::int64_t>(members.size()), [&](std::int64_t item) {
      medoids[item] = pairs.feature(medoid_of(pairs, members[item]));
    });
    kept.push_back(std::move(medoids));
  }
  return kept;
}

}  // namespace sfg::detail
