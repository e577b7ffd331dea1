#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sfg/pursuit.hpp"

// The innermost loop of screening: products of 16 features with a few vectors at once, and a test
// of each against the vector's limit. All precisions share one shape (load 16 words, broadcast one
// word, multiply-add) and one layout; only the instruction differs.
namespace sfg::detail {

/// Features of one panel, side by side in the lanes of a register.
inline constexpr std::size_t kPanelFeatures = 16;
/// No kernel takes more vectors than this at once.
inline constexpr std::size_t kMostTileTargets = 12;

/// Whether a kernel tests values against the vectors' limits only, or the features' thresholds too.
enum class TileTest { targets, both };

static_assert(std::endian::native == std::endian::little,
              "the samples of a word are packed in the order of little-endian processors");

/// 16 features. A word holds 4 samples (int8), 2 (bf16) or 1 (f32).
struct TilePanel {
  const std::uint32_t* words = nullptr;  ///< n_words x 16 words, aligned to 64 bytes
  std::size_t n_words = 0;
  const float* scale = nullptr;           ///< of each feature
  const float* along = nullptr;           ///< component of each feature along the common direction
  const float* lane_threshold = nullptr;  ///< of each feature; needed by run_both only
  float error = 0;                        ///< largest quantisation error of the 16 features
  float length = 0;                       ///< largest length of the 16 features
  float inverse_scale = 0;                ///< a little below 1 / (largest scale of the 16 features)
  float largest_along = 0;                ///< largest |along| of the 16 features
};

/// More than the few roundings of a value and of its limit can change them, relative: what a quick
/// test leaves out is surely no hit.
inline constexpr float kTileMargin = 0x1p-20F;

/// A panel's numbers over its largest scale, for tests of sums that are not scaled yet. A sum rules
/// out a hit, whichever feature it is of, if
///   |sum| < limit * (lowest limit) - error * error_t - length * length_t - along * |along_t|
/// as |value| <= |sum| * largest scale + largest |along_k| * |along_t|.
struct PanelInSums {
  float limit;
  float error;
  float length;
  float along;

  explicit PanelInSums(const TilePanel& panel) noexcept {
    const float more = panel.inverse_scale * (1 + kTileMargin);
    limit = panel.inverse_scale * (1 - kTileMargin);
    error = more * panel.error;
    length = more * panel.length;
    along = more * panel.largest_along;
  }
};

/// A few vectors to compare them with. Their words come row by row, row r of vector t is
/// words[r * n_targets + t]. int8 kernels add an offset to the features to make them unsigned; so
/// each segment of words is preceded by a row start_t = -offset * (sum of the vector's segment)
/// that takes it out again.
///
///   value(t, k) = scale_k sum_segments (start_t + sum_g words_g(k) words_g(t)) + along_k along_t
///
///   limit(t) = level_t - error_t * panel error - length_t * panel length
///
/// and (t, k) is a hit if |value| >= limit. Where features are targets at the same time, (t, k) is
/// a lane hit if (|value| + error_t * panel error + length_t * panel length + slack_t) * unit_t is
/// at least the lane's own threshold.
struct TileTargets {
  const std::uint32_t* words = nullptr;
  float along[kMostTileTargets] = {};
  float threshold[kMostTileTargets] = {};
  float error[kMostTileTargets] = {};
  float length[kMostTileTargets] = {};
  float slack[kMostTileTargets] = {};
  float unit[kMostTileTargets] = {};
  float inverse_unit[kMostTileTargets] = {};  ///< for quick tests of lane thresholds
};

/// Values of all (target, feature) pairs, and which of them are hits.
struct TileResult {
  alignas(64) float values[kMostTileTargets * kPanelFeatures];
  std::uint32_t hits[kMostTileTargets];
  std::uint32_t lane_hits[kMostTileTargets];  ///< made by run_both only
};

/// A kernel and the precision it works in.
struct TileKernel {
  std::string name;  ///< "int8 avx2", ...
  Screen screen = Screen::f32;
  std::size_t n_targets = 1;  ///< vectors of one call
  int samples_per_word = 1;
  /// int8: the largest whole number that features have (negative ones likewise), which are stored
  /// with `offset` added, and that vectors have; 0 for floats.
  int largest_integer = 0;
  int largest_vector_integer = 0;
  int offset = 0;
  /// int8: words that are summed before the sum is widened to 32 bits; 0 if sums are that wide.
  std::size_t segment_words = 0;
  /// Compares a panel with groups of vectors one after the other. Returns the number of the first
  /// group in which a pair is a hit, with its result; n_groups if none is.
  using Run = std::size_t (*)(const TilePanel& panel, const TileTargets* groups,
                              std::size_t n_groups, TileResult& result) noexcept;
  Run run = nullptr;
  Run run_both = nullptr;  ///< lane hits count too
  /// Products of one sample per nanosecond on one core: what it takes to choose between two kernels
  /// of one instruction set. Measured on Zen 4 (bench/tile_rates.cpp), reckoned for ARM.
  double speed = 0;

  /// Segments that the words of a vector are cut into; 0 for floats, which have no offset.
  [[nodiscard]] std::size_t n_segments(std::size_t n_words) const noexcept {
    if (largest_integer == 0) return 0;
    return segment_words == 0 ? 1 : (n_words + segment_words - 1) / segment_words;
  }
};

/// The largest length of one half (bytes 0 and 1, or 2 and 3 of each word) of a segment of a vector
/// in whole numbers, where sums have 16 bits. By Cauchy and Schwarz the sum of the products of two
/// such halves is at most 181 * 181 < 2^15; it may wrap around on the way, as addition does not
/// mind.
inline constexpr double kHalfSegmentLength = 181;

/// The largest length of a whole vector in whole numbers: the sum of the products of two such is
/// below 2^31, likewise.
inline constexpr double kWholeLength = 46340;

/// Every kernel that this processor can run, fastest first within a precision.
[[nodiscard]] std::vector<TileKernel> available_tile_kernels();
/// The fastest one of a precision.
[[nodiscard]] TileKernel fastest_tile_kernel(Screen screen);

// Parts of the list, one per instruction set; empty where the processor (or compiler) lacks it.
[[nodiscard]] std::vector<TileKernel> avx512_tile_kernels();
[[nodiscard]] std::vector<TileKernel> avx2_tile_kernels();
[[nodiscard]] std::vector<TileKernel> neon_tile_kernels();
[[nodiscard]] std::vector<TileKernel> portable_tile_kernels();

}  // namespace sfg::detail
