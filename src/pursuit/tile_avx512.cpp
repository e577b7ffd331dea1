// Kernels for AVX-512: 16 features x 12 vectors in twelve registers.
#include "pursuit/tile.hpp"

#if defined(__x86_64__) && defined(__GNUC__)

// GCC 12 warns about its own "undefined" vectors in these headers (its bug 105593).
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <immintrin.h>
#pragma GCC diagnostic pop

namespace sfg::detail {

namespace {

#define SFG_AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512vnni")))
#define SFG_AVX512_INLINE \
  __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512vnni"), always_inline)) inline
#define SFG_AVX512_BF16 \
  __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512vnni,avx512bf16")))

constexpr std::size_t kTargets = 12;
/// The sums are 32 bits wide and nothing saturates: 7 bits and sign.
constexpr int kLevels = 127;
constexpr int kOffset = 128;

SFG_AVX512_INLINE __m512i load(const std::uint32_t* words) noexcept {
  return _mm512_load_si512(words);
}

SFG_AVX512_INLINE __m512i broadcast(std::uint32_t word) noexcept {
  return _mm512_set1_epi32(static_cast<int>(word));
}

template <TileTest kTest>
SFG_AVX512_INLINE bool finish(const TileArguments& arguments, const __m512* sums,
                              TileResult& result) noexcept {
  const __m512 scale = _mm512_loadu_ps(arguments.scale);
  const __m512 along = _mm512_loadu_ps(arguments.along);
  std::uint32_t any = 0;
  for (std::size_t t = 0; t < kTargets; ++t) {
    const float error =
        arguments.error[t] * arguments.panel_error + arguments.length[t] * arguments.panel_length;
    const __m512 part = _mm512_mul_ps(along, _mm512_set1_ps(arguments.along_factor[t]));
    const __m512 value = _mm512_fmadd_ps(sums[t], scale, part);
    _mm512_store_ps(result.values + t * kPanelFeatures, value);
    const __m512 absolute = _mm512_castsi512_ps(
        _mm512_and_epi32(_mm512_castps_si512(value), _mm512_set1_epi32(0x7FFFFFFF)));
    const std::uint32_t hits =
        _mm512_cmp_ps_mask(absolute, _mm512_set1_ps(arguments.level[t] - error), _CMP_GE_OQ);
    std::uint32_t lane_hits = 0;
    if constexpr (kTest == TileTest::both) {
      const __m512 bound =
          _mm512_mul_ps(_mm512_add_ps(absolute, _mm512_set1_ps(error + arguments.slack[t])),
                        _mm512_set1_ps(arguments.unit[t]));
      lane_hits = _mm512_cmp_ps_mask(bound, _mm512_loadu_ps(arguments.lane_level), _CMP_GE_OQ);
    }
    result.hits[t] = hits;
    result.lane_hits[t] = lane_hits;
    any |= hits | lane_hits;
  }
  return any != 0;
}

template <TileTest kTest>
SFG_AVX512 bool run_int8(const TileArguments& arguments, TileResult& result) noexcept {
  __m512i sums[kTargets];
  for (std::size_t t = 0; t < kTargets; ++t) sums[t] = _mm512_set1_epi32(arguments.start[t]);
  for (std::size_t g = 0; g < arguments.n_words; ++g) {
    const std::uint32_t* targets = arguments.targets + g * kTargets;
    const __m512i features = load(arguments.panel + g * kPanelFeatures);
#pragma GCC unroll 12
    for (std::size_t t = 0; t < kTargets; ++t) {
      sums[t] = _mm512_dpbusd_epi32(sums[t], features, broadcast(targets[t]));
    }
  }
  __m512 values[kTargets];
  for (std::size_t t = 0; t < kTargets; ++t) values[t] = _mm512_cvtepi32_ps(sums[t]);
  return finish<kTest>(arguments, values, result);
}

template <TileTest kTest>
SFG_AVX512 bool run_f32(const TileArguments& arguments, TileResult& result) noexcept {
  __m512 sums[kTargets];
  for (__m512& sum : sums) sum = _mm512_setzero_ps();
  for (std::size_t g = 0; g < arguments.n_words; ++g) {
    const std::uint32_t* targets = arguments.targets + g * kTargets;
    const __m512 features = _mm512_castsi512_ps(load(arguments.panel + g * kPanelFeatures));
#pragma GCC unroll 12
    for (std::size_t t = 0; t < kTargets; ++t) {
      const __m512 target = _mm512_castsi512_ps(broadcast(targets[t]));
      sums[t] = _mm512_fmadd_ps(features, target, sums[t]);
    }
  }
  return finish<kTest>(arguments, sums, result);
}

template <TileTest kTest>
SFG_AVX512_BF16 bool run_bf16(const TileArguments& arguments, TileResult& result) noexcept {
  __m512 sums[kTargets];
  for (__m512& sum : sums) sum = _mm512_setzero_ps();
  for (std::size_t g = 0; g < arguments.n_words; ++g) {
    const std::uint32_t* targets = arguments.targets + g * kTargets;
    const auto features =
        reinterpret_cast<__m512bh>(_mm512_load_si512(arguments.panel + g * kPanelFeatures));
#pragma GCC unroll 12
    for (std::size_t t = 0; t < kTargets; ++t) {
      const auto target =
          reinterpret_cast<__m512bh>(_mm512_set1_epi32(static_cast<int>(targets[t])));
      sums[t] = _mm512_dpbf16_ps(sums[t], features, target);
    }
  }
  return finish<kTest>(arguments, sums, result);
}

}  // namespace

std::vector<TileKernel> avx512_tile_kernels() {
  if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512bw") ||
      !__builtin_cpu_supports("avx512vl") || !__builtin_cpu_supports("avx512dq") ||
      !__builtin_cpu_supports("avx512vnni")) {
    return {};
  }
  using enum TileTest;
  std::vector<TileKernel> kernels{
      {"int8 avx512", Screen::int8, kTargets, 4, kLevels, kOffset, run_int8<targets>,
       run_int8<both>},
      {"f32 avx512", Screen::f32, kTargets, 1, 0, 0, run_f32<targets>, run_f32<both>}};
  if (__builtin_cpu_supports("avx512bf16")) {
    kernels.push_back(
        {"bf16 avx512", Screen::bf16, kTargets, 2, 0, 0, run_bf16<targets>, run_bf16<both>});
  }
  return kernels;
}

}  // namespace sfg::detail

#else

namespace sfg::detail {

std::vector<TileKernel> avx512_tile_kernels() {
  return {};
}

}  // namespace sfg::detail

#endif
