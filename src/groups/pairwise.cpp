#include "sfg/pairwise.hpp"

#include <algorithm>
#include <numeric>

#include "core/threads.hpp"
#include "groups/close_pairs.hpp"
#include "normalise/observed_products.hpp"

namespace sfg {

namespace {

/// Picks features that are far from each other, and crosses out what is close to them.
class FarApart {
 public:
  FarApart(const UnitFeatures& features, double max_r2, const RunContext& run)
      : pairs_(features, max_r2, run),
        left_(pairs_.closeness()),
        open_(regular_features(features)),
        is_open_(static_cast<std::size_t>(features.n_features()), 0),
        tie_(features.n_features()) {
    for (const Index feature : open_) is_open_[feature] = 1;
  }

  /// Neither picked nor close to a pick.
  [[nodiscard]] bool is_open(Index feature) const noexcept { return is_open_[feature] != 0; }
  /// The open feature that most open ones are close to; -1 if none is close to any.
  [[nodiscard]] Index best();
  void pick(Index feature);

 private:
  void narrow(const std::vector<std::int64_t>& values, std::int64_t tie);

  detail::ClosePairs pairs_;
  detail::Closeness left_;   ///< among open features
  std::vector<Index> open_;  ///< ascending; open features that are alone need not be in it
  std::vector<char> is_open_;
  std::int64_t tie_;
  std::vector<Index> tied_;
};

/// Of the tied features those with the largest value stay.
void FarApart::narrow(const std::vector<std::int64_t>& values, std::int64_t tie) {
  std::int64_t largest = 0;
  for (const Index feature : tied_) largest = std::max(largest, values[feature]);
  std::erase_if(tied_, [&](Index feature) { return values[feature] < largest - tie; });
}

Index FarApart::best() {
  std::erase_if(open_, [&](Index feature) { return left_.n_close[feature] <= 0; });
  if (open_.empty()) return -1;
  tied_ = open_;
  narrow(left_.n_close, 0);
  narrow(left_.close_r2, tie_);
  // Of two that have only each other the one that is nearer to the rest of the table.
  narrow(left_.all_r2, tie_);
  return tied_.front();
}

void FarApart::pick(Index feature) {
  is_open_[feature] = 0;
  const std::vector<Index> gone = pairs_.close_to(feature, open_, is_open_);
  for (const Index other : gone) is_open_[other] = 0;
  std::erase_if(open_, [&](Index other) { return is_open_[other] == 0; });
  // The pick itself was close to nothing that is still open.
  pairs_.take_out(gone, open_, is_open_, left_);
}

/// After each pick the mean of the largest r2 with a pick, over the features not picked by then.
std::vector<double> mean_r2_of(const UnitFeatures& features, std::span<const Index> picks,
                               const RunContext& run) {
  std::vector<Index> order(picks.begin(), picks.end());
  std::vector<char> is_pick(static_cast<std::size_t>(features.n_features()), 0);
  for (const Index feature : picks) is_pick[feature] = 1;
  for (const Index feature : regular_features(features)) {
    if (is_pick[feature] == 0) order.push_back(feature);
  }
  const std::span<const Index> all(order);
  const std::size_t tile = detail::pair_tile(features);
  using Sums = std::vector<std::int64_t>;
  std::vector<Sums> sums(static_cast<std::size_t>(detail::worker_count(run)),
                         Sums(picks.size(), 0));
  const auto n_tiles = static_cast<std::int64_t>((all.size() + tile - 1) / tile);
  detail::parallel_for_workers(run, {}, n_tiles, [&](std::int64_t item, int worker) {
    const std::size_t first = static_cast<std::size_t>(item) * tile;
    const auto targets = all.subspan(first, std::min(tile, all.size() - first));
    detail::ObservedProducts products(features);
    std::vector<double> block(tile * tile);
    std::vector<double> best(targets.size(), 0.0);
    // A pick counts until it is picked: later picks are nothing to it.
    const std::size_t last = std::min(picks.size(), first + targets.size());
    for (std::size_t start = 0; start < last; start += tile) {
      const auto columns = picks.subspan(start, std::min(tile, picks.size() - start));
      products(columns, targets, block.data());
      for (std::size_t t = 0; t < targets.size(); ++t) {
        const double* r = block.data() + t * columns.size();
        for (std::size_t k = 0; k < columns.size() && start + k < first + t; ++k) {
          best[t] = std::max(best[t], std::min(1.0, r[k] * r[k]));
          sums[worker][start + k] += detail::r2_steps(best[t]);
        }
      }
    }
  });
  std::vector<double> means(picks.size(), 1.0);
  for (std::size_t k = 0; k < picks.size() && k + 1 < all.size(); ++k) {
    std::int64_t sum = 0;
    for (const Sums& part : sums) sum += part[k];
    means[k] = detail::r2_from_steps(sum) / static_cast<double>(all.size() - k - 1);
  }
  return means;
}

}  // namespace

CoverSequence pairwise(const UnitFeatures& centred, const PairwiseRequest& request,
                       const RunContext& run) {
  const detail::SingleThreadedBlas single_threaded;
  CoverSequence sequence;
  {
    FarApart features(centred, request.max_r2, run);
    const auto pick = [&](Index feature) {
      detail::check_stop(run);
      features.pick(feature);
      sequence.picks.push_back(feature);
    };
    // Also those that are close to an earlier one; each once.
    std::vector<char> can_be_kept(centred.kind.size(), 0);
    for (const Index feature : regular_features(centred)) can_be_kept[feature] = 1;
    for (const Index feature : request.keep) {
      if (can_be_kept[feature] != 0) pick(feature);
      can_be_kept[feature] = 0;
    }
    for (const Index feature : request.priority) {
      if (features.is_open(feature)) pick(feature);
    }
    for (Index feature = features.best(); feature >= 0; feature = features.best()) pick(feature);
    for (Index feature = 0; feature < centred.n_features(); ++feature) {
      if (features.is_open(feature)) sequence.picks.push_back(feature);
    }
  }
  sequence.mean_r2 = mean_r2_of(centred, sequence.picks, run);
  return sequence;
}

}  // namespace sfg
