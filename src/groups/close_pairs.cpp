#include "groups/close_pairs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <optional>

#include "core/memory.hpp"
#include "core/threads.hpp"
#include "normalise/observed_products.hpp"

namespace sfg::detail {

namespace {

constexpr double kStepsOfOne = 0x1p32;
/// An r2 this far below the limit still reaches it: one of exactly the limit is above it or below
/// by rounding. Kept pairs are below the limit for everyone who checks them, in whatever way.
constexpr double kLimitTie = 1e-12;
/// Nearer to the limit than this the pair is multiplied again, as r2 is everywhere else: BLAS may
/// sum in another order on another machine.
constexpr double kSecondLook = 1e-9;
/// Features of a tile, and values of a tile in all.
constexpr std::size_t kMostColumns = 256;
constexpr std::size_t kFewestColumns = 16;
constexpr std::size_t kMostTileValues = std::size_t{1} << 22;

std::span<const Index> tile_at(std::span<const Index> features, std::size_t first,
                               std::size_t tile) {
  return features.subspan(first, std::min(tile, features.size() - first));
}

std::int64_t count_tiles(std::size_t n_features, std::size_t tile) {
  return static_cast<std::int64_t>((n_features + tile - 1) / tile);
}

/// Of a pair: a step less than 1 fits into 32 bits.
std::uint32_t steps_of_pair(double r2) noexcept {
  constexpr std::int64_t kMost = std::numeric_limits<std::uint32_t>::max();
  return static_cast<std::uint32_t>(std::min(kMost, r2_steps(r2)));
}

/// Features whose pairs with those near them are found at once: the fewer are near, the fewer, as
/// most of a tile would be for nothing.
std::size_t rows_at_once(const UnitFeatures& features, const Window* window) {
  const std::size_t most = pair_tile(features);
  if (window == nullptr) return most;
  return std::clamp(static_cast<std::size_t>(window->widest()) / 4, kFewestColumns, most);
}

void add_up(const Closeness& part, Closeness& sum) {
  for (std::size_t i = 0; i < sum.n_close.size(); ++i) {
    sum.n_close[i] += part.n_close[i];
    sum.close_r2[i] += part.close_r2[i];
    sum.all_r2[i] += part.all_r2[i];
  }
}

}  // namespace

std::int64_t r2_steps(double r2) noexcept {
  return std::llround(r2 * kStepsOfOne);
}

double r2_from_steps(std::int64_t steps) noexcept {
  return static_cast<double>(steps) / kStepsOfOne;
}

std::size_t pair_tile(const UnitFeatures& features) noexcept {
  const auto n = static_cast<std::size_t>(std::max<Index>(1, features.n_samples()));
  return std::clamp(kMostTileValues / n, kFewestColumns, kMostColumns);
}

double pair_tile_bytes(const UnitFeatures& features, const RunContext& run) {
  const double n = features.n_samples();
  const auto tile = static_cast<double>(pair_tile(features));
  const bool dense = std::holds_alternative<DenseMatrix>(features.matrix);
  const double columns =
      dense ? 2 * std::min<double>(tile, features.n_features()) * n : static_cast<double>(n);
  return sizeof(double) * worker_count(run) * (columns + tile * tile);
}

/// What one worker looks at pairs with.
struct ClosePairs::Scan {
  Scan(const UnitFeatures& features, std::size_t tile)
      : products(features),
        block(tile * tile),
        column_sums(tile),
        found(static_cast<std::size_t>(features.n_features())) {}

  ObservedProducts products;
  std::vector<double> block;
  std::vector<double> column_sums;
  Closeness found;
};

ClosePairs::ClosePairs(const UnitFeatures& centred, double max_r2, const Window* window,
                       const RunContext& run)
    : features_(centred),
      run_(run),
      limit_(max_r2 - kLimitTie),
      window_(window),
      line_(regular_features(centred), window),
      closeness_(static_cast<std::size_t>(centred.n_features())) {
  run_.threads = worker_count(run);
  scan(run_);
  run_.progress = nullptr;
}

/// Whether a pair with this r2 by its tile is close. The same for (a, b) and (b, a).
bool ClosePairs::is_close(double r2, Index a, Index b) const {
  if (std::fabs(r2 - limit_) > kSecondLook) return r2 > limit_;
  const double r = observed_correlation(features_, std::min(a, b), std::max(a, b));
  return r * r >= limit_;
}

/// All pairs of a row and a column of the line that are near; columns are not before the rows, and
/// where they are the rows themselves each pair counts once.
void ClosePairs::compare(Run row_run, Run column_run, Scan& scan, std::vector<Pair>& pairs) const {
  const auto rows = line_.features().subspan(row_run.first, row_run.size());
  const auto columns = line_.features().subspan(column_run.first, column_run.size());
  scan.products(columns, rows, scan.block.data());
  std::ranges::fill(scan.column_sums, 0.0);
  Closeness& found = scan.found;
  for (std::size_t t = 0; t < rows.size(); ++t) {
    const double* products = scan.block.data() + t * columns.size();
    const std::size_t begin = std::max(row_run.first + t + 1, column_run.first) - column_run.first;
    const std::size_t end = std::min(line_.near(rows[t]).end, column_run.end);
    double sum = 0;
    for (std::size_t k = begin; k + column_run.first < end; ++k) {
      const double r2 = products[k] * products[k];
      sum += r2;
      scan.column_sums[k] += r2;
      if (r2 < limit_ - kSecondLook || !is_close(r2, rows[t], columns[k])) continue;
      const std::uint32_t steps = steps_of_pair(r2);
      pairs.push_back({rows[t], columns[k], steps});
      for (const Index feature : {rows[t], columns[k]}) {
        ++found.n_close[feature];
        found.close_r2[feature] += steps;
      }
    }
    found.all_r2[rows[t]] += r2_steps(sum);
  }
  for (std::size_t k = 0; k < columns.size(); ++k) {
    found.all_r2[columns[k]] += r2_steps(scan.column_sums[k]);
  }
}

/// Counts and sums of all features, and the lists if they fit.
void ClosePairs::scan(const RunContext& run) {
  const std::span<const Index> all = line_.features();
  const std::size_t tile = pair_tile(features_);
  const std::size_t n_rows = rows_at_once(features_, window_);
  const auto n_workers = static_cast<std::size_t>(run.threads);
  const auto d = static_cast<double>(features_.n_features());
  const double bytes = static_cast<double>(memory_of(features_.matrix)) +
                       pair_tile_bytes(features_, run) +
                       3 * sizeof(std::int64_t) * d * static_cast<double>(n_workers + 2);
  require_memory(bytes, run, fmt::format("comparing {} features", features_.n_features()),
                 "raise {memory_limit}, or give fewer features");
  // A pair in a list that grows, then twice in the lists by feature.
  constexpr double kBytesOfPair = 2 * sizeof(Pair) + 2 * sizeof(Neighbour);
  const auto held = static_cast<double>(run.memory_held);
  const double most_pairs = (memory_limit(run, held) - held - bytes) / kBytesOfPair;

  const SingleThreadedBlas single_threaded;
  std::vector<std::optional<Scan>> scans(n_workers);
  std::vector<std::vector<Pair>> pairs(static_cast<std::size_t>(count_tiles(all.size(), n_rows)));
  std::atomic<std::int64_t> n_pairs = 0;
  parallel_for_workers(run, "pairs", count_tiles(all.size(), n_rows),
                       [&](std::int64_t item, int worker) {
                         auto& own_scan = scans[worker];
                         if (!own_scan) own_scan.emplace(features_, tile);
                         std::vector<Pair>& own = pairs[item];
                         std::size_t n_counted = 0;
                         const std::size_t first = static_cast<std::size_t>(item) * n_rows;
                         const Run rows{first, std::min(first + n_rows, all.size())};
                         const std::size_t end = line_.near(all[rows.end - 1]).end;
                         for (std::size_t start = first; start < end; start += tile) {
                           check_stop(run);
                           compare(rows, {start, std::min(start + tile, end)}, *own_scan, own);
                           n_pairs += static_cast<std::int64_t>(own.size() - n_counted);
                           if (static_cast<double>(n_pairs) > most_pairs) own = {};
                           n_counted = own.size();
                         }
                       });
  for (const auto& one : scans) {
    if (one) add_up(one->found, closeness_);
  }
  if (static_cast<double>(n_pairs) <= most_pairs) hold(std::move(pairs));
}

/// Lists by feature out of pairs, each of which is in two lists.
void ClosePairs::hold(std::vector<std::vector<Pair>> pairs) {
  starts_.assign(1, 0);
  for (const std::int64_t count : closeness_.n_close) starts_.push_back(starts_.back() + count);
  neighbours_.resize(static_cast<std::size_t>(starts_.back()));
  std::vector<Offset> next(starts_.begin(), starts_.end() - 1);
  for (auto& some : pairs) {
    for (const Pair& pair : some) {
      neighbours_[next[pair.first]++] = {pair.second, pair.r2};
      neighbours_[next[pair.second]++] = {pair.first, pair.r2};
    }
    some = {};
  }
}

/// Of the open features those that are near some of these.
std::vector<Index> ClosePairs::open_near(std::span<const Index> some, std::span<const Index> open,
                                         const std::vector<char>& is_open) const {
  std::vector<Index> result(open.begin(), open.end());
  if (window_ == nullptr || some.empty()) return result;
  const Run run = line_.near_any(window_->along_line(some));
  result.clear();
  for (const Index feature : line_.features().subspan(run.first, run.size())) {
    if (is_open[feature] != 0) result.push_back(feature);
  }
  return result;
}

/// found(feature, r2 in steps) for each pair of one of `some` and an open feature that are close;
/// side by side, but never twice at once for one open feature.
template <typename Found>
void ClosePairs::find_anew(std::span<const Index> some, std::span<const Index> all_open,
                           const std::vector<char>& is_open, const Found& found) const {
  const std::size_t tile = pair_tile(features_);
  const std::vector<Index> near_ones = open_near(some, all_open, is_open);
  const std::span<const Index> open(near_ones);
  parallel_for(run_, {}, count_tiles(open.size(), tile), [&](std::int64_t item) {
    const auto columns = tile_at(open, static_cast<std::size_t>(item) * tile, tile);
    ObservedProducts products(features_);
    std::vector<double> block(std::min(tile, some.size()) * columns.size());
    for (std::size_t first = 0; first < some.size(); first += tile) {
      const auto rows = tile_at(some, first, tile);
      products(columns, rows, block.data());
      for (std::size_t t = 0; t < rows.size(); ++t) {
        for (std::size_t k = 0; k < columns.size(); ++k) {
          if (window_ != nullptr && !window_->near(rows[t], columns[k])) continue;
          const double r = block[t * columns.size() + k];
          if (is_close(r * r, rows[t], columns[k])) found(columns[k], steps_of_pair(r * r));
        }
      }
    }
  });
}

std::vector<Index> ClosePairs::close_to(Index feature, std::span<const Index> open,
                                        const std::vector<char>& is_open) const {
  std::vector<Index> close;
  if (are_held()) {
    for (auto at = starts_[feature]; at < starts_[feature + 1]; ++at) {
      const Index other = neighbours_[at].feature;
      if (is_open[other] != 0) close.push_back(other);
    }
    return close;
  }
  std::vector<char> is_near(is_open.size(), 0);
  find_anew({&feature, 1}, open, is_open, [&](Index other, std::uint32_t) { is_near[other] = 1; });
  for (const Index other : open) {
    if (is_near[other] != 0 && other != feature) close.push_back(other);
  }
  return close;
}

void ClosePairs::take_out(std::span<const Index> gone, std::span<const Index> open,
                          const std::vector<char>& is_open, Closeness& closeness) const {
  const auto less = [&](Index other, std::uint32_t r2) {
    --closeness.n_close[other];
    closeness.close_r2[other] -= r2;
  };
  if (!are_held()) return find_anew(gone, open, is_open, less);
  for (const Index feature : gone) {
    for (auto at = starts_[feature]; at < starts_[feature + 1]; ++at) {
      const Neighbour& one = neighbours_[at];
      if (is_open[one.feature] != 0) less(one.feature, one.r2);
    }
  }
}

}  // namespace sfg::detail
