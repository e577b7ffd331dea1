// Kernels for AVX2: 16 features x 4 or 6 vectors, as many as sixteen registers hold.
#include "pursuit/engines/stream/tile.hpp"

#if defined(__x86_64__) && defined(__GNUC__)

#include <immintrin.h>

#include "pursuit/engines/stream/sum_avx2.hpp"

namespace sfg::detail {

namespace {

#define SFG_AVX2 __attribute__((target("avx2,fma")))
#define SFG_AVX2_INLINE __attribute__((target("avx2,fma"), always_inline)) inline

/// Sums take two registers per vector, the features two more.
constexpr std::size_t kTargets = 6;
/// bfloat16 needs the features twice, as even and odd samples.
constexpr std::size_t kPairTargets = 4;

/// AVX2 multiplies unsigned by signed bytes into 16-bit sums of two, which saturate: these ranges
/// keep them below, 2 * (63 + 64) * 127 < 2^15. Sums of 16 bits are then enough for a segment, see
/// kHalfSegmentLength: one multiplication and one addition for 32 products.
constexpr int kLargest = 63;
constexpr int kLargestInVector = 127;
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

SFG_AVX2_INLINE __m256 absolute(__m256 values) noexcept {
  return _mm256_andnot_ps(_mm256_set1_ps(-0.0F), values);
}

/// The most that the values of a panel may be off, for eight vectors at once.
SFG_AVX2_INLINE __m256 errors(const TilePanel& panel, const TileTargets& vectors) noexcept {
  return _mm256_add_ps(
      _mm256_mul_ps(_mm256_loadu_ps(vectors.error), _mm256_set1_ps(panel.error)),
      _mm256_mul_ps(_mm256_loadu_ps(vectors.length), _mm256_set1_ps(panel.length)));
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
    const __m256 error = errors(of, with);
    _mm256_store_ps(limit, _mm256_sub_ps(_mm256_loadu_ps(with.threshold), error));
    _mm256_store_ps(slack, _mm256_add_ps(error, _mm256_loadu_ps(with.slack)));
  }

  /// Scales and adds the part along the common direction.
  [[nodiscard]] SFG_AVX2_INLINE __m256 value(std::size_t t, std::size_t half) const noexcept {
    const __m256 along = _mm256_mul_ps(_mm256_loadu_ps(panel.along + 8 * half),
                                       _mm256_broadcast_ss(vectors.along + t));
    return _mm256_fmadd_ps(sums[2 * t + half], _mm256_loadu_ps(panel.scale + 8 * half), along);
  }
  [[nodiscard]] SFG_AVX2_INLINE __m256 hit(std::size_t t, __m256 size) const noexcept {
    return _mm256_cmp_ps(size, _mm256_broadcast_ss(limit + t), _CMP_GE_OQ);
  }
  [[nodiscard]] SFG_AVX2_INLINE __m256 lane_hit(std::size_t t, std::size_t half,
                                                __m256 size) const noexcept {
    const __m256 bound = _mm256_mul_ps(_mm256_add_ps(size, _mm256_broadcast_ss(slack + t)),
                                       _mm256_broadcast_ss(vectors.unit + t));
    return _mm256_cmp_ps(bound, _mm256_loadu_ps(panel.lane_threshold + 8 * half), _CMP_GE_OQ);
  }

  /// Whether there is any hit; the common case is that there is none.
  template <TileTest kTest>
  [[nodiscard]] SFG_AVX2_INLINE bool any() const noexcept {
    __m256 found = _mm256_setzero_ps();
#pragma GCC unroll 6
    for (std::size_t t = 0; t < kGroup; ++t) {
#pragma GCC unroll 2
      for (std::size_t half = 0; half < 2; ++half) {
        const __m256 size = absolute(value(t, half));
        found = _mm256_or_ps(found, hit(t, size));
        if constexpr (kTest == TileTest::both) {
          found = _mm256_or_ps(found, lane_hit(t, half, size));
        }
      }
    }
    return _mm256_movemask_ps(found) != 0;
  }

  /// All values and hits; whether there is any hit.
  template <TileTest kTest>
  SFG_AVX2_INLINE bool report(TileResult& result) const noexcept {
    std::uint32_t any = 0;
    for (std::size_t t = 0; t < kGroup; ++t) {
      std::uint32_t hits = 0;
      std::uint32_t lane_hits = 0;
      for (std::size_t half = 0; half < 2; ++half) {
        const __m256 one = value(t, half);
        _mm256_store_ps(result.values + t * kPanelFeatures + 8 * half, one);
        const __m256 size = absolute(one);
        hits |= mask(hit(t, size)) << (8 * half);
        if constexpr (kTest == TileTest::both) {
          lane_hits |= mask(lane_hit(t, half, size)) << (8 * half);
        }
      }
      result.hits[t] = hits;
      result.lane_hits[t] = lane_hits;
      any |= hits | lane_hits;
    }
    return any != 0;
  }
};

/// With limits in `below`: whether any |sum| is above its vector's one.
SFG_AVX2_INLINE bool sum_int8(const TilePanel& panel, const TileTargets& vectors,
                              const std::uint32_t* below, __m256i* sums) noexcept {
  const std::uint32_t* targets = vectors.words;
  std::size_t done = 0;
  for (; done + kSegmentWords < panel.n_words; done += kSegmentWords) {
    sum_segment(panel.words + done * kPanelFeatures, kSegmentWords, targets, done, sums, nullptr);
    targets += (kSegmentWords + 1) * kTargets;
  }
  return sum_segment(panel.words + done * kPanelFeatures, panel.n_words - done, targets, done, sums,
                     below);
}

/// Eight numbers that are read one by one: in memory, where a broadcast is a load, rather than in a
/// register that GCC would take apart.
SFG_AVX2_INLINE void store_in_memory(__m256i numbers, std::uint32_t (&to)[8]) noexcept {
  _mm256_store_si256(reinterpret_cast<__m256i*>(to), numbers);
  asm volatile("" : "+m"(to));
}

/// Finds for each vector the largest |sum| that surely is no hit, see PanelInSums.
template <TileTest kTest>
struct QuickTest {
  __m256 limit;
  __m256 error;
  __m256 length;
  __m256 along;
  __m256 lane_threshold;  ///< the lowest one

  SFG_AVX2_INLINE explicit QuickTest(const TilePanel& panel) noexcept {
    const PanelInSums numbers(panel);
    limit = _mm256_set1_ps(numbers.limit);
    error = _mm256_set1_ps(numbers.error);
    length = _mm256_set1_ps(numbers.length);
    along = _mm256_set1_ps(numbers.along);
    if constexpr (kTest == TileTest::both) {
      const __m256 eight = _mm256_min_ps(_mm256_loadu_ps(panel.lane_threshold),
                                         _mm256_loadu_ps(panel.lane_threshold + 8));
      const __m128 four =
          _mm_min_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
      const __m128 two = _mm_min_ps(four, _mm_movehl_ps(four, four));
      lane_threshold = _mm256_broadcastss_ps(_mm_min_ss(two, _mm_movehdup_ps(two)));
    }
  }

  [[nodiscard]] SFG_AVX2_INLINE __m256i sums_below(const TileTargets& vectors) const noexcept {
    __m256 lowest = _mm256_loadu_ps(vectors.threshold);
    if constexpr (kTest == TileTest::both) {
      const __m256 margin = _mm256_set1_ps(1 - kTileMargin);
      const __m256 of_lanes = _mm256_sub_ps(_mm256_mul_ps(_mm256_mul_ps(lane_threshold, margin),
                                                          _mm256_loadu_ps(vectors.inverse_unit)),
                                            _mm256_loadu_ps(vectors.slack));
      lowest = _mm256_min_ps(lowest, of_lanes);
    }
    const __m256 one = _mm256_set1_ps(1);
    __m256 below = _mm256_fmsub_ps(lowest, limit, one);
    below = _mm256_fnmadd_ps(_mm256_loadu_ps(vectors.error), error, below);
    below = _mm256_fnmadd_ps(_mm256_loadu_ps(vectors.length), length, below);
    below = _mm256_fnmadd_ps(absolute(_mm256_loadu_ps(vectors.along)), along, below);
    // Whatever the limit, sums above 2^30 get the exact test; one below zero lets every sum pass:
    // what lies outside would not fit into a whole number.
    below = _mm256_max_ps(_mm256_min_ps(below, _mm256_set1_ps(0x1p30F)),
                          _mm256_sub_ps(_mm256_setzero_ps(), one));
    return _mm256_cvttps_epi32(below);
  }
};

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

/// Whether a group has a hit; if so, its result.
template <std::size_t kGroup, TileTest kTest>
SFG_AVX2_INLINE bool finish(const TilePanel& panel, const TileTargets& vectors, const __m256* sums,
                            TileResult& result) noexcept {
  const Finish<kGroup> last(panel, vectors, sums);
  return last.template any<kTest>() && last.template report<kTest>(result);
}

template <std::size_t kGroup, TileTest kTest,
          void (*sum)(const TilePanel&, const TileTargets&, __m256*) noexcept>
SFG_AVX2 std::size_t run(const TilePanel& panel, const TileTargets* groups, std::size_t n_groups,
                         TileResult& result) noexcept {
  __m256 sums[2 * kGroup];
  for (std::size_t group = 0; group < n_groups; ++group) {
    sum(panel, groups[group], sums);
    if (finish<kGroup, kTest>(panel, groups[group], sums, result)) return group;
  }
  return n_groups;
}

template <TileTest kTest>
SFG_AVX2 std::size_t run_int8(const TilePanel& panel, const TileTargets* groups,
                              std::size_t n_groups, TileResult& result) noexcept {
  const QuickTest<kTest> quick(panel);
  for (std::size_t group = 0; group < n_groups; ++group) {
    const TileTargets& vectors = groups[group];
    alignas(32) std::uint32_t below[8];
    store_in_memory(quick.sums_below(vectors), below);
    __m256i whole[2 * kTargets];
    // The common case, that there is no hit, is found without scaling the sums.
    if (!sum_int8(panel, vectors, below, whole)) continue;
    __m256 sums[2 * kTargets];
    for (std::size_t k = 0; k < 2 * kTargets; ++k) sums[k] = _mm256_cvtepi32_ps(whole[k]);
    const Finish<kTargets> last(panel, vectors, sums);
    if (kTest == TileTest::both && !last.template any<kTest>()) continue;
    if (last.template report<kTest>(result)) return group;
  }
  return n_groups;
}

}  // namespace

std::vector<TileKernel> avx2_tile_kernels() {
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return {};
  using enum TileTest;
  return {{"int8 avx2", Screen::int8, kTargets, 4, kLargest, kLargestInVector, kOffset,
           kSegmentWords, run_int8<targets>, run_int8<both>, 170},
          {"f32 avx2", Screen::f32, kTargets, 1, 0, 0, 0, 0, run<kTargets, targets, sum_f32>,
           run<kTargets, both, sum_f32>, 55},
          {"bf16 avx2", Screen::bf16, kPairTargets, 2, 0, 0, 0, 0,
           run<kPairTargets, targets, sum_bf16>, run<kPairTargets, both, sum_bf16>, 33}};
}

}  // namespace sfg::detail

#else

namespace sfg::detail {

std::vector<TileKernel> avx2_tile_kernels() {
  return {};
}

}  // namespace sfg::detail

#endif
