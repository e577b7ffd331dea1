#include "pursuit/engines/stream/screen_store.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <tuple>
#include <utility>

#include "core/kernels.hpp"
#include "core/random.hpp"
#include "core/threads.hpp"
#include "pursuit/engines/candidate.hpp"
#include "pursuit/engines/stream/quantise.hpp"
#include "pursuit/omp/tolerances.hpp"

namespace sfg::detail {

namespace {

/// Taking out the common direction pays if it holds more than this share of the features' squared
/// length.
constexpr double kCommonShare = 0.5;
/// Roundings of a float32 sum beside its n terms (conversion, scaling, adding the common part, the
/// limit).
constexpr double kOtherRoundings = 24;
/// Lengths and errors are sums in float64: this much on top covers their rounding.
constexpr double kRoundUp = 1 + 1e-6;
/// A scale below this counts as this, so that its inverse is a number.
constexpr float kSmallestScale = 1e-30F;
constexpr std::size_t kAlignment = 64;
/// Half of a second-level cache of 512 KB, and a third of a first-level one of 32 KB.
constexpr std::size_t kChunkBytes = std::size_t{256} * 1024;
constexpr std::size_t kGroupBytes = std::size_t{12} * 1024;

std::size_t words_for(std::size_t n_samples, const TileKernel& kernel) {
  const auto per_word = static_cast<std::size_t>(kernel.samples_per_word);
  return (n_samples + per_word - 1) / per_word;
}

/// Adds a number to each of the four bytes of a word, without carry from one to the next.
std::uint32_t add_to_bytes(std::uint32_t word, int number) {
  const std::uint32_t all = 0x01010101U * (static_cast<std::uint32_t>(number) & 0xFFU);
  constexpr std::uint32_t kLowBits = 0x7F7F7F7FU;
  return ((word & kLowBits) + (all & kLowBits)) ^ ((word ^ all) & ~kLowBits);
}

}  // namespace

ScreenStore::ScreenStore(const UnitFeatures& dictionary, const Duplicates& duplicates,
                         const TileKernel& kernel, const RunContext& run)
    : kernel_(kernel),
      n_samples_(static_cast<std::size_t>(dictionary.n_samples())),
      n_words_(words_for(n_samples_, kernel)),
      // Whole numbers are added without rounding, floats with one per term.
      rounding_(
          (kOtherRoundings + (kernel.largest_integer > 0 ? 0.0 : static_cast<double>(n_samples_))) *
          kFloatRoundoff) {
  const auto& features = std::get<DenseMatrix>(dictionary.matrix);
  find_common_direction(features, run);
  for (Index k = 0; k < features.n_features(); ++k) {
    if (dictionary.kind[k] != FeatureKind::regular) continue;
    if (!duplicates.repeated(k)) order_.push_back(k);
  }
  std::vector<Scratch> scratches(static_cast<std::size_t>(worker_count(run)));
  const std::vector<double> units = arrange(features, scratches, run);
  allocate();
  parallel_for_workers(
      run, {}, static_cast<std::int64_t>(n_panels()), [&](std::int64_t panel, int worker) {
        fill_panel(features, units, static_cast<std::size_t>(panel), scratches[worker]);
      });
  largest_error_ = static_cast<double>(max_abs(panel_error_.data(), n_panels()));
  largest_length_ = static_cast<double>(max_abs(panel_length_.data(), n_panels()));
}

/// Features of like error share a panel, so that its largest error is near that of each; the panels
/// then come in random order, so that thresholds rise early. Returns the unit of each slot.
std::vector<double> ScreenStore::arrange(const DenseMatrix& features,
                                         std::vector<Scratch>& scratches, const RunContext& run) {
  const std::size_t d = order_.size();
  std::vector<std::pair<double, Index>> by_unit(d);
  parallel_for_workers(run, {}, static_cast<std::int64_t>(d), [&](std::int64_t item, int worker) {
    auto& rest = scratches[worker].rest;
    const Index k = order_[item];
    by_unit[item] = {
        choose_unit(deflate(features.column(k).data(), rest).rest, kernel_.largest_integer), k};
  });
  std::ranges::sort(by_unit);
  std::vector<double> units(d);
  for (std::size_t slot = 0; slot < d; ++slot) std::tie(units[slot], order_[slot]) = by_unit[slot];
  panels_.resize((d + kPanelFeatures - 1) / kPanelFeatures);
  order_.resize(panels_.size() * kPanelFeatures, -1);
  std::iota(panels_.begin(), panels_.end(), std::size_t{0});
  Random random(1);
  shuffle(panels_, random);
  return units;
}

void ScreenStore::allocate() {
  words_.resize(n_slots() * n_words_ + kAlignment / sizeof(std::uint32_t));
  void* start = words_.data();
  std::size_t room = words_.size() * sizeof(std::uint32_t);
  aligned_words_ = static_cast<std::uint32_t*>(
      std::align(kAlignment, n_slots() * n_words_ * sizeof(std::uint32_t), start, room));
  for (auto* values : {&scale_, &along_, &error_, &length_}) values->resize(n_slots(), 0.0F);
  for (auto* values : {&panel_error_, &panel_length_, &panel_inverse_scale_, &panel_along_}) {
    values->resize(n_panels(), 0.0F);
  }
}

/// `panel` is its place in memory, not its number in the random order.
void ScreenStore::fill_panel(const DenseMatrix& features, const std::vector<double>& units,
                             std::size_t panel, Scratch& scratch) {
  const std::size_t first = panel * kPanelFeatures;
  for (std::size_t slot = first; slot < first + kPanelFeatures; ++slot) {
    if (order_[slot] < 0) continue;
    store(features.column(order_[slot]).data(), units[slot], slot, scratch);
    panel_error_[panel] = std::max(panel_error_[panel], error_[slot]);
    panel_length_[panel] = std::max(panel_length_[panel], length_[slot]);
  }
  panel_along_[panel] = max_abs(along_.data() + first, kPanelFeatures);
  const float scale = max_abs(scale_.data() + first, kPanelFeatures);
  panel_inverse_scale_[panel] = (1 - kTileMargin) / std::max(scale, kSmallestScale);
}

/// The mean feature, if it explains most of the squared length of the features. Pieces of fixed
/// size are added in order: the same direction for any number of threads.
void ScreenStore::find_common_direction(const DenseMatrix& features, const RunContext& run) {
  constexpr std::int64_t kPiece = 512;
  const std::int64_t n_pieces = (features.n_features() + kPiece - 1) / kPiece;
  const auto each_feature = [&](std::int64_t piece, const auto& visit) {
    const auto end = std::min<std::int64_t>((piece + 1) * kPiece, features.n_features());
    for (std::int64_t k = piece * kPiece; k < end; ++k) {
      visit(features.column(static_cast<Index>(k)).data());
    }
  };
  const auto n = static_cast<std::size_t>(n_pieces);
  std::vector<double> sums(n * n_samples_, 0.0);
  parallel_for(run, {}, n_pieces, [&](std::int64_t piece) {
    double* sum = sums.data() + static_cast<std::size_t>(piece) * n_samples_;
    each_feature(piece, [&](const double* column) { add_multiple(1, column, sum, n_samples_); });
  });
  std::vector<double> mean(n_samples_, 0.0);
  for (std::size_t piece = 0; piece < n; ++piece) {
    add_multiple(1, sums.data() + piece * n_samples_, mean.data(), n_samples_);
  }
  const double length = std::sqrt(dot(mean.data(), mean.data(), n_samples_));
  if (length == 0) return;
  for (double& value : mean) value /= length;
  std::vector<double> shares(n, 0.0);
  parallel_for(run, {}, n_pieces, [&](std::int64_t piece) {
    each_feature(piece, [&](const double* column) {
      const double along = dot(mean.data(), column, n_samples_);
      shares[piece] += along * along;
    });
  });
  const double share = std::accumulate(shares.begin(), shares.end(), 0.0);
  if (share > kCommonShare * features.n_features()) direction_ = std::move(mean);
}

ScreenStore::Split ScreenStore::deflate(const double* vector, std::vector<double>& memory) const {
  if (direction_.empty()) return {0, vector};
  memory.assign(vector, vector + n_samples_);
  const double along = dot(direction_.data(), vector, n_samples_);
  add_multiple(-along, direction_.data(), memory.data(), n_samples_);
  return {along, memory.data()};
}

/// The step of the whole numbers of a vector: as small as the largest entry and the width of the
/// kernel's sums allow.
double ScreenStore::choose_unit(const double* rest, int largest_integer) const {
  const double largest = max_abs(rest, n_samples_);
  if (largest == 0 || largest_integer == 0) return 1;
  double unit = largest / largest_integer;
  // Rounding lengthens m entries by at most sqrt(m) / 2.
  const auto make_fit = [&unit](double length, double most, double m) {
    unit = std::max(unit, length * kRoundUp / (most - std::sqrt(m) / 2));
  };
  if (kernel_.segment_words > 0) {
    make_fit(largest_half_length(rest, n_samples_, 4 * kernel_.segment_words), kHalfSegmentLength,
             2.0 * static_cast<double>(kernel_.segment_words));
  }
  const auto n = static_cast<double>(n_samples_);
  if (largest_integer * std::sqrt(n) > kWholeLength) {
    make_fit(std::sqrt(dot(rest, rest, n_samples_)), kWholeLength, n);
  }
  return unit;
}

/// Words and errors of a vector; of int8 words without the rows that precede each segment.
void ScreenStore::quantise(const double* rest, double unit, Scratch& scratch) const {
  scratch.words.resize(n_words_);
  scratch.words.back() = 0;  // the only one that may not be filled
  double squares = 0;
  if (kernel_.largest_integer > 0) {
    squares = quantise_to_integers(rest, n_samples_, unit,
                                   reinterpret_cast<std::int8_t*>(scratch.words.data()));
  } else if (kernel_.samples_per_word == 2) {
    squares = pack_bf16(rest, n_samples_, scratch.words.data());
  } else {
    squares = pack_f32(rest, n_samples_, scratch.words.data());
  }
  scratch.length = std::sqrt(dot(rest, rest, n_samples_)) * kRoundUp;
  scratch.error = std::sqrt(squares) * kRoundUp;
}

void ScreenStore::store(const double* feature, double unit, std::size_t slot, Scratch& scratch) {
  const Split split = deflate(feature, scratch.rest);
  quantise(split.rest, unit, scratch);
  along_[slot] = static_cast<float>(split.along);
  scale_[slot] = static_cast<float>(unit);
  error_[slot] = float_above(scratch.error);
  length_[slot] = float_above(scratch.length);
  std::uint32_t* panel = aligned_words_ + slot / kPanelFeatures * n_words_ * kPanelFeatures;
  for (std::size_t g = 0; g < n_words_; ++g) {
    panel[g * kPanelFeatures + slot % kPanelFeatures] =
        add_to_bytes(scratch.words[g], kernel_.offset);
  }
}

std::size_t ScreenStore::panels_per_chunk() const noexcept {
  return std::max<std::size_t>(1,
                               kChunkBytes / (n_words_ * kPanelFeatures * sizeof(std::uint32_t)));
}

std::size_t ScreenStore::groups_per_part() const noexcept {
  return std::max<std::size_t>(
      1, kGroupBytes / (n_rows() * kernel_.n_targets * sizeof(std::uint32_t)));
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
  panel.inverse_scale = panel_inverse_scale_[place];
  panel.largest_along = panel_along_[place];
  return panel;
}

double ScreenStore::largest_error_bound(const PackedVector& packed) const noexcept {
  return largest_error_ * (packed.length + packed.error) + largest_length_ * packed.error +
         rounding(packed);
}

void ScreenStore::set_target(const PackedVector& packed, std::size_t t, std::uint32_t* words,
                             TileTargets& targets) const noexcept {
  for (std::size_t row = 0; row < n_rows(); ++row) {
    words[row * kernel_.n_targets + t] = packed.rows[row];
  }
  targets.words = words;
  targets.along[t] = static_cast<float>(packed.along / packed.unit);
  targets.error[t] = static_cast<float>((packed.length + packed.error) / packed.unit);
  targets.length[t] = static_cast<float>(packed.error / packed.unit);
  targets.slack[t] = static_cast<float>(rounding(packed) / packed.unit);
  targets.unit[t] = static_cast<float>(packed.unit);
  targets.inverse_unit[t] = static_cast<float>(1 / packed.unit);
}

void ScreenStore::set_threshold(const PackedVector& packed, std::size_t t, double threshold,
                                TileTargets& targets) const noexcept {
  targets.threshold[t] = static_cast<float>((threshold - rounding(packed)) / packed.unit);
}

/// Puts before each segment the row that takes the features' offset out again.
void ScreenStore::add_start_rows(const std::uint32_t* words,
                                 std::vector<std::uint32_t>& rows) const {
  rows.resize(n_rows());
  if (kernel_.largest_integer == 0) {
    std::copy_n(words, n_words_, rows.begin());
    return;
  }
  const std::size_t segment = kernel_.segment_words == 0 ? n_words_ : kernel_.segment_words;
  std::uint32_t* row = rows.data();
  for (std::size_t begin = 0; begin < n_words_; begin += segment) {
    const std::size_t end = std::min(begin + segment, n_words_);
    const HalfSums sums =
        half_sums(reinterpret_cast<const std::int8_t*>(words + begin), 4 * (end - begin));
    if (kernel_.segment_words == 0) {
      *row++ = static_cast<std::uint32_t>(-kernel_.offset) *
               static_cast<std::uint32_t>(sums.first + sums.second);
    } else {
      const auto low = static_cast<std::uint16_t>(-kernel_.offset * sums.first);
      const auto high = static_cast<std::uint16_t>(-kernel_.offset * sums.second);
      *row++ = static_cast<std::uint32_t>(low) | static_cast<std::uint32_t>(high) << 16U;
    }
    row = std::copy(words + begin, words + end, row);
  }
}

void ScreenStore::pack(const double* vector, PackedVector& packed) const {
  thread_local Scratch scratch;
  const Split split = deflate(vector, scratch.rest);
  packed.unit = choose_unit(split.rest, kernel_.largest_vector_integer);
  quantise(split.rest, packed.unit, scratch);
  packed.along = split.along;
  packed.length = scratch.length;
  packed.error = scratch.error;
  add_start_rows(scratch.words.data(), packed.rows);
}

void ScreenStore::pack_stored(std::size_t panel, std::size_t lane, PackedVector& packed) const {
  thread_local std::vector<std::uint32_t> words;
  const std::size_t slot = first_slot(panel) + lane;
  packed.along = static_cast<double>(along_[slot]);
  packed.unit = static_cast<double>(scale_[slot]);
  packed.length = static_cast<double>(length_[slot]);
  packed.error = static_cast<double>(error_[slot]);
  const std::uint32_t* first = aligned_words_ + panels_[panel] * n_words_ * kPanelFeatures + lane;
  words.resize(n_words_);
  for (std::size_t g = 0; g < n_words_; ++g) {
    words[g] = add_to_bytes(first[g * kPanelFeatures], -kernel_.offset);
  }
  add_start_rows(words.data(), packed.rows);
}

}  // namespace sfg::detail
