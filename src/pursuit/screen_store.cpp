#include "pursuit/screen_store.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <memory>
#include <numeric>

#include "core/kernels.hpp"
#include "core/random.hpp"
#include "core/threads.hpp"

namespace sfg::detail {

namespace {

/// Taking out the common direction pays if it holds more than this share of the features' squared
/// length.
constexpr double kCommonShare = 0.5;
/// Rounding unit of float.
constexpr double kFloatRoundoff = 0x1p-24;
/// Roundings of a float32 sum beside its n terms (conversion, scaling, adding the common part, the
/// limit).
constexpr double kOtherRoundings = 24;
/// Errors are computed in float64 and kept as float: this much on top covers both roundings.
constexpr double kRoundUp = 1 + 1e-6;
constexpr std::size_t kAlignment = 64;
/// Half of a second-level cache of 512 KB, and a third of a first-level one of 32 KB.
constexpr std::size_t kChunkBytes = std::size_t{256} * 1024;
constexpr std::size_t kGroupBytes = std::size_t{12} * 1024;

float rounded_up(double value) {
  return static_cast<float>(value * kRoundUp);
}

/// The nearest bfloat16 (ties to even), as the upper half of a float's bits.
std::uint32_t to_bf16(double value) {
  const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
  return (bits + 0x7FFFU + ((bits >> 16U) & 1U)) >> 16U;
}

std::size_t words_for(std::size_t n_samples, const TileKernel& kernel) {
  const auto per_word = static_cast<std::size_t>(kernel.samples_per_word);
  const std::size_t words = (n_samples + per_word - 1) / per_word;
  // The AVX2 kernel takes int8 words in pairs.
  return kernel.screen == Screen::int8 ? (words + 1) / 2 * 2 : words;
}

}  // namespace

ScreenStore::ScreenStore(const DenseMatrix& features, const TileKernel& kernel, const Run& run)
    : kernel_(kernel),
      n_samples_(static_cast<std::size_t>(features.n_samples())),
      n_words_(words_for(n_samples_, kernel)),
      // Whole numbers are added without rounding, floats with one per term.
      rounding_((kOtherRoundings + (kernel.levels > 0 ? 0.0 : static_cast<double>(n_samples_))) *
                kFloatRoundoff) {
  find_common_direction(features);
  const auto d = static_cast<std::size_t>(features.n_features());
  const std::size_t n_panels = (d + kPanelFeatures - 1) / kPanelFeatures;
  const std::size_t n_slots = n_panels * kPanelFeatures;

  // Features of like range share a panel, so that its largest error is near that of each; the
  // panels then come in random order, so that limits rise early.
  order_.resize(d);
  std::iota(order_.begin(), order_.end(), Index{0});
  std::vector<float> range(d);
  parallel_for(run, {}, static_cast<std::int64_t>(d), [&](std::int64_t item) {
    std::vector<double> rest;
    deflate(features.column(static_cast<Index>(item)).data(), rest);
    range[static_cast<std::size_t>(item)] = static_cast<float>(max_abs(rest.data(), rest.size()));
  });
  std::ranges::stable_sort(order_, {}, [&](Index k) { return range[static_cast<std::size_t>(k)]; });
  order_.resize(n_slots, -1);
  panels_.resize(n_panels);
  std::iota(panels_.begin(), panels_.end(), std::size_t{0});
  Random random(1);
  shuffle(panels_, random);

  words_.resize(n_slots * n_words_ + kAlignment / sizeof(std::uint32_t));
  void* start = words_.data();
  std::size_t room = words_.size() * sizeof(std::uint32_t);
  aligned_words_ = static_cast<std::uint32_t*>(
      std::align(kAlignment, n_slots * n_words_ * sizeof(std::uint32_t), start, room));
  for (auto* values : {&scale_, &along_, &error_, &length_}) values->resize(n_slots, 0.0F);
  panel_error_.resize(n_panels, 0.0F);
  panel_length_.resize(n_panels, 0.0F);
  parallel_for(run, {}, static_cast<std::int64_t>(n_panels), [&](std::int64_t item) {
    const auto panel = static_cast<std::size_t>(item);
    for (std::size_t lane = 0; lane < kPanelFeatures; ++lane) {
      const std::size_t slot = panel * kPanelFeatures + lane;
      if (order_[slot] >= 0) store(features, slot);
      panel_error_[panel] = std::max(panel_error_[panel], error_[slot]);
      panel_length_[panel] = std::max(panel_length_[panel], length_[slot]);
    }
  });
}

void ScreenStore::find_common_direction(const DenseMatrix& features) {
  std::vector<double> mean(n_samples_, 0.0);
  for (Index k = 0; k < features.n_features(); ++k) {
    add_multiple(1, features.column(k).data(), mean.data(), n_samples_);
  }
  const double length = std::sqrt(dot(mean.data(), mean.data(), n_samples_));
  if (length == 0) return;
  for (double& value : mean) value /= length;
  double share = 0;
  for (Index k = 0; k < features.n_features(); ++k) {
    const double along = dot(mean.data(), features.column(k).data(), n_samples_);
    share += along * along;
  }
  if (share > kCommonShare * features.n_features()) direction_ = std::move(mean);
}

double ScreenStore::deflate(const double* vector, std::vector<double>& rest) const {
  rest.assign(vector, vector + n_samples_);
  if (direction_.empty()) return 0;
  const double along = dot(direction_.data(), vector, n_samples_);
  add_multiple(-along, direction_.data(), rest.data(), n_samples_);
  return along;
}

void ScreenStore::quantise(const std::vector<double>& rest, int offset,
                           PackedVector& packed) const {
  packed.words.assign(n_words_, 0);
  packed.start = 0;
  packed.unit = 1;
  double squares = 0;
  if (kernel_.levels > 0) {
    const double largest = max_abs(rest.data(), rest.size());
    packed.unit = largest > 0 ? largest / kernel_.levels : 1;
    for (std::size_t i = 0; i < n_words_ * 4; ++i) {
      const double value = i < n_samples_ ? rest[i] : 0.0;
      const auto level = static_cast<int>(std::lrint(value / packed.unit));
      const double left = value - level * packed.unit;
      squares += left * left;
      packed.start -= kernel_.offset * level;
      packed.words[i / 4] |= static_cast<std::uint32_t>((level + offset) & 0xFF) << (8 * (i % 4));
    }
  } else if (kernel_.samples_per_word == 2) {
    for (std::size_t i = 0; i < n_samples_; ++i) {
      const std::uint32_t bits = to_bf16(rest[i]);
      const double left = rest[i] - static_cast<double>(std::bit_cast<float>(bits << 16U));
      squares += left * left;
      packed.words[i / 2] |= bits << (16 * (i % 2));
    }
  } else {
    for (std::size_t i = 0; i < n_samples_; ++i) {
      const auto value = static_cast<float>(rest[i]);
      const double left = rest[i] - static_cast<double>(value);
      squares += left * left;
      packed.words[i] = std::bit_cast<std::uint32_t>(value);
    }
  }
  packed.length = std::sqrt(dot(rest.data(), rest.data(), rest.size())) * kRoundUp;
  packed.error = std::sqrt(squares) * kRoundUp;
}

void ScreenStore::store(const DenseMatrix& features, std::size_t slot) {
  std::vector<double> rest;
  PackedVector packed;
  const double along = deflate(features.column(order_[slot]).data(), rest);
  quantise(rest, kernel_.offset, packed);
  scale_[slot] = static_cast<float>(packed.unit);
  along_[slot] = static_cast<float>(along);
  error_[slot] = rounded_up(packed.error);
  length_[slot] = rounded_up(packed.length);
  std::uint32_t* panel = aligned_words_ + slot / kPanelFeatures * n_words_ * kPanelFeatures;
  for (std::size_t g = 0; g < n_words_; ++g) {
    panel[g * kPanelFeatures + slot % kPanelFeatures] = packed.words[g];
  }
}

std::size_t ScreenStore::panels_per_chunk() const noexcept {
  return std::max<std::size_t>(1,
                               kChunkBytes / (n_words_ * kPanelFeatures * sizeof(std::uint32_t)));
}

std::size_t ScreenStore::groups_per_part() const noexcept {
  return std::max<std::size_t>(
      1, kGroupBytes / (n_words_ * kernel_.n_targets * sizeof(std::uint32_t)));
}

TilePanel ScreenStore::panel(std::size_t number) const noexcept {
  const std::size_t place = panels_[number];
  TilePanel panel;
  panel.words = aligned_words_ + place * n_words_ * kPanelFeatures;
  panel.n_words = n_words_;
  panel.scale = scale_.data() + place * kPanelFeatures;
  panel.along = along_.data() + place * kPanelFeatures;
  panel.error = panel_error_[place];
  panel.length = panel_length_[place];
  return panel;
}

double ScreenStore::rounding(const PackedVector& packed) const noexcept {
  return rounding_ * (packed.length + std::fabs(packed.along));
}

double ScreenStore::error_bound(const PackedVector& packed, std::size_t panel,
                                std::size_t lane) const noexcept {
  const std::size_t slot = first_slot(panel) + lane;
  return static_cast<double>(error_[slot]) * (packed.length + packed.error) +
         static_cast<double>(length_[slot]) * packed.error + rounding(packed);
}

void ScreenStore::set_target(const PackedVector& packed, std::size_t t, std::uint32_t* words,
                             TileTargets& targets) const noexcept {
  for (std::size_t g = 0; g < n_words_; ++g) words[g * kernel_.n_targets + t] = packed.words[g];
  targets.words = words;
  targets.start[t] = packed.start;
  targets.along[t] = static_cast<float>(packed.along / packed.unit);
  targets.error[t] = static_cast<float>((packed.length + packed.error) / packed.unit);
  targets.length[t] = static_cast<float>(packed.error / packed.unit);
  targets.slack[t] = static_cast<float>(rounding(packed) / packed.unit);
  targets.unit[t] = static_cast<float>(packed.unit);
}

void ScreenStore::set_level(const PackedVector& packed, std::size_t t, double level,
                            TileTargets& targets) const noexcept {
  targets.level[t] = static_cast<float>((level - rounding(packed)) / packed.unit);
}

void ScreenStore::pack(const double* vector, PackedVector& packed) const {
  thread_local std::vector<double> rest;
  packed.along = deflate(vector, rest);
  quantise(rest, 0, packed);
}

}  // namespace sfg::detail
