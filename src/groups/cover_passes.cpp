// Greedy cover while c comes from passes over the data.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "groups/greedy_cover.hpp"
#include "normalise/products.hpp"

namespace sfg::detail {

namespace {

/// Vectors that are multiplied with a feature at once.
constexpr std::size_t kBatch = kEight;
/// A pick multiplies three vectors with all features; the other five places are used for the cover
/// gains of the features that are likely to come next.
constexpr std::size_t kPickVectors = 3;

/// products[i * 8 + v] = r_iv of a block: its part of each c_v.
void add_cover_gains(std::span<const double> covered, const double* products, double* sums) {
  for (std::size_t i = 0; i < covered.size(); ++i) {
    for (std::size_t v = 0; v < kBatch; ++v) {
      const double r = products[i * kBatch + v];
      sums[v] += std::max(0.0, r * r - covered[i]);
    }
  }
}

}  // namespace

void GreedyCover::set_vector(std::size_t v, const double* values) {
  double* batch = vectors_.data() + v / kBatch * n_ * kBatch;
  for (std::size_t i = 0; i < n_; ++i) batch[i * kBatch + v % kBatch] = values[i];
}

void GreedyCover::set_feature(std::size_t v, Index feature) {
  expand(features_, feature, column_.data());
  set_vector(v, column_.data());
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
  for_each_feature_block(features_, run_, [&](Index first, Index count) {
    double* block_sums =
        sums.data() + static_cast<std::size_t>(first / kFeatureBlock) * n_batches * kBatch;
    std::vector<double> products(static_cast<std::size_t>(few) * kBatch);
    for (Index start = first; start < first + count; start += few) {
      const Index width = std::min(few, first + count - start);
      const std::span<const double> covered(b_.data() + start, static_cast<std::size_t>(width));
      for (std::size_t batch = 0; batch < n_batches; ++batch) {
        multiply(features_, start, width, vectors_.data() + batch * n_ * kBatch, kBatch,
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
  const double limit = tied_with(best_known);
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

void GreedyCover::lower_all_if_it_pays() {
  if (!ceilings_) return;
  double limit = -std::numeric_limits<double>::infinity();
  for (const Index feature : up_to_date_) limit = std::max(limit, gain(feature));
  std::size_t n_stale = 0;
  for (std::size_t j = 0; j < d_; ++j) {
    const bool may_be_best = open_[j] != 0 && gain(static_cast<Index>(j)) >= limit;
    n_stale += static_cast<std::size_t>(may_be_best && c_as_of_[j] != joint_.n_picks());
  }
  if (n_stale <= phases_.few_looks) return;
  const std::size_t n_risen = ceilings_->n_risen(b_);
  if (n_risen == 0 || n_risen > phases_.columns_per_look * n_stale) return;
  ceilings_->lower(b_);
  n_multiplied_ += static_cast<double>(n_risen) / static_cast<double>(phases_.columns_per_look);
  for (std::size_t j = 0; j < d_; ++j) {
    if (c_as_of_[j] != joint_.n_picks()) c_[j] = std::min(c_[j], (*ceilings_)[j]);
  }
}

Index GreedyCover::best_by_passes() {
  n_late_ = 0;
  // A batch first, then more and more.
  std::size_t most = kBatch;
  for (auto some = stale_candidates(most); !some.empty(); some = stale_candidates(most)) {
    find_cover_gains(some);
    n_late_ += some.size();
    lower_all_if_it_pays();
    most = std::min(2 * most, kMostVectors);
  }
  return best_up_to_date();
}

void GreedyCover::pick_by_pass(Index feature) {
  set_feature(0, feature);
  const JointGain::Step step = joint_.start(feature, column_);
  set_vector(1, step.u.data());
  set_vector(2, step.v.data());
  // Late picks hardly change any c: then one look ahead is enough, and four places do.
  const bool narrow = joint_.n_picks() > 1 && n_late_ <= 1;
  const std::size_t places = narrow ? kFour : kBatch;
  const std::vector<Index> ahead = stale_candidates(places - kPickVectors);
  for (std::size_t k = 0; k < ahead.size(); ++k) set_feature(kPickVectors + k, ahead[k]);

  std::vector<double> sums(n_blocks() * kBatch, 0.0);
  for_each_feature_block(features_, run_, [&](Index first, Index count) {
    const auto start = static_cast<std::size_t>(first);
    const auto width = static_cast<std::size_t>(count);
    std::vector<double> products(width * kBatch);
    multiply(features_, first, count, vectors_.data(), places, products.data());
    for (std::size_t k = 0; k < width; ++k) {
      const double r = products[k * kBatch];
      joint_.update(start + k, products[k * kBatch + 1], products[k * kBatch + 2], step);
      b_[start + k] = std::max(b_[start + k], std::min(1.0, r * r));
    }
    add_cover_gains({b_.data() + start, width}, products.data(),
                    sums.data() + start / kFeatureBlock * kBatch);
  });
  take_cover_gains(ahead, kPickVectors, sums);
  joint_.finish(step);
  n_multiplied_ += static_cast<double>(places);
}

}  // namespace sfg::detail
