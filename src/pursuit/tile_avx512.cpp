// Kernels for AVX-512: 16 features x 12 vectors in twelve registers.
#include "pursuit/tile.hpp"

#if defined(__x86_64__) && defined(__GNUC__)

// GCC 12 warns about its own "undefined" vectors in these headers (its bug 105593).
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>
#pragma GCC diagnostic pop

namespace sfg::detail {

namespace {

#define SFG_AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512vnni")))
#define SFG_AVX512_INLINE \
  __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512vnni"), always_inline)) inline
#define SFG_AVX512_BF16 \
  __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512vnni,avx512bf16")))

#define SFG_AVX512_BF16_INLINE                                                       \
  __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512vnni,avx512bf16"), \
                 always_inline)) inline

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
SFG_AVX512_INLINE bool finish(const TilePanel& panel, const TileTargets& vectors,
                              const __m512* sums, TileResult& result) noexcept {
  const __m512 scale = _mm512_loadu_ps(panel.scale);
  const __m512 along = _mm512_loadu_ps(panel.along);
  std::uint32_t any = 0;
  for (std::size_t t = 0; t < kTargets; ++t) {
    const float error = vectors.error[t] * panel.error + vectors.length[t] * panel.length;
    const __m512 part = _mm512_mul_ps(along, _mm512_set1_ps(vectors.along[t]));
    const __m512 value = _mm512_fmadd_ps(sums[t], scale, part);
    _mm512_store_ps(result.values + t * kPanelFeatures, value);
    const __m512 absolute = _mm512_castsi512_ps(
        _mm512_and_epi32(_mm512_castps_si512(value), _mm512_set1_epi32(0x7FFFFFFF)));
    const std::uint32_t hits =
        _mm512_cmp_ps_mask(absolute, _mm512_set1_ps(vectors.level[t] - error), _CMP_GE_OQ);
    std::uint32_t lane_hits = 0;
    if constexpr (kTest == TileTest::both) {
      const __m512 bound =
          _mm512_mul_ps(_mm512_add_ps(absolute, _mm512_set1_ps(error + vectors.slack[t])),
                        _mm512_set1_ps(vectors.unit[t]));
      lane_hits = _mm512_cmp_ps_mask(bound, _mm512_loadu_ps(panel.lane_level), _CMP_GE_OQ);
    }
    result.hits[t] = hits;
    result.lane_hits[t] = lane_hits;
    any |= hits | lane_hits;
  }
  return any != 0;
}

template <TileTest kTest>
SFG_AVX512_INLINE bool group_int8(const TilePanel& panel, const TileTargets& vectors,
                                  TileResult& result) noexcept {
  __m512i sums[kTargets];
  for (std::size_t t = 0; t < kTargets; ++t) sums[t] = broadcast(vectors.words[t]);
  for (std::size_t g = 0; g < panel.n_words; ++g) {
    const std::uint32_t* targets = vectors.words + (g + 1) * kTargets;
    const __m512i features = load(panel.words + g * kPanelFeatures);
#pragma GCC unroll 12
    for (std::size_t t = 0; t < kTargets; ++t) {
      sums[t] = _mm512_dpbusd_epi32(sums[t], features, broadcast(targets[t]));
    }
  }
  __m512 values[kTargets];
  for (std::size_t t = 0; t < kTargets; ++t) values[t] = _mm512_cvtepi32_ps(sums[t]);
  return finish<kTest>(panel, vectors, values, result);
}

template <TileTest kTest>
SFG_AVX512_INLINE bool group_f32(const TilePanel& panel, const TileTargets& vectors,
                                 TileResult& result) noexcept {
  __m512 sums[kTargets];
  for (__m512& sum : sums) sum = _mm512_setzero_ps();
  for (std::size_t g = 0; g < panel.n_words; ++g) {
    const std::uint32_t* targets = vectors.words + g * kTargets;
    const __m512 features = _mm512_castsi512_ps(load(panel.words + g * kPanelFeatures));
#pragma GCC unroll 12
    for (std::size_t t = 0; t < kTargets; ++t) {
      const __m512 target = _mm512_castsi512_ps(broadcast(targets[t]));
      sums[t] = _mm512_fmadd_ps(features, target, sums[t]);
    }
  }
  return finish<kTest>(panel, vectors, sums, result);
}

template <TileTest kTest>
SFG_AVX512_BF16_INLINE bool group_bf16(const TilePanel& panel, const TileTargets& vectors,
                                       TileResult& result) noexcept {
  __m512 sums[kTargets];
  for (__m512& sum : sums) sum = _mm512_setzero_ps();
  for (std::size_t g = 0; g < panel.n_words; ++g) {
    const std::uint32_t* targets = vectors.words + g * kTargets;
    const auto features =
        reinterpret_cast<__m512bh>(_mm512_load_si512(panel.words + g * kPanelFeatures));
#pragma GCC unroll 12
    for (std::size_t t = 0; t < kTargets; ++t) {
      const auto target =
          reinterpret_cast<__m512bh>(_mm512_set1_epi32(static_cast<int>(targets[t])));
      sums[t] = _mm512_dpbf16_ps(sums[t], features, target);
    }
  }
  return finish<kTest>(panel, vectors, sums, result);
}

template <bool (*compare)(const TilePanel&, const TileTargets&, TileResult&) noexcept>
SFG_AVX512 std::size_t run(const TilePanel& panel, const TileTargets* groups, std::size_t n_groups,
                           TileResult& result) noexcept {
  std::size_t group = 0;
  while (group < n_groups && !compare(panel, groups[group], result)) ++group;
  return group;
}

/// The same loop: a function for more instructions cannot be inlined into one for fewer.
template <TileTest kTest>
SFG_AVX512_BF16 std::size_t run_bf16(const TilePanel& panel, const TileTargets* groups,
                                     std::size_t n_groups, TileResult& result) noexcept {
  std::size_t group = 0;
  while (group < n_groups && !group_bf16<kTest>(panel, groups[group], result)) ++group;
  return group;
}

}  // namespace

std::vector<TileKernel> avx512_tile_kernels() {
  if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512bw") ||
      !__builtin_cpu_supports("avx512vl") || !__builtin_cpu_supports("avx512dq") ||
      !__builtin_cpu_supports("avx512vnni")) {
    return {};
  }
  using enum TileTest;
  std::vector<TileKernel> kernels{{"int8 avx512", Screen::int8, kTargets, 4, kLevels, kLevels,
                                   kOffset, 0, run<group_int8<targets>>, run<group_int8<both>>},
                                  {"f32 avx512", Screen::f32, kTargets, 1, 0, 0, 0, 0,
                                   run<group_f32<targets>>, run<group_f32<both>>}};
  if (__builtin_cpu_supports("avx512bf16")) {
    kernels.push_back(
        {"bf16 avx512", Screen::bf16, kTargets, 2, 0, 0, 0, 0, run_bf16<targets>, run_bf16<both>});
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
