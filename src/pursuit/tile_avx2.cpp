// Kernels for AVX2: 16 features x 6 vectors in twelve registers.
#include "pursuit/tile.hpp"

#if defined(__x86_64__) && defined(__GNUC__)

#include <immintrin.h>

namespace sfg::detail {

namespace {

#define SFG_AVX2 __attribute__((target("avx2,fma")))
#define SFG_AVX2_INLINE __attribute__((target("avx2,fma"), always_inline)) inline

constexpr std::size_t kTargets = 6;
constexpr std::size_t kRegisters = 2 * kTargets;

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

/// Scales, adds the part along the common direction, tests against the limit.
SFG_AVX2_INLINE bool finish(const TileArguments& arguments, const __m256* sums,
                            TileResult& result) noexcept {
  const __m256 sign = _mm256_set1_ps(-0.0F);
  std::uint32_t any = 0;
  for (std::size_t t = 0; t < kTargets; ++t) {
    const float limit = arguments.level[t] - arguments.error[t] * arguments.panel_error -
                        arguments.length[t] * arguments.panel_length;
    const __m256 factor = _mm256_set1_ps(arguments.along_factor[t]);
    std::uint32_t hits = 0;
    for (std::size_t half = 0; half < 2; ++half) {
      const __m256 along = _mm256_mul_ps(_mm256_loadu_ps(arguments.along + 8 * half), factor);
      const __m256 value =
          _mm256_fmadd_ps(sums[2 * t + half], _mm256_loadu_ps(arguments.scale + 8 * half), along);
      _mm256_store_ps(result.values + t * kPanelFeatures + 8 * half, value);
      const __m256 hit =
          _mm256_cmp_ps(_mm256_andnot_ps(sign, value), _mm256_set1_ps(limit), _CMP_GE_OQ);
      hits |= static_cast<std::uint32_t>(_mm256_movemask_ps(hit)) << (8 * half);
    }
    result.hits[t] = hits;
    any |= hits;
  }
  return any != 0;
}

SFG_AVX2 bool run_int8(const TileArguments& arguments, TileResult& result) noexcept {
  __m256i sums[kRegisters];
  for (std::size_t t = 0; t < kTargets; ++t) {
    sums[2 * t] = sums[2 * t + 1] = _mm256_set1_epi32(arguments.start[t]);
  }
  const __m256i ones = _mm256_set1_epi16(1);
  // The store pads to an even number of words.
  for (std::size_t g = 0; g < arguments.n_words; g += 2) {
    const std::uint32_t* words = arguments.panel + g * kPanelFeatures;
    const __m256i first_low = load(words);
    const __m256i first_high = load(words + 8);
    const __m256i second_low = load(words + 16);
    const __m256i second_high = load(words + 24);
#pragma GCC unroll 6
    for (std::size_t t = 0; t < kTargets; ++t) {
      const __m256i first = broadcast(arguments.targets[t][g]);
      const __m256i second = broadcast(arguments.targets[t][g + 1]);
      const __m256i low = _mm256_add_epi16(_mm256_maddubs_epi16(first_low, first),
                                           _mm256_maddubs_epi16(second_low, second));
      const __m256i high = _mm256_add_epi16(_mm256_maddubs_epi16(first_high, first),
                                            _mm256_maddubs_epi16(second_high, second));
      sums[2 * t] = _mm256_add_epi32(sums[2 * t], _mm256_madd_epi16(low, ones));
      sums[2 * t + 1] = _mm256_add_epi32(sums[2 * t + 1], _mm256_madd_epi16(high, ones));
    }
  }
  __m256 values[kRegisters];
  for (std::size_t r = 0; r < kRegisters; ++r) values[r] = _mm256_cvtepi32_ps(sums[r]);
  return finish(arguments, values, result);
}

SFG_AVX2 bool run_bf16(const TileArguments& arguments, TileResult& result) noexcept {
  __m256 sums[kRegisters];
  for (__m256& sum : sums) sum = _mm256_setzero_ps();
  const __m256i upper = _mm256_set1_epi32(static_cast<int>(0xFFFF0000U));
  for (std::size_t g = 0; g < arguments.n_words; ++g) {
    const std::uint32_t* words = arguments.panel + g * kPanelFeatures;
    const __m256i low = load(words);
    const __m256i high = load(words + 8);
    const __m256 low_even = _mm256_castsi256_ps(_mm256_slli_epi32(low, 16));
    const __m256 low_odd = _mm256_castsi256_ps(_mm256_and_si256(low, upper));
    const __m256 high_even = _mm256_castsi256_ps(_mm256_slli_epi32(high, 16));
    const __m256 high_odd = _mm256_castsi256_ps(_mm256_and_si256(high, upper));
#pragma GCC unroll 6
    for (std::size_t t = 0; t < kTargets; ++t) {
      const std::uint32_t word = arguments.targets[t][g];
      const __m256 even = _mm256_castsi256_ps(broadcast(word << 16U));
      const __m256 odd = _mm256_castsi256_ps(broadcast(word & 0xFFFF0000U));
      sums[2 * t] = _mm256_fmadd_ps(low_odd, odd, _mm256_fmadd_ps(low_even, even, sums[2 * t]));
      sums[2 * t + 1] =
          _mm256_fmadd_ps(high_odd, odd, _mm256_fmadd_ps(high_even, even, sums[2 * t + 1]));
    }
  }
  return finish(arguments, sums, result);
}

SFG_AVX2 bool run_f32(const TileArguments& arguments, TileResult& result) noexcept {
  __m256 sums[kRegisters];
  for (__m256& sum : sums) sum = _mm256_setzero_ps();
  for (std::size_t g = 0; g < arguments.n_words; ++g) {
    const std::uint32_t* words = arguments.panel + g * kPanelFeatures;
    const __m256 low = _mm256_castsi256_ps(load(words));
    const __m256 high = _mm256_castsi256_ps(load(words + 8));
#pragma GCC unroll 6
    for (std::size_t t = 0; t < kTargets; ++t) {
      const __m256 target = _mm256_castsi256_ps(broadcast(arguments.targets[t][g]));
      sums[2 * t] = _mm256_fmadd_ps(low, target, sums[2 * t]);
      sums[2 * t + 1] = _mm256_fmadd_ps(high, target, sums[2 * t + 1]);
    }
  }
  return finish(arguments, sums, result);
}

}  // namespace

std::vector<TileKernel> avx2_tile_kernels() {
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return {};
  return {{"int8 avx2", Screen::int8, kTargets, 4, kLevels, kOffset, run_int8},
          {"f32 avx2", Screen::f32, kTargets, 1, 0, 0, run_f32},
          {"bf16 avx2", Screen::bf16, kTargets, 2, 0, 0, run_bf16}};
}

}  // namespace sfg::detail

#else

namespace sfg::detail {

std::vector<TileKernel> avx2_tile_kernels() {
  return {};
}

}  // namespace sfg::detail

#endif
