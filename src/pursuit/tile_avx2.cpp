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
    _mm256_store_ps(limit, _mm256_sub_ps(_mm256_loadu_ps(with.level), error));
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
    return _mm256_cmp_ps(bound, _mm256_loadu_ps(panel.lane_level + 8 * half), _CMP_GE_OQ);
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

// Sums of vector t are in registers t and 6 + t, the features' words in 12 and 13.
// clang-format off
#define SFG_START(t, high)                                  \
  "vpbroadcastd 4*" #t "(%[targets]), %%ymm" #t "\n\t"      \
  "vmovdqa %%ymm" #t ", %%ymm" #high "\n\t"
#define SFG_ADD_PRODUCTS(t, high)                           \
  "vpbroadcastd 4*" #t "(%[targets]), %%ymm14\n\t"          \
  "vpmaddubsw %%ymm14, %%ymm12, %%ymm15\n\t"               \
  "vpmaddubsw %%ymm14, %%ymm13, %%ymm14\n\t"               \
  "vpaddw %%ymm15, %%ymm" #t ", %%ymm" #t "\n\t"            \
  "vpaddw %%ymm14, %%ymm" #high ", %%ymm" #high "\n\t"
#define SFG_WIDEN(t, high)                                  \
  "vpmaddwd %%ymm15, %%ymm" #t ", %%ymm" #t "\n\t"          \
  "vmovdqa %%ymm" #t ", 64*" #t "(%[sums])\n\t"            \
  "vpmaddwd %%ymm15, %%ymm" #high ", %%ymm" #high "\n\t"    \
  "vmovdqa %%ymm" #high ", 32+64*" #t "(%[sums])\n\t"
#define SFG_EVERY_VECTOR(step) \
  step(0, 6) step(1, 7) step(2, 8) step(3, 9) step(4, 10) step(5, 11)

/// One segment, of at least one word: sums of 16 bits, two for each feature, in the end added up to
/// 32 bits. In assembler, as it takes all sixteen registers: GCC 12 moves sums to memory and back
/// in every round of the loop, or does not, depending on what follows.
SFG_AVX2_INLINE void sum_segment(const std::uint32_t* words, std::size_t n_words,
                                 const std::uint32_t* targets, __m256i* sums) noexcept {
  asm volatile(
      SFG_EVERY_VECTOR(SFG_START)
      ".p2align 5\n"
      "2:\n\t"
      "vmovdqa (%[words]), %%ymm12\n\t"
      "vmovdqa 32(%[words]), %%ymm13\n\t"
      "add $4*6, %[targets]\n\t"
      "add $64, %[words]\n\t"
      SFG_EVERY_VECTOR(SFG_ADD_PRODUCTS)
      "dec %[n_words]\n\t"
      "jnz 2b\n\t"
      "vpcmpeqw %%ymm15, %%ymm15, %%ymm15\n\t"
      "vpsrlw $15, %%ymm15, %%ymm15\n\t"  // ones
      SFG_EVERY_VECTOR(SFG_WIDEN)
      : [words] "+r"(words), [targets] "+r"(targets), [n_words] "+r"(n_words)
      : [sums] "r"(sums)
      : "memory", "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8",
        "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");
}
// clang-format on
#undef SFG_START
#undef SFG_ADD_PRODUCTS
#undef SFG_WIDEN
#undef SFG_EVERY_VECTOR

SFG_AVX2_INLINE void sum_int8(const TilePanel& panel, const TileTargets& vectors,
                              __m256i* sums) noexcept {
  sum_segment(panel.words, std::min(panel.n_words, kSegmentWords), vectors.words, sums);
  for (std::size_t done = kSegmentWords; done < panel.n_words; done += kSegmentWords) {
    __m256i more[2 * kTargets];
    const std::uint32_t* targets = vectors.words + (done + done / kSegmentWords) * kTargets;
    sum_segment(panel.words + done * kPanelFeatures, std::min(panel.n_words - done, kSegmentWords),
                targets, more);
    for (std::size_t k = 0; k < 2 * kTargets; ++k) sums[k] = _mm256_add_epi32(sums[k], more[k]);
  }
}

/// Eight numbers that are read one by one: in memory, where a broadcast is a load, rather than in a
/// register that GCC would take apart.
SFG_AVX2_INLINE void store_in_memory(__m256i numbers, std::uint32_t (&to)[8]) noexcept {
  _mm256_store_si256(reinterpret_cast<__m256i*>(to), numbers);
  asm volatile("" : "+m"(to));
}

/// For each vector the largest |sum| that surely is no hit, whichever feature it is of:
///   |value| <= |sum| * largest scale + largest |along_k| * |along_t| < limit
SFG_AVX2_INLINE __m256i sums_below(const TilePanel& panel, const TileTargets& vectors) noexcept {
  const __m256 limit = _mm256_sub_ps(_mm256_loadu_ps(vectors.level), errors(panel, vectors));
  const __m256 along =
      _mm256_mul_ps(absolute(_mm256_loadu_ps(vectors.along)), _mm256_set1_ps(panel.largest_along));
  const __m256 room = _mm256_sub_ps(_mm256_mul_ps(limit, _mm256_set1_ps(1 - kTileMargin)),
                                    _mm256_mul_ps(along, _mm256_set1_ps(1 + kTileMargin)));
  const __m256 least = _mm256_mul_ps(room, _mm256_set1_ps(panel.inverse_scale));
  // No sum is as large as 2^30, and a limit below zero lets every sum pass: what lies outside would
  // not fit into a whole number.
  const __m256 within =
      _mm256_max_ps(_mm256_min_ps(least, _mm256_set1_ps(0x1p30F)), _mm256_setzero_ps());
  const __m256i whole = _mm256_cvttps_epi32(within);
  return _mm256_sub_epi32(whole, _mm256_set1_epi32(1));
}

/// Whether any sum may be a hit: the common case, that none is, is found without scaling them.
SFG_AVX2_INLINE bool any_above(const __m256i* sums, const std::uint32_t* below) noexcept {
  __m256i found = _mm256_setzero_si256();
#pragma GCC unroll 6
  for (std::size_t t = 0; t < kTargets; ++t) {
    const __m256i largest =
        _mm256_max_epi32(_mm256_abs_epi32(sums[2 * t]), _mm256_abs_epi32(sums[2 * t + 1]));
    found = _mm256_or_si256(found, _mm256_cmpgt_epi32(largest, broadcast(below[t])));
  }
  return _mm256_testz_si256(found, found) == 0;
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
  for (std::size_t group = 0; group < n_groups; ++group) {
    const TileTargets& vectors = groups[group];
    alignas(32) std::uint32_t below[8];
    if constexpr (kTest == TileTest::targets) store_in_memory(sums_below(panel, vectors), below);
    __m256i whole[2 * kTargets];
    sum_int8(panel, vectors, whole);
    if (kTest == TileTest::targets && !any_above(whole, below)) continue;
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
  return {{"int8 avx2", Screen::int8, kTargets, 4, kLevels, kVectorLevels, kOffset, kSegmentWords,
           run_int8<targets>, run_int8<both>},
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
