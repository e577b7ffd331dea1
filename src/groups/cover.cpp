// Greedy cover. Symbols: S = picks, b_i = max over S of r_is^2, c_j = sum_i max(0, r_ij^2 - b_i).
// Picking j raises J by 1/2 c_j + 1/2 of what it explains of all features together (JointGain).
// c only falls, so an old one bounds a gain from above, and few features need a second look. First
// each look takes a pass over the data. Once the pairs that still count are few, they are listed,
// and the gains of all features have bounds from floats: see CoverPhases.
#include "sfg/cover.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "core/kernels.hpp"
#include "core/memory.hpp"
#include "core/threads.hpp"
#include "groups/cover_lists.hpp"
#include "groups/cover_phases.hpp"
#include "groups/joint_bounds.hpp"
#include "groups/joint_gain.hpp"
#include "normalise/fewer_samples.hpp"
#include "normalise/products.hpp"
#include "sfg/error.hpp"

namespace sfg {

namespace {

/// More than any squared correlation.
constexpr double kNothingToCover = 2;

/// Gains this close, relatively, are a tie, and the lowest index wins. Relative, because a gain is
/// a sum over all features and may be of any size.
constexpr double kRelativeGainTie = 1e-12;
/// Vectors that are multiplied with a feature at once.
constexpr std::size_t kBatch = detail::kEight;
/// Features whose cover gain is brought up to date together: a batch first, then more and more.
constexpr std::size_t kMostBatches = 4;
/// A pick multiplies three vectors with all features; the other five places are used for the cover
/// gains of the features that are likely to come next.
constexpr std::size_t kPickVectors = 3;

/// Lists that are too long are counted again after 1.05 to 2 times as many picks.
constexpr double kLeastWait = 1.05;
constexpr double kMostWait = 2;
/// Features that are made exact side by side: fewer are done sooner than threads start.
constexpr std::size_t kManyTies = 1024;

/// G, M and, now and then, two more.
double memory_of_inverse(const UnitFeatures& features) {
  const double n = features.n_samples();
  return 4 * sizeof(double) * n * n + static_cast<double>(memory_of(features.matrix));
}

/// Threads are asked for once: there are several rounds of them for each pick.
RunContext with_counted_threads(RunContext run) {
  run.threads = detail::worker_count(run);
  return run;
}

/// Entries that lists may have in all; 0 where there are none: of sparse data, whose passes are
/// short, and where memory does not hold them.
double most_listed(const UnitFeatures& features, const RunContext& run,
                   const detail::CoverPhases& phases) {
  if (!std::holds_alternative<DenseMatrix>(features.matrix)) return 0;
  const double n = features.n_samples();
  const double most =
      std::max(phases.few_entries, phases.entries_per_value * n * features.n_features());
  const double bytes = memory_of_inverse(features) + detail::FloatFeatures::bytes(features) +
                       detail::CoverLists::kBytesOfEntry * most +
                       detail::CoverLists::tile_bytes(run) +
                       detail::JointBounds::bytes(features, phases.picks_per_refresh);
  return detail::fits_memory(bytes, run) ? most : 0;
}

class GreedyCover {
 public:
  GreedyCover(const UnitFeatures& features, const RunContext& run,
              const detail::CoverPhases& phases);

  /// The best feature that is not picked yet; -1 if there is none.
  [[nodiscard]] Index best();
  void pick(Index feature);
  /// Mean of b over the features that are not picked.
  [[nodiscard]] double mean_r2() const;
  [[nodiscard]] double lowest_r2() const;
  [[nodiscard]] bool is_open(Index feature) const noexcept { return open_[feature] != 0; }

 private:
  [[nodiscard]] double gain(Index feature) const noexcept {
    const auto j = static_cast<std::size_t>(feature);
    return (c_[j] + joint_.gains()[j]) / 2;
  }
  /// At least the gain.
  [[nodiscard]] double bound(std::size_t j) const noexcept {
    return (c_[j] + bounds_->bound(j)) / 2;
  }
  void find_cover_gains(std::span<const Index> features);
  [[nodiscard]] Index best_by_passes();
  [[nodiscard]] Index best_listed();
  /// The lowest of those up to date with the highest gain.
  [[nodiscard]] Index best_up_to_date() const;
  void pick_by_pass(Index feature);
  void pick_listed(Index feature);
  void list_if_it_pays();
  [[nodiscard]] std::vector<Index> possible(double limit) const;
  /// Makes c exact and, if the gain may still reach the limit, that too: then true.
  bool settle(Index feature, double limit);
  /// Puts a vector into place v of the eight.
  void set_vector(std::size_t v, const double* values);
  void set_feature(std::size_t v, Index feature);
  /// Adds up the blocks' parts of cover gains; those of the first feature are in `first_place`.
  void take_cover_gains(std::span<const Index> features, std::size_t first_place,
                        const std::vector<double>& sums);
  [[nodiscard]] std::vector<Index> stale_candidates(std::size_t most) const;
  [[nodiscard]] std::size_t n_blocks() const noexcept {
    return (d_ + detail::kFeatureBlock - 1) / detail::kFeatureBlock;
  }

  const UnitFeatures& features_;
  RunContext run_;
  detail::CoverPhases phases_;
  std::size_t n_;
  std::size_t d_;
  std::vector<char> open_;  ///< regular and not picked
  Index n_open_ = 0;
  detail::JointGain joint_;
  std::vector<double> c_, b_;
  std::vector<Index> up_to_date_;     ///< features whose c was found after the last pick
  std::size_t n_late_ = 0;            ///< how many of them were not foreseen by the last pick
  std::vector<std::size_t> c_as_of_;  ///< picks when c_j was found: before, it is an upper bound
  std::vector<double> vectors_;       ///< batches of eight vectors over the samples, interleaved
  std::vector<double> column_;
  double most_entries_;         ///< of lists; 0: none
  double n_multiplied_ = 0;     ///< vectors, with all features
  std::size_t next_count_ = 0;  ///< picks before it is worth looking how long lists would be
  std::optional<detail::FloatFeatures> rounded_;
  std::optional<detail::CoverLists> lists_;
  std::optional<detail::JointBounds> bounds_;
};

GreedyCover::GreedyCover(const UnitFeatures& features, const RunContext& run,
                         const detail::CoverPhases& phases)
    : features_(features),
      run_(with_counted_threads(run)),
      phases_(phases),
      n_(static_cast<std::size_t>(features.n_samples())),
      d_(static_cast<std::size_t>(features.n_features())),
      open_(d_, 0),
      joint_(features, run_, phases.picks_per_refresh),
      b_(d_, 0.0),
      c_as_of_(d_, 0),
      vectors_(n_ * kBatch * kMostBatches, 0.0),
      column_(n_),
      most_entries_(most_listed(features, run_, phases)) {
  std::vector<Index> regular = regular_features(features);
  for (const Index j : regular) open_[j] = 1;
  // What takes no part need not be covered.
  for (std::size_t j = 0; j < d_; ++j) b_[j] = open_[j] != 0 ? 0.0 : kNothingToCover;
  n_open_ = static_cast<Index>(regular.size());
  // Nothing is covered yet: c_j = sum_i r_ij^2.
  c_ = joint_.squares();
  up_to_date_ = std::move(regular);
}

void GreedyCover::set_vector(std::size_t v, const double* values) {
  double* batch = vectors_.data() + v / kBatch * n_ * kBatch;
  for (std::size_t i = 0; i < n_; ++i) batch[i * kBatch + v % kBatch] = values[i];
}

void GreedyCover::set_feature(std::size_t v, Index feature) {
  detail::expand(features_, feature, column_.data());
  set_vector(v, column_.data());
}

/// products[i * 8 + v] = r_iv of a block: its part of each c_v.
void add_cover_gains(std::span<const double> covered, const double* products, double* sums) {
  for (std::size_t i = 0; i < covered.size(); ++i) {
    for (std::size_t v = 0; v < kBatch; ++v) {
      const double r = products[i * kBatch + v];
      sums[v] += std::max(0.0, r * r - covered[i]);
    }
  }
}

void GreedyCover::take_cover_gains(std::span<const Index> features, std::size_t first_place,
                                   const std::vector<double>& sums) {
  const std::size_t width = sums.size() / n_blocks();
  for (std::size_t k = 0; k < features.size(); ++k) {
    const auto feature = static_cast<std::size_t>(features[k]);
    c_[feature] = 0;
    for (std::size_t start = 0; start < sums.size(); start += width) {
      c_[feature] += sums[start + first_place + k];
    }
    c_as_of_[feature] = joint_.n_picks();
    up_to_date_.push_back(features[k]);
  }
}

/// c of each feature, some batches of them.
void GreedyCover::find_cover_gains(std::span<const Index> features) {
  for (std::size_t k = 0; k < features.size(); ++k) set_feature(k, features[k]);
  const std::size_t n_batches = (features.size() + kBatch - 1) / kBatch;
  n_multiplied_ += static_cast<double>(n_batches * kBatch);
  // So few features at a time that they stay in the cache for all batches.
  constexpr std::size_t kCache = 32768 / sizeof(double);
  const auto few = static_cast<Index>(std::max<std::size_t>(4, kCache / n_ / 4 * 4));
  std::vector<double> sums(n_blocks() * n_batches * kBatch, 0.0);
  detail::for_each_feature_block(features_, run_, [&](Index first, Index count) {
    double* block_sums =
        sums.data() + static_cast<std::size_t>(first / detail::kFeatureBlock) * n_batches * kBatch;
    std::vector<double> products(static_cast<std::size_t>(few) * kBatch);
    for (Index start = first; start < first + count; start += few) {
      const Index width = std::min(few, first + count - start);
      const std::span<const double> covered(b_.data() + start, static_cast<std::size_t>(width));
      for (std::size_t batch = 0; batch < n_batches; ++batch) {
        detail::multiply(features_, start, width, vectors_.data() + batch * n_ * kBatch, kBatch,
                         products.data());
        add_cover_gains(covered, products.data(), block_sums + batch * kBatch);
      }
    }
  });
  take_cover_gains(features, 0, sums);
}

/// Features that may be the best one, but whose c is older than the last pick: the most promising.
std::vector<Index> GreedyCover::stale_candidates(std::size_t most) const {
  double best_known = -std::numeric_limits<double>::infinity();
  for (const Index feature : up_to_date_) best_known = std::max(best_known, gain(feature));
  const double limit = best_known - kRelativeGainTie * std::fabs(best_known);
  // c only falls: an old one bounds the gain from above.
  std::vector<std::pair<double, Index>> candidates;
  // The least promising one is in front.
  const auto order = [](const auto& left, const auto& right) { return left.first > right.first; };
  for (std::size_t j = 0; j < d_; ++j) {
    const double bound = gain(static_cast<Index>(j));
    if (!(bound >= limit)) continue;
    if (candidates.size() == most && bound <= candidates.front().first) continue;
    if (open_[j] == 0 || c_as_of_[j] == joint_.n_picks()) continue;
    if (candidates.size() == most) {
      std::ranges::pop_heap(candidates, order);
      candidates.pop_back();
    }
    candidates.emplace_back(bound, static_cast<Index>(j));
    std::ranges::push_heap(candidates, order);
  }
  std::vector<Index> features;
  features.reserve(candidates.size());
  for (const auto& candidate : candidates) features.push_back(candidate.second);
  std::ranges::sort(features);
  return features;
}

Index GreedyCover::best() {
  if (n_open_ == 0) return -1;
  return lists_ ? best_listed() : best_by_passes();
}

Index GreedyCover::best_by_passes() {
  n_late_ = 0;
  std::size_t most = kBatch;
  for (auto some = stale_candidates(most); !some.empty(); some = stale_candidates(most)) {
    find_cover_gains(some);
    n_late_ += some.size();
    most = std::min(2 * most, kBatch * kMostBatches);
  }
  return best_up_to_date();
}

Index GreedyCover::best_up_to_date() const {
  double highest = -std::numeric_limits<double>::infinity();
  for (const Index feature : up_to_date_) highest = std::max(highest, gain(feature));
  Index lowest = std::numeric_limits<Index>::max();
  for (const Index feature : up_to_date_) {
    if (gain(feature) >= highest - kRelativeGainTie * std::fabs(highest))
      lowest = std::min(lowest, feature);
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

void GreedyCover::pick_by_pass(Index feature) {
  set_feature(0, feature);
  const detail::JointGain::Step step = joint_.start(feature, column_);
  set_vector(1, step.u.data());
  set_vector(2, step.v.data());
  // Late picks hardly change any c: then one look ahead is enough, and four places do.
  const bool narrow = joint_.n_picks() > 1 && n_late_ <= 1;
  const std::size_t places = narrow ? detail::kFour : kBatch;
  const std::vector<Index> ahead = stale_candidates(places - kPickVectors);
  for (std::size_t k = 0; k < ahead.size(); ++k) set_feature(kPickVectors + k, ahead[k]);

  std::vector<double> sums(n_blocks() * kBatch, 0.0);
  detail::for_each_feature_block(features_, run_, [&](Index first, Index count) {
    const auto start = static_cast<std::size_t>(first);
    const auto width = static_cast<std::size_t>(count);
    std::vector<double> products(width * kBatch);
    detail::multiply(features_, first, count, vectors_.data(), places, products.data());
    for (std::size_t k = 0; k < width; ++k) {
      const double r = products[k * kBatch];
      joint_.update(start + k, products[k * kBatch + 1], products[k * kBatch + 2], step);
      b_[start + k] = std::max(b_[start + k], std::min(1.0, r * r));
    }
    add_cover_gains({b_.data() + start, width}, products.data(),
                    sums.data() + start / detail::kFeatureBlock * kBatch);
  });
  take_cover_gains(ahead, kPickVectors, sums);
  joint_.finish(step);
  n_multiplied_ += static_cast<double>(places);
}

void GreedyCover::list_if_it_pays() {
  const std::size_t n_picks = joint_.n_picks();
  const double n_enough = phases_.vectors_before_lists * static_cast<double>(d_);
  if (most_entries_ == 0 || n_multiplied_ < n_enough || n_picks < next_count_) return;
  if (!rounded_) rounded_.emplace(features_, run_);
  const double expected = detail::CoverLists::expected_entries(*rounded_, b_, open_, run_);
  if (expected <= most_entries_) {
    lists_ = detail::CoverLists::make(features_, *rounded_, b_, open_,
                                      static_cast<std::size_t>(most_entries_), run_);
  }
  if (lists_) {
    bounds_.emplace(features_, *rounded_, joint_, run_);
    return;
  }
  // Entries fall about as 1 / picks.
  const double too_many = std::clamp(expected / most_entries_, kLeastWait, kMostWait);
  next_count_ =
      n_picks + 1 + static_cast<std::size_t>((too_many - 1) * static_cast<double>(n_picks));
}

bool GreedyCover::settle(Index feature, double limit) {
  const auto j = static_cast<std::size_t>(feature);
  if (c_as_of_[j] != joint_.n_picks()) {
    c_[j] = lists_->gain(feature, b_);
    c_as_of_[j] = joint_.n_picks();
  }
  if (bound(j) < limit) return false;
  bounds_->settle(feature);
  return true;
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
  settle(static_cast<Index>(first), none);
  const auto tied_with = [](double best) { return best - kRelativeGainTie * std::fabs(best); };
  double limit = tied_with(gain(static_cast<Index>(first)));
  const std::vector<Index> features = possible(limit);
  if (features.size() > kManyTies) {
    // Copies of the best one: all need to be exact.
    detail::parallel_for(run_, {}, static_cast<std::int64_t>(features.size()), [&](std::int64_t k) {
      settle(features[static_cast<std::size_t>(k)], limit);
    });
  }
  for (const Index feature : features) {
    if (!settle(feature, limit)) continue;
    up_to_date_.push_back(feature);
    limit = std::max(limit, tied_with(gain(feature)));
  }
  return best_up_to_date();
}

void GreedyCover::pick_listed(Index feature) {
  settle(feature, -std::numeric_limits<double>::infinity());
  detail::expand(features_, feature, column_.data());
  detail::JointGain::Step step = joint_.start(feature, column_);
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

void check_memory(const UnitFeatures& features, const RunContext& run) {
  detail::require_memory(memory_of_inverse(features), run,
                         fmt::format("cover of {} samples", features.n_samples()),
                         "raise {memory_limit} or use {grouping=compact}");
}

}  // namespace

CoverSequence detail::cover_in_phases(const UnitFeatures& centred, const CoverStop& stop,
                                      const RunContext& run, const CoverPhases& phases) {
  const bool wide = centred.n_samples() <= centred.n_features();
  if (!wide && std::holds_alternative<DenseMatrix>(centred.matrix)) {
    // The products of features are all that matters: the factor R of F = QR has the same ones.
    return cover_in_phases(fewer_samples(centred, run), stop, while_holding(centred.matrix, run),
                           phases);
  }
  check_memory(centred, run);
  const detail::SingleThreadedBlas single_threaded;
  GreedyCover greedy(centred, run, phases);
  CoverSequence sequence;
  const Index most = stop.most_features > 0 ? stop.most_features : centred.n_features();
  bool enough = false;
  for (std::size_t k = 0; k < stop.keep.size() || !enough; ++k) {
    detail::check_stop(run);
    const Index feature = k < stop.keep.size() ? stop.keep[k] : greedy.best();
    if (feature < 0) break;
    if (!greedy.is_open(feature)) continue;
    greedy.pick(feature);
    sequence.picks.push_back(feature);
    sequence.mean_r2.push_back(greedy.mean_r2());
    enough = (stop.enough && stop.enough(feature)) ||
             static_cast<Index>(sequence.picks.size()) >= most ||
             sequence.mean_r2.back() >= stop.enough_mean_r2 ||
             (stop.enough_r2 <= 1 && greedy.lowest_r2() >= stop.enough_r2);
    if (run.progress) {
      run.progress("cover", static_cast<double>(sequence.picks.size()), static_cast<double>(most));
    }
  }
  return sequence;
}

CoverSequence cover(const UnitFeatures& centred, const CoverStop& stop, const RunContext& run) {
  return detail::cover_in_phases(centred, stop, run, {});
}

}  // namespace sfg
