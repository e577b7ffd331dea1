#include "sfg/pairwise.hpp"

#include <algorithm>
#include <compare>
#include <limits>
#include <queue>

#include "core/line.hpp"
#include "core/threads.hpp"
#include "groups/close_pairs.hpp"
#include "normalise/observed_products.hpp"

namespace sfg {

namespace {

/// Picks features that are far from each other, and crosses out what is close to them.
class FarApart {
 public:
  FarApart(const UnitFeatures& features, double max_r2, const Window* window, const RunContext& run)
      : pairs_(features, max_r2, window, run),
        left_(pairs_.closeness()),
        open_(regular_features(features)),
        is_open_(static_cast<std::size_t>(features.n_features()), 0),
        window_(window),
        tie_(features.n_features()) {
    for (const Index feature : open_) {
      is_open_[feature] = 1;
      queue_.push(now(feature));
    }
  }

  /// Neither picked nor close to a pick.
  [[nodiscard]] bool is_open(Index feature) const noexcept { return is_open_[feature] != 0; }
  /// The open feature that most open ones are close to; -1 if none is close to any.
  [[nodiscard]] Index best();
  void pick(Index feature);

 private:
  /// How many are close to a feature, and how close: as it was. It only falls.
  struct Standing {
    std::int64_t n_close;
    std::int64_t close_r2;
    Index feature;
    auto operator<=>(const Standing&) const = default;
  };

  [[nodiscard]] Standing now(Index feature) const {
    return {left_.n_close[feature], left_.close_r2[feature], feature};
  }
  [[nodiscard]] Index place(Index feature) const {
    return window_ != nullptr ? window_->place_of(feature) : feature;
  }
  [[nodiscard]] bool bring_up_to_date();

  detail::ClosePairs pairs_;
  detail::Closeness left_;   ///< among open features
  std::vector<Index> open_;  ///< ascending; not kept up to date where pairs are held
  std::vector<char> is_open_;
  const Window* window_;
  std::int64_t tie_;
  /// Open features that others are close to, some of them higher than they stand by now.
  std::priority_queue<Standing> queue_;
};

/// Until the first in the queue stands where it says; whether there is one.
bool FarApart::bring_up_to_date() {
  while (!queue_.empty()) {
    const Standing top = queue_.top();
    const Standing truth = now(top.feature);
    const bool is_left = is_open(top.feature) && truth.n_close > 0;
    if (is_left && truth == top) return true;
    queue_.pop();
    if (is_left) queue_.push(truth);
  }
  return false;
}

Index FarApart::best() {
  if (!bring_up_to_date()) return -1;
  const Standing first = queue_.top();
  std::vector<Standing> tied;
  while (bring_up_to_date()) {
    const Standing top = queue_.top();
    if (top.n_close < first.n_close || top.close_r2 < first.close_r2 - tie_) break;
    tied.push_back(top);
    queue_.pop();
  }
  // Of two that have only each other the one that is nearer to the rest of the table.
  std::int64_t largest = 0;
  for (const Standing& one : tied) largest = std::max(largest, left_.all_r2[one.feature]);
  Index best = -1;
  for (const Standing& one : tied) {
    queue_.push(one);
    if (left_.all_r2[one.feature] < largest - tie_) continue;
    if (best < 0 || place(one.feature) < place(best)) best = one.feature;
  }
  return best;
}

void FarApart::pick(Index feature) {
  is_open_[feature] = 0;
  const std::vector<Index> gone = pairs_.close_to(feature, open_, is_open_);
  for (const Index other : gone) is_open_[other] = 0;
  if (!pairs_.are_held()) {
    std::erase_if(open_, [&](Index other) { return is_open_[other] == 0; });
  }
  // The pick itself was close to nothing that is still open.
  pairs_.take_out(gone, open_, is_open_, left_);
}

/// When each feature is picked, and the picks as they are looked up.
struct PickTimes {
  PickTimes(const UnitFeatures& features, std::span<const Index> picks_in_turn,
            const Window* window)
      : picks(picks_in_turn),
        line(picks_in_turn, window),
        time(static_cast<std::size_t>(features.n_features()), kNever) {
    for (std::size_t k = 0; k < picks.size(); ++k) time[picks[k]] = k;
  }

  /// The picks, in their turn, that may be near one of these targets and come before it. Without a
  /// window the targets are in turn too, and `n_before` of them were targets before.
  [[nodiscard]] std::vector<Index> before(std::span<const Index> targets,
                                          std::size_t n_before) const {
    if (!line.has_window()) {
      const auto some = picks.first(std::min(picks.size(), n_before + targets.size()));
      return {some.begin(), some.end()};
    }
    const detail::Run run = line.near_any(targets);
    const auto some = line.features().subspan(run.first, run.size());
    std::vector<Index> in_turn(some.begin(), some.end());
    std::ranges::sort(in_turn, {}, [&](Index pick) { return time[pick]; });
    return in_turn;
  }

  static constexpr std::size_t kNever = std::numeric_limits<std::size_t>::max();

  std::span<const Index> picks;
  detail::Line line;
  std::vector<std::size_t> time;
};

/// Features in the order of the line; without a window the picks in their turn, then the others.
std::vector<Index> targets_of(const UnitFeatures& features, const PickTimes& times,
                              const Window* window) {
  std::vector<Index> regular = regular_features(features);
  if (window != nullptr) return window->along_line(regular);
  std::vector<Index> order(times.picks.begin(), times.picks.end());
  for (const Index feature : regular) {
    if (times.time[feature] == PickTimes::kNever) order.push_back(feature);
  }
  return order;
}

/// By pick: how much the sum, over the features not picked by then, of the largest r2 with a near
/// pick rises. Adds what these targets do.
void add_rises(std::span<const Index> targets, std::span<const Index> picks, std::size_t tile,
               const PickTimes& times, const Window* window, detail::ObservedProducts& products,
               std::vector<std::int64_t>& rises) {
  std::vector<double> block(tile * targets.size());
  std::vector<double> best(targets.size(), 0.0);
  for (std::size_t start = 0; start < picks.size(); start += tile) {
    const auto columns = picks.subspan(start, std::min(tile, picks.size() - start));
    products(columns, targets, block.data());
    for (std::size_t t = 0; t < targets.size(); ++t) {
      const double* r = block.data() + t * columns.size();
      for (std::size_t k = 0; k < columns.size(); ++k) {
        // A pick counts until it is picked: later picks are nothing to it.
        const std::size_t time = times.time[columns[k]];
        if (time >= times.time[targets[t]]) break;
        const double r2 = std::min(1.0, r[k] * r[k]);
        if (r2 <= best[t] || (window != nullptr && !window->near(targets[t], columns[k]))) continue;
        rises[time] += detail::r2_steps(r2) - detail::r2_steps(best[t]);
        best[t] = r2;
      }
    }
  }
  for (std::size_t t = 0; t < targets.size(); ++t) {
    const std::size_t own = times.time[targets[t]];
    if (own != PickTimes::kNever) rises[own] -= detail::r2_steps(best[t]);
  }
}

/// After each pick the mean of the largest r2 with a near pick, over the features not picked by
/// then.
std::vector<double> mean_r2_of(const UnitFeatures& features, std::span<const Index> picks,
                               const Window* window, const RunContext& run) {
  const PickTimes times(features, picks, window);
  const std::vector<Index> order = targets_of(features, times, window);
  const std::span<const Index> all(order);
  const std::size_t tile = detail::pair_tile(features);
  using Sums = std::vector<std::int64_t>;
  std::vector<Sums> rises(static_cast<std::size_t>(detail::worker_count(run)),
                          Sums(picks.size(), 0));
  const auto n_tiles = static_cast<std::int64_t>((all.size() + tile - 1) / tile);
  detail::parallel_for_workers(run, {}, n_tiles, [&](std::int64_t item, int worker) {
    const std::size_t first = static_cast<std::size_t>(item) * tile;
    const auto targets = all.subspan(first, std::min(tile, all.size() - first));
    detail::ObservedProducts products(features);
    add_rises(targets, times.before(targets, first), tile, times, window, products, rises[worker]);
  });
  std::vector<double> means(picks.size(), 1.0);
  std::int64_t sum = 0;
  for (std::size_t k = 0; k < picks.size() && k + 1 < all.size(); ++k) {
    for (const Sums& part : rises) sum += part[k];
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
    FarApart features(centred, request.max_r2, request.window, run);
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
    const detail::Line line(regular_features(centred), request.window);
    for (const Index feature : line.features()) {
      if (features.is_open(feature)) sequence.picks.push_back(feature);
    }
  }
  sequence.mean_r2 = mean_r2_of(centred, sequence.picks, request.window, run);
  return sequence;
}

}  // namespace sfg
