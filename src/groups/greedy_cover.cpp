#include "groups/greedy_cover.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/memory.hpp"
#include "core/threads.hpp"
#include "normalise/products.hpp"

namespace sfg::detail {

namespace {

/// More than any squared correlation.
constexpr double kNothingToCover = 2;

/// Lists that are too long are counted again after 1.05 to 2 times as many picks.
constexpr double kLeastWait = 1.05;
constexpr double kMostWait = 2;
/// Features that are made exact for the first limit; for the next ones more and more.
constexpr std::size_t kSettledFirst = 16;
/// So many of them by one worker: they fit into its cache.
constexpr std::size_t kSettledPiece = 8;
/// They are made exact side by side if there are many, or if they missed much: less is done sooner
/// than threads start.
constexpr std::size_t kManyTies = 1024;
constexpr double kSettlingWork = 2e5;

/// Threads are asked for once: there are several rounds of them for each pick.
RunContext with_counted_threads(RunContext run) {
  run.threads = worker_count(run);
  return run;
}

/// Entries that lists may have in all; 0 where there are none: of sparse data, whose passes are
/// short, and where memory does not hold them.
double most_listed(const UnitFeatures& features, const RunContext& run, const CoverPhases& phases) {
  if (!std::holds_alternative<DenseMatrix>(features.matrix)) return 0;
  const double n = features.n_samples();
  const double d = features.n_features();
  const double most =
      std::min(d * d, std::max(phases.few_entries, phases.entries_per_value * n * d));
  const double bytes = memory_of_inverse(features) + FloatFeatures::bytes(features) +
                       CoverLists::kBytesOfEntry * most + CoverLists::tile_bytes(run) +
                       CoverCeilings::bytes(features, run) +
                       JointBounds::bytes(features, phases.picks_per_refresh);
  return fits_memory(bytes, run) ? most : 0;
}

}  // namespace

/// G, M and, now and then, two more.
double memory_of_inverse(const UnitFeatures& features) {
  const double n = features.n_samples();
  return 4 * sizeof(double) * n * n + static_cast<double>(memory_of(features.matrix));
}

GreedyCover::GreedyCover(const UnitFeatures& features, const RunContext& run,
                         const CoverPhases& phases)
    : features_(features),
      run_(with_counted_threads(run)),
      phases_(phases),
      n_(static_cast<std::size_t>(features.n_samples())),
      d_(static_cast<std::size_t>(features.n_features())),
      open_(d_, 0),
      joint_(features, run_, phases.picks_per_refresh),
      b_(d_, 0.0),
      c_as_of_(d_, 0),
      vectors_(n_ * kMostVectors, 0.0),
      column_(n_),
      most_entries_(most_listed(features, run_, phases)) {
  std::vector<Index> regular = regular_features(features);
  for (const Index j : regular) open_[j] = 1;
  // What takes no part need not be covered.
  for (std::size_t j = 0; j < d_; ++j) b_[j] = open_[j] != 0 ? 0.0 : kNothingToCover;
  n_open_ = static_cast<Index>(regular.size());
  // Nothing is covered yet: c_j = sum_i r_ij^2.
  c_ = joint_.squares();
  if (most_entries_ > 0) {
    rounded_.emplace(features, run_);
    ceilings_.emplace(*rounded_, c_, run_);
  }
  up_to_date_ = std::move(regular);
}

Index GreedyCover::best() {
  if (n_open_ == 0) return -1;
  return lists_ ? best_listed() : best_by_passes();
}

Index GreedyCover::best_up_to_date() const {
  double highest = -std::numeric_limits<double>::infinity();
  for (const Index feature : up_to_date_) highest = std::max(highest, gain(feature));
  Index lowest = std::numeric_limits<Index>::max();
  for (const Index feature : up_to_date_) {
    if (gain(feature) >= tied_with(highest)) lowest = std::min(lowest, feature);
  }
  return lowest;
}

void GreedyCover::pick(Index feature) {
  open_[feature] = 0;
  --n_open_;
  up_to_date_.clear();
  if (lists_) return pick_listed(feature);
  pick_by_pass(feature);
  list_if_it_pays();
}

void GreedyCover::list_if_it_pays() {
  const std::size_t n_picks = joint_.n_picks();
  const double n_enough = phases_.vectors_before_lists * static_cast<double>(d_);
  if (most_entries_ == 0 || n_multiplied_ < n_enough || n_picks < next_count_) return;
  const double expected = CoverLists::expected_entries(*rounded_, b_, open_, run_);
  if (expected <= most_entries_) {
    lists_ = CoverLists::make(features_, *rounded_, b_, open_,
                              static_cast<std::size_t>(most_entries_), run_);
  }
  if (lists_) {
    ceilings_.reset();
    bounds_.emplace(features_, *rounded_, joint_, run_);
    return;
  }
  // Entries fall about as 1 / picks.
  const double too_many = std::clamp(expected / most_entries_, kLeastWait, kMostWait);
  next_count_ =
      n_picks + 1 + static_cast<std::size_t>((too_many - 1) * static_cast<double>(n_picks));
}

/// Makes c exact and, where the gain may still reach the limit, that too.
void GreedyCover::settle(std::span<const Index> features, double limit) {
  std::vector<Index> reaching;
  for (const Index feature : features) {
    const auto j = static_cast<std::size_t>(feature);
    if (c_as_of_[j] != joint_.n_picks()) {
      c_[j] = lists_->gain(feature, b_);
      c_as_of_[j] = joint_.n_picks();
    }
    if (bound(j) >= limit) reaching.push_back(feature);
  }
  bounds_->settle(reaching);
}

void GreedyCover::settle_together(std::span<const Index> features, double limit) {
  RunContext how = run_;
  double steps = 0;
  for (const Index feature : features) steps += static_cast<double>(bounds_->n_missed(feature));
  if (features.size() < kManyTies && steps * static_cast<double>(n_) < kSettlingWork) {
    how.threads = 1;
  }
  const std::size_t n_pieces = (features.size() + kSettledPiece - 1) / kSettledPiece;
  parallel_for(how, {}, static_cast<std::int64_t>(n_pieces), [&](std::int64_t piece) {
    const std::size_t start = static_cast<std::size_t>(piece) * kSettledPiece;
    settle(features.subspan(start, std::min(kSettledPiece, features.size() - start)), limit);
  });
}

/// The open features with a bound that reaches the limit, highest bounds first.
std::vector<Index> GreedyCover::possible(double limit) const {
  std::vector<std::pair<double, Index>> found;
  for (std::size_t j = 0; j < d_; ++j) {
    if (const double most = bound(j); most >= limit && open_[j] != 0) {
      found.emplace_back(-most, static_cast<Index>(j));
    }
  }
  std::ranges::sort(found);
  std::vector<Index> features;
  features.reserve(found.size());
  for (const auto& one : found) features.push_back(one.second);
  return features;
}

Index GreedyCover::best_listed() {
  const double none = -std::numeric_limits<double>::infinity();
  std::size_t first = d_;
  for (std::size_t j = 0; j < d_; ++j) {
    if (open_[j] != 0 && (first == d_ || bound(j) > bound(first))) first = j;
  }
  const auto most_promising = static_cast<Index>(first);
  settle({&most_promising, 1}, none);
  double limit = tied_with(gain(most_promising));
  const std::vector<Index> features = possible(limit);
  // Copies of the best one are many, and all need to be exact.
  std::size_t count = kSettledFirst;
  for (std::size_t start = 0; start < features.size(); start += count, count *= 2) {
    count = std::min(count, features.size() - start);
    const std::span<const Index> some(features.data() + start, count);
    settle_together(some, limit);
    for (const Index feature : some) {
      if (!bounds_->is_settled(feature)) continue;
      up_to_date_.push_back(feature);
      limit = std::max(limit, tied_with(gain(feature)));
    }
  }
  return best_up_to_date();
}

void GreedyCover::pick_listed(Index feature) {
  settle({&feature, 1}, -std::numeric_limits<double>::infinity());
  expand(features_, feature, column_.data());
  JointGain::Step step = joint_.start(feature, column_);
  lists_->cover(feature, b_);
  joint_.finish(step);
  bounds_->pick(std::move(step));
}

double GreedyCover::lowest_r2() const {
  double lowest = 1;
  for (std::size_t j = 0; j < d_; ++j) lowest = open_[j] != 0 ? std::min(lowest, b_[j]) : lowest;
  return lowest;
}

double GreedyCover::mean_r2() const {
  if (n_open_ == 0) return 1;
  double sum = 0;
  for (std::size_t j = 0; j < d_; ++j) sum += open_[j] != 0 ? b_[j] : 0.0;
  return sum / n_open_;
}

}  // namespace sfg::detail
