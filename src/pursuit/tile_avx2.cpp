// Kernels for AVX2: 16 features x 4 or 6 vectors, as many as sixteen registers hold.
#include "pursuit/tile.hpp"

#if defined(__x86_64__) && defined(__GNUC__)

#include <immintrin.h>

namespace sfg::detail {

namespace {

#define SFG_AVX2 __attribute__((target("avx2,fma")))
#define SFG_AVX2_INLINE __attribute__((target("avx2,fma"), always_inline)) inline

/// Sums take two registers per vector; int8 and bf16 need four more for the features.
constexpr std::size_t kFloatTargets = 6;
constexpr std::size_t kPackedTargets = 4;

/// AVX2 multiplies unsigned by signed bytes into 16-bit sums of two, which saturate. With 6 bits
/// and sign on both sides four such products still fit: 4 * 127 * 63 < 2^15. So two steps are added
/// in 16 bits before they are widened.
constexpr int kLevels = 63;
constexpr int kOffset = 64;

SFG_AVX2_INLINE __m256i load(const std::uint32_t* words) noexcept {
  return _mm256_load_si256(reinterpret_cast<const __m256i*>(words));
}

SFG_AVX2_INLINE __m256i broadcast(std::uint32_t word) noexcept {
  return _mm256_set1_epi32(static_cast<int>(word));
}

SFG_AVX2_INLINE std::uint32_t mask(__m256 comparison) noexcept {
  return static_cast<std::uint32_t>(_mm256_movemask_ps(comparison));
}

/// Scales, adds the part along the common direction, tests against the limit.
template <std::size_t kTargets, TileTest kTest>
SFG_AVX2_INLINE bool finish(const TilePanel& panel, const TileTargets& vectors, const __m256* sums,
                            TileResult& result) noexcept {
  const __m256 sign = _mm256_set1_ps(-0.0F);
  std::uint32_t any = 0;
#pragma GCC unroll 8
  for (std::size_t t = 0; t < kTargets; ++t) {
    const float error = vectors.error[t] * panel.error + vectors.length[t] * panel.length;
    const __m256 limit = _mm256_set1_ps(vectors.level[t] - error);
    const __m256 slack = _mm256_set1_ps(error + vectors.slack[t]);
    const __m256 unit = _mm256_set1_ps(vectors.unit[t]);
    const __m256 factor = _mm256_set1_ps(vectors.along[t]);
    std::uint32_t hits = 0;
    std::uint32_t lane_hits = 0;
    for (std::size_t half = 0; half < 2; ++half) {
      const __m256 along = _mm256_mul_ps(_mm256_loadu_ps(panel.along + 8 * half), factor);
      const __m256 value =
          _mm256_fmadd_ps(sums[2 * t + half], _mm256_loadu_ps(panel.scale + 8 * half), along);
      _mm256_store_ps(result.values + t * kPanelFeatures + 8 * half, value);
      const __m256 absolute = _mm256_andnot_ps(sign, value);
      hits |= mask(_mm256_cmp_ps(absolute, limit, _CMP_GE_OQ)) << (8 * half);
      if constexpr (kTest == TileTest::both) {
        const __m256 bound = _mm256_mul_ps(_mm256_add_ps(absolute, slack), unit);
        const __m256 level = _mm256_loadu_ps(panel.lane_level + 8 * half);
        lane_hits |= mask(_mm256_cmp_ps(bound, level, _CMP_GE_OQ)) << (8 * half);
      }
    }
    result.hits[t] = hits;
    result.lane_hits[t] = lane_hits;
    any |= hits | lane_hits;
  }
  return any != 0;
}

/// One step of int8: two words of eight features times two words of a vector, four products in 16
/// bits.
SFG_AVX2_INLINE __m256i int8_step(__m256i sum, __m256i first, __m256i second, __m256i first_target,
                                  __m256i second_target, __m256i ones) noexcept {
  const __m256i products = _mm256_add_epi16(_mm256_maddubs_epi16(first, first_target),
                                            _mm256_maddubs_epi16(second, second_target));
  return _mm256_add_epi32(sum, _mm256_madd_epi16(products, ones));
}

template <TileTest kTest>
SFG_AVX2 bool run_int8(const TilePanel& panel, const TileTargets& vectors,
                       TileResult& result) noexcept {
  // Eight sums by name: GCC keeps an array of them in memory.
  __m256i low0 = _mm256_set1_epi32(vectors.start[0]);
  __m256i low1 = _mm256_set1_epi32(vectors.start[1]);
  __m256i low2 = _mm256_set1_epi32(vectors.start[2]);
  __m256i low3 = _mm256_set1_epi32(vectors.start[3]);
  __m256i high0 = low0;
  __m256i high1 = low1;
  __m256i high2 = low2;
  __m256i high3 = low3;
  const __m256i ones = _mm256_set1_epi16(1);
  const std::uint32_t* words = panel.words;
  const std::uint32_t* targets = vectors.words;
  // The store pads to an even number of words.
  const std::uint32_t* end = words + panel.n_words * kPanelFeatures;
  while (words != end) {
    const __m256i first_low = load(words);
    const __m256i first_high = load(words + 8);
    const __m256i second_low = load(words + 16);
    const __m256i second_high = load(words + 24);
    __m256i first = broadcast(targets[0]);
    __m256i second = broadcast(targets[4]);
    low0 = int8_step(low0, first_low, second_low, first, second, ones);
    high0 = int8_step(high0, first_high, second_high, first, second, ones);
    first = broadcast(targets[1]);
    second = broadcast(targets[5]);
    low1 = int8_step(low1, first_low, second_low, first, second, ones);
    high1 = int8_step(high1, first_high, second_high, first, second, ones);
    first = broadcast(targets[2]);
    second = broadcast(targets[6]);
    low2 = int8_step(low2, first_low, second_low, first, second, ones);
    high2 = int8_step(high2, first_high, second_high, first, second, ones);
    first = broadcast(targets[3]);
    second = broadcast(targets[7]);
    low3 = int8_step(low3, first_low, second_low, first, second, ones);
    high3 = int8_step(high3, first_high, second_high, first, second, ones);
    words += 2 * kPanelFeatures;
    targets += 2 * kPackedTargets;
  }
  const __m256 values[2 * kPackedTargets] = {_mm256_cvtepi32_ps(low0), _mm256_cvtepi32_ps(high0),
                                             _mm256_cvtepi32_ps(low1), _mm256_cvtepi32_ps(high1),
                                             _mm256_cvtepi32_ps(low2), _mm256_cvtepi32_ps(high2),
                                             _mm256_cvtepi32_ps(low3), _mm256_cvtepi32_ps(high3)};
  return finish<kPackedTargets, kTest>(panel, vectors, values, result);
}

template <TileTest kTest>
SFG_AVX2 bool run_bf16(const TilePanel& panel, const TileTargets& vectors,
                       TileResult& result) noexcept {
  __m256 sums[2 * kPackedTargets];
  for (__m256& sum : sums) sum = _mm256_setzero_ps();
  const __m256i upper = _mm256_set1_epi32(static_cast<int>(0xFFFF0000U));
  for (std::size_t g = 0; g < panel.n_words; ++g) {
    const std::uint32_t* words = panel.words + g * kPanelFeatures;
    const std::uint32_t* targets = vectors.words + g * kPackedTargets;
    const __m256i low = load(words);
    const __m256i high = load(words + 8);
    const __m256 low_even = _mm256_castsi256_ps(_mm256_slli_epi32(low, 16));
    const __m256 low_odd = _mm256_castsi256_ps(_mm256_and_si256(low, upper));
    const __m256 high_even = _mm256_castsi256_ps(_mm256_slli_epi32(high, 16));
    const __m256 high_odd = _mm256_castsi256_ps(_mm256_and_si256(high, upper));
#pragma GCC unroll 4
    for (std::size_t t = 0; t < kPackedTargets; ++t) {
      const std::uint32_t word = targets[t];
      const __m256 even = _mm256_castsi256_ps(broadcast(word << 16U));
      const __m256 odd = _mm256_castsi256_ps(broadcast(word & 0xFFFF0000U));
      sums[2 * t] = _mm256_fmadd_ps(low_odd, odd, _mm256_fmadd_ps(low_even, even, sums[2 * t]));
      sums[2 * t + 1] =
          _mm256_fmadd_ps(high_odd, odd, _mm256_fmadd_ps(high_even, even, sums[2 * t + 1]));
    }
  }
  return finish<kPackedTargets, kTest>(panel, vectors, sums, result);
}

template <TileTest kTest>
SFG_AVX2 bool run_f32(const TilePanel& panel, const TileTargets& vectors,
                      TileResult& result) noexcept {
  __m256 sums[2 * kFloatTargets];
  for (__m256& sum : sums) sum = _mm256_setzero_ps();
  for (std::size_t g = 0; g < panel.n_words; ++g) {
    const std::uint32_t* words = panel.words + g * kPanelFeatures;
    const std::uint32_t* targets = vectors.words + g * kFloatTargets;
    const __m256 low = _mm256_castsi256_ps(load(words));
    const __m256 high = _mm256_castsi256_ps(load(words + 8));
#pragma GCC unroll 6
    for (std::size_t t = 0; t < kFloatTargets; ++t) {
      const __m256 target = _mm256_castsi256_ps(broadcast(targets[t]));
      sums[2 * t] = _mm256_fmadd_ps(low, target, sums[2 * t]);
      sums[2 * t + 1] = _mm256_fmadd_ps(high, target, sums[2 * t + 1]);
    }
  }
  return finish<kFloatTargets, kTest>(panel, vectors, sums, result);
}

}  // namespace

std::vector<TileKernel> avx2_tile_kernels() {
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return {};
  using enum TileTest;
  return {{"int8 avx2", Screen::int8, kPackedTargets, 4, kLevels, kOffset, run_int8<targets>,
           run_int8<both>},
          {"f32 avx2", Screen::f32, kFloatTargets, 1, 0, 0, run_f32<targets>, run_f32<both>},
          {"bf16 avx2", Screen::bf16, kPackedTargets, 2, 0, 0, run_bf16<targets>, run_bf16<both>}};
}

}  // namespace sfg::detail

#else

namespace sfg::detail {

std::vector<TileKernel> avx2_tile_kernels() {
  return {};
}

}  // namespace sfg::detail

#endif
