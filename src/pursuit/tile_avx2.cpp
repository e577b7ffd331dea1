// Kernels for AVX2: 16 features x 4 or 6 vectors, as many as sixteen registers hold.
#include "pursuit/tile.hpp"

#if defined(__x86_64__) && defined(__GNUC__)

#include <immintrin.h>

#include <algorithm>

namespace sfg::detail {

namespace {

#define SFG_AVX2 __attribute__((target("avx2,fma")))
#define SFG_AVX2_INLINE __attribute__((target("avx2,fma"), always_inline)) inline

/// Sums take two registers per vector, the features two more.
constexpr std::size_t kTargets = 6;
/// bfloat16 needs the features twice, as even and odd samples.
constexpr std::size_t kPairTargets = 4;

/// AVX2 multiplies unsigned by signed bytes into 16-bit sums of two, which saturate: these levels
/// keep them below, 2 * (63 + 64) * 127 < 2^15. Sums of 16 bits are then enough for a segment, see
/// kHalfSegmentLength: one multiplication and one addition for 32 products.
constexpr int kLevels = 63;
constexpr int kVectorLevels = 127;
constexpr int kOffset = 64;
constexpr std::size_t kSegmentWords = 32;

SFG_AVX2_INLINE __m256i load(const std::uint32_t* words) noexcept {
  return _mm256_load_si256(reinterpret_cast<const __m256i*>(words));
}

SFG_AVX2_INLINE __m256i broadcast(std::uint32_t word) noexcept {
  return _mm256_set1_epi32(static_cast<int>(word));
}

SFG_AVX2_INLINE std::uint32_t mask(__m256 comparison) noexcept {
  return static_cast<std::uint32_t>(_mm256_movemask_ps(comparison));
}

/// The values of one group, and what it takes to test them: limits of eight vectors at once.
template <std::size_t kGroup>
struct Finish {
  const TilePanel& panel;
  const TileTargets& vectors;
  const __m256* sums;  ///< two halves of eight features for each vector
  alignas(32) float limit[8];
  alignas(32) float slack[8];

  SFG_AVX2_INLINE Finish(const TilePanel& of, const TileTargets& with, const __m256* sum) noexcept
      : panel(of), vectors(with), sums(sum) {
    const __m256 error =
        _mm256_add_ps(_mm256_mul_ps(_mm256_loadu_ps(with.error), _mm256_set1_ps(of.error)),
                      _mm256_mul_ps(_mm256_loadu_ps(with.length), _mm256_set1_ps(of.length)));
    _mm256_store_ps(limit, _mm256_sub_ps(_mm256_loadu_ps(with.level), error));
    _mm256_store_ps(slack, _mm256_add_ps(error, _mm256_loadu_ps(with.slack)));
  }

  /// Scales and adds the part along the common direction.
  [[nodiscard]] SFG_AVX2_INLINE __m256 value(std::size_t t, std::size_t half) const noexcept {
    const __m256 along = _mm256_mul_ps(_mm256_loadu_ps(panel.along + 8 * half),
                                       _mm256_broadcast_ss(vectors.along + t));
    return _mm256_fmadd_ps(sums[2 * t + half], _mm256_loadu_ps(panel.scale + 8 * half), along);
  }
  [[nodiscard]] SFG_AVX2_INLINE __m256 hit(std::size_t t, __m256 absolute) const noexcept {
    return _mm256_cmp_ps(absolute, _mm256_broadcast_ss(limit + t), _CMP_GE_OQ);
  }
  [[nodiscard]] SFG_AVX2_INLINE __m256 lane_hit(std::size_t t, std::size_t half,
                                                __m256 absolute) const noexcept {
    const __m256 bound = _mm256_mul_ps(_mm256_add_ps(absolute, _mm256_broadcast_ss(slack + t)),
                                       _mm256_broadcast_ss(vectors.unit + t));
    return _mm256_cmp_ps(bound, _mm256_loadu_ps(panel.lane_level + 8 * half), _CMP_GE_OQ);
  }

  /// Whether there is any hit; the common case is that there is none.
  template <TileTest kTest>
  [[nodiscard]] SFG_AVX2_INLINE bool any() const noexcept {
    const __m256 sign = _mm256_set1_ps(-0.0F);
    __m256 found = _mm256_setzero_ps();
#pragma GCC unroll 6
    for (std::size_t t = 0; t < kGroup; ++t) {
#pragma GCC unroll 2
      for (std::size_t half = 0; half < 2; ++half) {
        const __m256 absolute = _mm256_andnot_ps(sign, value(t, half));
        found = _mm256_or_ps(found, hit(t, absolute));
        if constexpr (kTest == TileTest::both) {
          found = _mm256_or_ps(found, lane_hit(t, half, absolute));
        }
      }
    }
    return _mm256_movemask_ps(found) != 0;
  }

  template <TileTest kTest>
  SFG_AVX2_INLINE void report(TileResult& result) const noexcept {
    const __m256 sign = _mm256_set1_ps(-0.0F);
    for (std::size_t t = 0; t < kGroup; ++t) {
      std::uint32_t hits = 0;
      std::uint32_t lane_hits = 0;
      for (std::size_t half = 0; half < 2; ++half) {
        const __m256 one = value(t, half);
        _mm256_store_ps(result.values + t * kPanelFeatures + 8 * half, one);
        const __m256 absolute = _mm256_andnot_ps(sign, one);
        hits |= mask(hit(t, absolute)) << (8 * half);
        if constexpr (kTest == TileTest::both) {
          lane_hits |= mask(lane_hit(t, half, absolute)) << (8 * half);
        }
      }
      result.hits[t] = hits;
      result.lane_hits[t] = lane_hits;
    }
  }
};

/// Twelve sums by name: GCC keeps an array of them in memory.
struct ByteSums {
  __m256i low0, low1, low2, low3, low4, low5;
  __m256i high0, high1, high2, high3, high4, high5;
};

SFG_AVX2_INLINE void byte_step(__m256i& low, __m256i& high, __m256i features_low,
                               __m256i features_high, const std::uint32_t* target) noexcept {
  const __m256i word = broadcast(*target);
  low = _mm256_add_epi16(low, _mm256_maddubs_epi16(features_low, word));
  high = _mm256_add_epi16(high, _mm256_maddubs_epi16(features_high, word));
}

/// One segment: sums of 16 bits, two for each feature.
SFG_AVX2_INLINE ByteSums sum_segment(const std::uint32_t* words, std::size_t n_words,
                                     const std::uint32_t* targets) noexcept {
  ByteSums sums;
  sums.low0 = sums.high0 = broadcast(targets[0]);
  sums.low1 = sums.high1 = broadcast(targets[1]);
  sums.low2 = sums.high2 = broadcast(targets[2]);
  sums.low3 = sums.high3 = broadcast(targets[3]);
  sums.low4 = sums.high4 = broadcast(targets[4]);
  sums.low5 = sums.high5 = broadcast(targets[5]);
#pragma GCC unroll 2
  for (std::size_t g = 0; g < n_words; ++g) {
    targets += kTargets;
    const __m256i low = load(words);
    const __m256i high = load(words + 8);
    byte_step(sums.low0, sums.high0, low, high, targets);
    byte_step(sums.low1, sums.high1, low, high, targets + 1);
    byte_step(sums.low2, sums.high2, low, high, targets + 2);
    byte_step(sums.low3, sums.high3, low, high, targets + 3);
    byte_step(sums.low4, sums.high4, low, high, targets + 4);
    byte_step(sums.low5, sums.high5, low, high, targets + 5);
    words += kPanelFeatures;
  }
  return sums;
}

/// Adds both halves of each feature's sum, as 32 bits.
SFG_AVX2_INLINE void widen(const ByteSums& sums, __m256i* wide) noexcept {
  const __m256i ones = _mm256_set1_epi16(1);
  wide[0] = _mm256_madd_epi16(sums.low0, ones);
  wide[1] = _mm256_madd_epi16(sums.high0, ones);
  wide[2] = _mm256_madd_epi16(sums.low1, ones);
  wide[3] = _mm256_madd_epi16(sums.high1, ones);
  wide[4] = _mm256_madd_epi16(sums.low2, ones);
  wide[5] = _mm256_madd_epi16(sums.high2, ones);
  wide[6] = _mm256_madd_epi16(sums.low3, ones);
  wide[7] = _mm256_madd_epi16(sums.high3, ones);
  wide[8] = _mm256_madd_epi16(sums.low4, ones);
  wide[9] = _mm256_madd_epi16(sums.high4, ones);
  wide[10] = _mm256_madd_epi16(sums.low5, ones);
  wide[11] = _mm256_madd_epi16(sums.high5, ones);
}

SFG_AVX2_INLINE void sum_int8(const TilePanel& panel, const TileTargets& vectors,
                              __m256* values) noexcept {
  const std::size_t first = std::min(panel.n_words, kSegmentWords);
  __m256i wide[2 * kTargets];
  widen(sum_segment(panel.words, first, vectors.words), wide);
  for (std::size_t done = first; done < panel.n_words; done += kSegmentWords) {
    __m256i more[2 * kTargets];
    const std::uint32_t* targets = vectors.words + (done + done / kSegmentWords) * kTargets;
    widen(sum_segment(panel.words + done * kPanelFeatures,
                      std::min(panel.n_words - done, kSegmentWords), targets),
          more);
    for (std::size_t k = 0; k < 2 * kTargets; ++k) wide[k] = _mm256_add_epi32(wide[k], more[k]);
  }
  for (std::size_t k = 0; k < 2 * kTargets; ++k) values[k] = _mm256_cvtepi32_ps(wide[k]);
}

SFG_AVX2_INLINE void sum_bf16(const TilePanel& panel, const TileTargets& vectors,
                              __m256* sums) noexcept {
  for (std::size_t k = 0; k < 2 * kPairTargets; ++k) sums[k] = _mm256_setzero_ps();
  const __m256i upper = _mm256_set1_epi32(static_cast<int>(0xFFFF0000U));
  for (std::size_t g = 0; g < panel.n_words; ++g) {
    const std::uint32_t* words = panel.words + g * kPanelFeatures;
    const std::uint32_t* targets = vectors.words + g * kPairTargets;
    const __m256i low = load(words);
    const __m256i high = load(words + 8);
    const __m256 low_even = _mm256_castsi256_ps(_mm256_slli_epi32(low, 16));
    const __m256 low_odd = _mm256_castsi256_ps(_mm256_and_si256(low, upper));
    const __m256 high_even = _mm256_castsi256_ps(_mm256_slli_epi32(high, 16));
    const __m256 high_odd = _mm256_castsi256_ps(_mm256_and_si256(high, upper));
#pragma GCC unroll 4
    for (std::size_t t = 0; t < kPairTargets; ++t) {
      const std::uint32_t word = targets[t];
      const __m256 even = _mm256_castsi256_ps(broadcast(word << 16U));
      const __m256 odd = _mm256_castsi256_ps(broadcast(word & 0xFFFF0000U));
      sums[2 * t] = _mm256_fmadd_ps(low_odd, odd, _mm256_fmadd_ps(low_even, even, sums[2 * t]));
      sums[2 * t + 1] =
          _mm256_fmadd_ps(high_odd, odd, _mm256_fmadd_ps(high_even, even, sums[2 * t + 1]));
    }
  }
}

SFG_AVX2_INLINE void float_step(__m256& low, __m256& high, __m256 features_low,
                                __m256 features_high, const std::uint32_t* target) noexcept {
  const __m256 word = _mm256_castsi256_ps(broadcast(*target));
  low = _mm256_fmadd_ps(features_low, word, low);
  high = _mm256_fmadd_ps(features_high, word, high);
}

SFG_AVX2_INLINE void sum_f32(const TilePanel& panel, const TileTargets& vectors,
                             __m256* sums) noexcept {
  __m256 low0 = _mm256_setzero_ps();
  __m256 low1 = low0, low2 = low0, low3 = low0, low4 = low0, low5 = low0;
  __m256 high0 = low0, high1 = low0, high2 = low0, high3 = low0, high4 = low0, high5 = low0;
  const std::uint32_t* words = panel.words;
  const std::uint32_t* targets = vectors.words;
  for (std::size_t g = 0; g < panel.n_words; ++g) {
    const __m256 low = _mm256_castsi256_ps(load(words));
    const __m256 high = _mm256_castsi256_ps(load(words + 8));
    float_step(low0, high0, low, high, targets);
    float_step(low1, high1, low, high, targets + 1);
    float_step(low2, high2, low, high, targets + 2);
    float_step(low3, high3, low, high, targets + 3);
    float_step(low4, high4, low, high, targets + 4);
    float_step(low5, high5, low, high, targets + 5);
    words += kPanelFeatures;
    targets += kTargets;
  }
  const __m256 all[2 * kTargets] = {low0, high0, low1, high1, low2, high2,
                                    low3, high3, low4, high4, low5, high5};
  for (std::size_t k = 0; k < 2 * kTargets; ++k) sums[k] = all[k];
}

template <std::size_t kGroup, TileTest kTest,
          void (*sum)(const TilePanel&, const TileTargets&, __m256*) noexcept>
SFG_AVX2 std::size_t run(const TilePanel& panel, const TileTargets* groups, std::size_t n_groups,
                         TileResult& result) noexcept {
  __m256 sums[2 * kGroup];
  for (std::size_t group = 0; group < n_groups; ++group) {
    sum(panel, groups[group], sums);
    const Finish<kGroup> finish(panel, groups[group], sums);
    if (!finish.template any<kTest>()) continue;
    finish.template report<kTest>(result);
    return group;
  }
  return n_groups;
}

}  // namespace

std::vector<TileKernel> avx2_tile_kernels() {
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return {};
  using enum TileTest;
  return {{"int8 avx2", Screen::int8, kTargets, 4, kLevels, kVectorLevels, kOffset, kSegmentWords,
           run<kTargets, targets, sum_int8>, run<kTargets, both, sum_int8>},
          {"f32 avx2", Screen::f32, kTargets, 1, 0, 0, 0, 0, run<kTargets, targets, sum_f32>,
           run<kTargets, both, sum_f32>},
          {"bf16 avx2", Screen::bf16, kPairTargets, 2, 0, 0, 0, 0,
           run<kPairTargets, targets, sum_bf16>, run<kPairTargets, both, sum_bf16>}};
}

}  // namespace sfg::detail

#else

namespace sfg::detail {

std::vector<TileKernel> avx2_tile_kernels() {
  return {};
}

}  // namespace sfg::detail

#endif
